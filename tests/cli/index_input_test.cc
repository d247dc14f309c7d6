// Inputs that index rows of others, with --calib and without.
#include "tests/cli/calib_fixture.h"

namespace edgeconv::testing {

namespace {

// y = x[idx] w, or x[idx + 1] w: made-up numbers are out of the rows there, so everything must come from the user's data.
class IndexInputTest : public CalibTest {
 protected:
  // from_minus_one: rows are counted from -1, which the conversion does not see through.
  void model(const char* rows, const char* picks, bool from_minus_one = false) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {rows, 16});
    w.input("idx", kOnnxInt64, {picks});
    w.output("y", kOnnxFloat, {picks, 16});
    w.weights("w", {16, 16});
    if (from_minus_one) {
      auto* one = w.proto().mutable_graph()->add_initializer();
      one->set_name("one");
      one->set_data_type(kOnnxInt64);
      one->add_int64_data(1);
      w.node("Add", {"idx", "one"}, {"row"});
    }
    w.node("Gather", {"x", from_minus_one ? "row" : "idx"}, {"picked"});
    w.node("MatMul", {"picked", "w"}, {"y"});
    write_file(in("m.onnx"), w.bytes());
  }
  // idx counts down from the last row.
  static std::string data(int64_t rows, int64_t picks, bool from_minus_one = false) {
    std::vector<int64_t> idx;
    for (int64_t i = 0; i < picks; ++i) idx.push_back(rows - (from_minus_one ? 2 : 1) - i % rows);
    return archive({{"x.npy", npy(samples({rows, 16}))}, {"idx.npy", npy(Tensor::of(DType::kInt64, {picks}, idx))}}, true);
  }
};

// Was refused with exit 3: golden vectors had made-up indices whatever --calib gave.
TEST_F(IndexInputTest, GoldenVectorsComeFromTheDataToo) {
  model("rows", "picks", true);
  write_file(in("c.npz"), data(5, 3, true));
  const ProgramResult r = expect_success(command("c.npz"));
  EXPECT_NE(r.err.find("golden vectors hold 1 of the calibration inputs"), std::string::npos) << r.err;
  EXPECT_EQ(parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out).at("golden_vectors"), 1);
  expect_success({in("m.onnx"), "--calib", in("c.npz"), "-o", in("none.ert"), "--golden", "none", "-q"});
  EXPECT_EQ(parse_json(expect_success({"inspect", in("none.ert"), "--json"}).out).at("golden_vectors"), 0);
}

// Was refused with exit 3: eight rows at a time, indices 19 to 12 had nothing to point to.
TEST_F(IndexInputTest, RowsThatReferToEachOtherStayTogether) {
  model("batch", "batch");
  write_file(in("c.npz"), data(20, 20));
  EXPECT_EQ(convert("c.npz").at("outputs").at(0).at("cosine").get<double>() > 0.999, true);
}

// Where the conversion cannot know valid indices without data, it says how to give them.
TEST_F(IndexInputTest, WithoutDataTheRefusalNamesCalib) {
  model("batch", "batch", true);
  expect_refusal({in("m.onnx"), "-o", in("m.ert")}, 4, {"--calib"});
}

// Was refused: a model of graphs (minimol) has an input with the graph of each node, and made-up ones were lengths.
TEST_F(IndexInputTest, MadeUpIndicesPointToRowsThatThereAre) {
  for (const auto& [rows, picks] : {std::pair("rows", "picks"), std::pair("batch", "batch")}) {
    model(rows, picks);
    expect_success({in("m.onnx"), "-o", in("m.ert"), "-q"});
    expect_success({"verify", in("m.ert")});
    expect_success({"validate", in("m.onnx"), in("m.ert")});
  }
}

TEST_F(IndexInputTest, FoldersOfArraysAndOfSets) {
  model("rows", "picks");
  for (const char* folder : {"arrays", "sets", "sets/a", "sets/b"}) std::filesystem::create_directory(in(folder));
  write_file(in("arrays/x.npy"), npy(samples({5, 16})));
  write_file(in("arrays/idx.npy"), npy(Tensor::of<int64_t>(DType::kInt64, {2}, {4, 0})));
  convert("arrays");
  // Sets of different sizes: the smallest makes the golden vector.
  for (const auto& [folder, rows] : {std::pair("sets/a/", 7), std::pair("sets/b/", 4)}) {
    write_file(in(folder) + "x.npy", npy(samples({rows, 16})));
    write_file(in(folder) + "idx.npy", npy(Tensor::of<int64_t>(DType::kInt64, {2}, {rows - 1, 0})));
  }
  convert("sets");
}

// Two of three columns of categories, each looked up in a table of its own: they were called a sequence of fixed length.
TEST_F(IndexInputTest, ColumnsOfCategoriesAreNoSequence) {
  ModelWriter w;
  w.input("c", kOnnxInt64, {"batch", 3});
  w.output("y", kOnnxFloat, {"batch", 8});
  std::vector<std::string> parts;
  for (int64_t i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i);
    auto* index = w.proto().mutable_graph()->add_initializer();
    index->set_name("i" + n), index->set_data_type(kOnnxInt64), index->add_int64_data(i);
    w.weights("table" + n, {12, 4});
    int_attribute(w.node("Gather", {"c", "i" + n}, {"column" + n}), "axis", 1);
    w.node("Gather", {"table" + n, "column" + n}, {"part" + n});
    parts.push_back("part" + n);
  }
  int_attribute(w.node("Concat", parts, {"y"}), "axis", 1);
  write_file(in("m.onnx"), w.bytes());
  EXPECT_EQ(expect_success({"inspect", in("m.onnx")}).out.find("fixed in the file"), std::string::npos);
}

}  // namespace

}  // namespace edgeconv::testing
