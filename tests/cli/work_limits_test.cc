// Files of a few hundred bytes that ask for hours of work, or for all memory: refused with a reason, or made cheaper. The time limit
// is ctest's; what is measured is compared with another command of the same test.
#include "convert/interp/work.h"
#include "convert/prepare/prepare.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class WorkLimitsTest : public CliTest {
 protected:
  std::string save(const ModelWriter& w) {
    write_file(in("m.onnx"), w.bytes());
    return in("m.onnx");
  }
};

void add_ints(ModelWriter& w, const char* name, const std::vector<int64_t>& values, bool scalar = false) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxInt64);
  if (!scalar) t->add_dims(static_cast<int64_t>(values.size()));
  for (int64_t v : values) t->add_int64_data(v);
}

ModelWriter linear(const std::vector<OnnxDim>& x) {
  ModelWriter w;
  w.input("x", kOnnxFloat, x);
  std::vector<OnnxDim> y = x;
  y.back() = int64_t{20};
  w.output("y", kOnnxFloat, y);
  w.weights("w", {10, 20});
  w.node("MatMul", {"x", "w"}, {"y"}).set_name("rows");
  return w;
}

TEST_F(WorkLimitsTest, FixedSizesThatTakeTooLongAreRefused) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {int64_t{1} << 24, 10});
  w.output("y", kOnnxFloat, {int64_t{1} << 24, 20});
  w.weights("w", {10, 20});
  w.node("Tanh", {"x"}, {"a"});
  w.node("Relu", {"a"}, {"b"});
  w.node("MatMul", {"b", "w"}, {"y"}).set_name("rows");
  expect_refusal({save(w), "-o", in("m.ert")}, kLimit,
                 {"too much work", "'rows' (MatMul)", "[16777216, 20]", "--precision fp32", "--calib"});
}

// Calibration has 32 rows of each batch: as many as it can afford instead.
TEST_F(WorkLimitsTest, TheBatchOfMadeUpInputsShrinksBesideLargeFixedSizes) {
  expect_success({save(linear({"batch", int64_t{1} << 18, 10})), "-q", "-o", in("m.ert"), "--dim", "batch=1"});
}

// One for [262144, 10] has 31 MB, the rest of the blob has 2 kB.
TEST_F(WorkLimitsTest, GoldenVectorsAreNotTheMostOfABlob) {
  const std::string m = save(linear({int64_t{1} << 18, 10}));
  const ProgramResult r = expect_success({m, "-q", "-o", in("m.ert")});
  EXPECT_EQ(r.err.find("golden"), std::string::npos) << r.err;
  EXPECT_LT(std::filesystem::file_size(in("m.ert")), size_t{8192});
  EXPECT_NE(expect_success({"verify", in("m.ert")}).out.find("1 golden vector replayed"), std::string::npos);
}

// Eight rows of [262144, 10] for golden vectors hold half a gigabyte more.
TEST_F(WorkLimitsTest, GoldenVectorsBesideLargeFixedSizesHaveFewRows) {
  const ProgramResult r =
      expect_success({save(linear({"batch", int64_t{1} << 18, 10})), "-q", "-o", in("m.ert"), "--dim", "batch=64"});
  EXPECT_LE(r.peak_kb, (512 << 10) + kSanitizerKb);
  EXPECT_NE(expect_success({"verify", in("m.ert")}).out.find("1 golden vector replayed"), std::string::npos);
}

// A second for one run, and a gigabyte in all: more than 200 parameters are worth. With inputs that somebody means it is done.
TEST_F(WorkLimitsTest, FewParametersOverLargeFixedSizesAreRefused) {
  const std::string m = save(linear({"batch", int64_t{1} << 20, 10}));
  const ProgramResult r = edgeconv({m, "-o", in("m.ert")});
  EXPECT_EQ(r.exit_code, kLimit) << r.err;
  EXPECT_NE(r.err.find("too much"), std::string::npos) << r.err;
  EXPECT_LE(r.peak_kb, (64 << 10) + kSanitizerKb);
}

// They were free, so that a model of 18 kB ran 16 rows of 1000 steps in each set: 8 s.
TEST_F(WorkLimitsTest, GatesOfRecurrentCellsHaveTheirPrice) {
  const auto price = [&](int64_t hidden) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {int64_t{1000}, "n", int64_t{8}});
    w.output("y", kOnnxFloat, {int64_t{1000}, int64_t{1}, "n", hidden});
    w.weights("w", {1, 4 * hidden, 8});
    w.weights("r", {1, 4 * hidden, hidden});
    auto* size = w.node("LSTM", {"x", "w", "r"}, {"y"}).add_attribute();
    size->set_name("hidden_size");
    size->set_type(2);
    size->set_i(hidden);
    Diagnostics d;
    return graph_work(prepare_model(save(w), {}, d).graph, {{"n", 16}});
  };
  const double gates = 16.0 * 1000 * 4;  // for each hidden unit
  EXPECT_GT(price(24) - price(8), 16 * gates * 5);
}

// An output of one axis has a sample for each element, and a comparison keeps sums of each: 4 MB of parameters took 3.7 GB.
TEST_F(WorkLimitsTest, SamplesOfOneElementAreFewSets) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {int64_t{1} << 19});
  w.output("y", kOnnxFloat, {int64_t{1} << 19});
  w.weights("w", {int64_t{1} << 19});
  w.node("Add", {"x", "w"}, {"y"});
  EXPECT_LE(expect_success({save(w), "-q", "-o", in("m.ert")}).peak_kb, (512 << 10) + kSanitizerKb);
}

// The same of 4 million that one Range makes, which is less work than made-up inputs: sums of each, copied to sort them, took 600 MB and a second
// (seed 303101 of MutationTest.OperatorsOnOddOperands).
TEST_F(WorkLimitsTest, MillionsOfSamplesTakeLittleMemory) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  w.output("numbers", kOnnxFloat, {int64_t{1} << 22});
  for (const auto& [name, value] : {std::pair("first", 0.0f), {"end", 4194304.0f}, {"step", 1.0f}}) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name(name);
    t->set_data_type(kOnnxFloat);
    t->add_float_data(value);
  }
  w.node("Range", {"first", "end", "step"}, {"numbers"});
  w.node("Relu", {"x"}, {"y"});
  EXPECT_LE(expect_success({save(w), "-q", "-o", in("m.ert")}).peak_kb, (320 << 10) + kSanitizerKb);
}

// Little work, for it only copies: 17 MB of input, 268 MB of its copies.
TEST_F(WorkLimitsTest, RunsThatHoldTooMuchMemoryAreRefused) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {int64_t{1} << 22});
  w.output("y", kOnnxFloat, {int64_t{1} << 22});
  add_ints(w, "copies", {16, int64_t{1} << 22});
  add_ints(w, "axes", {0});
  w.node("Expand", {"x", "copies"}, {"all"}).set_name("sixteen");
  w.node("Sin", {"all"}, {"sines"});
  w.node("ReduceMax", {"sines", "axes"}, {"max"});
  w.node("Squeeze", {"max", "axes"}, {"y"});
  const std::vector<std::string> command = {save(w), "-o", in("m.ert"), "--precision", "fp32"};
  expect_refusal(command, kLimit, {"too much memory", "hold", "'sixteen' (Expand)", "--calib"});
  EXPECT_LE(edgeconv(command).peak_kb, (512 << 10) + kSanitizerKb);
}

// Sorting 70,000 values of each line was priced like reading them: a conversion took 12 s.
TEST_F(WorkLimitsTest, SortingForALargeKOfTopKHasItsPrice) {
  const auto price = [&](int64_t k) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {"n", 70000});
    add_ints(w, "k", {k});
    w.node("TopK", {"x", "k"}, {"values", "at"});
    w.output("values", kOnnxFloat, {"n", k});
    Diagnostics d;
    return graph_work(prepare_model(save(w), {}, d).graph, {{"n", 1}});
  };
  EXPECT_GT(price(70000), 3 * price(1));
}

// It took 12 s, a few hundred times what K = 1 takes; ten times now, or refused.
TEST_F(WorkLimitsTest, TopKWithKOf70000IsQuickOrRefused) {
  const auto convert = [&](const std::vector<OnnxDim>& dims, int64_t k) {
    ModelWriter w;
    w.input("x", kOnnxFloat, dims);
    add_ints(w, "k", {k});
    w.node("TopK", {"x", "k"}, {"values", "at"});
    std::vector<OnnxDim> found = dims;
    found.back() = k;
    w.output("values", kOnnxFloat, found), w.output("at", kOnnxInt64, found);
    return edgeconv({save(w), "-q", "--force", "-o", in("m.ert")});
  };
  const double least = convert({"n", 70000}, 1).cpu_seconds;
  for (const std::vector<OnnxDim>& dims : {std::vector<OnnxDim>{"n", 70000}, {70000}, {8, 140000}}) {
    const ProgramResult r = convert(dims, 70000);
    EXPECT_TRUE(r.exit_code == 0 || r.exit_code == kLimit) << r.exit_code << r.err;
    EXPECT_LE(r.cpu_seconds, 60 * std::max(least, 0.02)) << dims.size();
  }
}

// 146 bytes of file, whose 16 million zeros counted as its parameters: 5 s and 2.6 GB (seed 14463 of MutationTest.NodeTestsWithOddConstants).
TEST_F(WorkLimitsTest, ConstantsThatFoldingMakesAreNoParameters) {
  for (const char* op : {"ConstantOfShape", "Expand", "Tile"}) {
    SCOPED_TRACE(op);
    ModelWriter w;
    const bool fill = op == std::string("ConstantOfShape");
    w.output("y", kOnnxFloat, {int64_t{1} << 24, 1});
    w.weights("w", {1, 1});
    add_ints(w, "shape", {int64_t{1} << 24, 1});
    w.node(op, fill ? std::vector<std::string>{"shape"} : std::vector<std::string>{"w", "shape"}, {"y"});
    const ProgramResult r = edgeconv({save(w), "-q", "-o", in("m.ert")});
    EXPECT_TRUE(r.exit_code == 0 || r.exit_code == kLimit) << r.exit_code << r.err;
    EXPECT_LE(r.peak_kb, (512 << 10) + kSanitizerKb);
  }
}

// Each fill has 64 MB, the most that one node may make of little; together they would be 64 GB.
TEST_F(WorkLimitsTest, AChainOfLargeConstantsIsNotFolded) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  add_ints(w, "shape", {4096, 4096});
  w.node("ConstantOfShape", {"shape"}, {"c0"});
  const int count = 1000;
  for (int i = 0; i < count; ++i)
    w.node("MatMul", {"c" + std::to_string(i), "c0"}, {"c" + std::to_string(i + 1)}).set_name("product" + std::to_string(i));
  w.node("ReduceSum", {"c" + std::to_string(count)}, {"sum"});
  w.node("Add", {"x", "sum"}, {"y"});
  const ProgramResult r = edgeconv({save(w), "-q", "-o", in("m.ert")});
  EXPECT_TRUE(r.exit_code == kLimit || r.exit_code == kUnsupported) << r.exit_code << r.err;
}

// (v - mean(v)) / sqrt(mean((v - mean(v))^2) + eps) of a row.
void add_norm(ModelWriter& w, const char* v, const char* out) {
  for (const auto& [name, value] : {std::pair("two", 2.0f), {"eps", 1e-5f}}) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name(name);
    t->set_data_type(kOnnxFloat);
    t->add_float_data(value);
  }
  const auto mean = [&](const char* from, const char* to) {
    auto* axes = w.node("ReduceMean", {from}, {to}).add_attribute();
    axes->set_name("axes");
    axes->set_type(7);
    axes->add_ints(-1);
  };
  mean(v, "mean");
  w.node("Sub", {v, "mean"}, {"apart"});
  w.node("Pow", {"apart", "two"}, {"squares"});
  mean("squares", "variance");
  w.node("Add", {"variance", "eps"}, {"more"});
  w.node("Sqrt", {"more"}, {"root"});
  w.node("Div", {"apart", "root"}, {out});
}

constexpr int64_t kLongest = 2147483647;

// A scale of ones as long as the row took 8 GB before the size was refused.
TEST_F(WorkLimitsTest, RowsLongerThanTheRuntimeHoldsAreRefusedBeforePasses) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", kLongest});
  w.output("y", kOnnxFloat, {"n", kLongest});
  add_norm(w, "x", "y");
  const std::vector<std::string> command = {save(w), "-o", in("m.ert")};
  expect_refusal(command, kLimit, {"input 'x' is [n, 2147483647]", "--dim NAME=MAX"});
  EXPECT_LE(edgeconv(command).peak_kb, 512 << 10);
}

TEST_F(WorkLimitsTest, PassesMakeNothingAsLongAsAnAxisThatNoFileBrings) {
  ModelWriter rows;
  rows.input("x", kOnnxFloat, {"n", 1});
  rows.output("y", kOnnxFloat, {"n", kLongest});
  add_ints(rows, "long", {1, kLongest});
  rows.node("Expand", {"x", "long"}, {"row"});
  add_norm(rows, "row", "y");
  EXPECT_LE(edgeconv({save(rows), "-o", in("m.ert")}).peak_kb, 512 << 10);
}

// Five loops of 256 rounds around each other.
TEST_F(WorkLimitsTest, NestedLoopsAreNotUnrolledWithoutEnd) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  add_ints(w, "rounds", {256}, true);
  pb::GraphProto* g = w.proto().mutable_graph();
  std::string outer = "x";
  for (int level = 0; level < 5; ++level) {
    const std::string n = std::to_string(level), carried = "in" + n, last = level == 4 ? "relu" : "y" + n;
    auto* loop = g->add_node();
    loop->set_op_type("Loop");
    loop->set_name("loop" + n);
    loop->add_input("rounds");
    loop->add_input("");
    loop->add_input(outer);
    loop->add_output(level == 0 ? "y" : "y" + std::to_string(level - 1));
    auto* a = loop->add_attribute();
    a->set_name("body");
    a->set_type(5);
    pb::GraphProto* body = a->mutable_g();
    body->set_name("body" + n);
    for (const auto& [name, type] : {std::pair("i" + n, kOnnxInt64), {"go" + n, 9}, {carried, kOnnxFloat}}) {
      auto* v = body->add_input();
      v->set_name(name);
      v->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }
    for (const auto& [name, type] : {std::pair("go" + n, 9), {last, kOnnxFloat}}) {
      auto* v = body->add_output();
      v->set_name(name);
      v->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }
    outer = carried;
    g = body;
  }
  auto* relu = g->add_node();
  relu->set_op_type("Relu");
  relu->add_input(outer);
  relu->add_output("relu");
  expect_refusal({save(w), "-o", in("m.ert")}, kLimit, {"Loop", "unrolled"});
}

}  // namespace

}  // namespace edgeconv::testing
