// Recorded inputs (--calib) of models with several inputs: files that name an input twice or by its place, and arrays that do not belong together.
#include "tests/cli/calib_fixture.h"
#include "tests/cli/malformed_nodes.h"

namespace edgeconv::testing {

namespace {

constexpr int kMalformedSamples = static_cast<int>(ExitCode::kMalformed);

class ContradictingSamplesTest : public CliTest {
 protected:
  // y = x + z, and ids that nothing computes with but a Gather: x [n, 4], z as it is told, ids [n] int32.
  void model(const std::vector<OnnxDim>& x, const std::vector<OnnxDim>& z, const std::vector<OnnxDim>& ids) {
    ModelWriter w;
    w.input("x", kOnnxFloat, x);
    w.input("z", kOnnxFloat, z);
    w.input("ids", kOnnxInt32, ids);
    w.weights("table", {8, 4});
    w.weights("w", {4, 4});
    w.node("Add", {"x", "z"}, {"sum"});
    w.node("Gather", {"table", "ids"}, {"rows"});
    w.node("Add", {"sum", "rows"}, {"both"});
    w.node("MatMul", {"both", "w"}, {"y"});
    w.output("y", kOnnxFloat, {"n", int64_t{4}});
    write_file(in("m.onnx"), w.bytes());
  }
  static std::string ids(std::vector<int64_t> dims, int32_t value = 1) {
    Tensor t(DType::kInt32, std::move(dims));
    for (int32_t& v : t.mut<int32_t>()) v = value;
    return npy(t);
  }
  std::vector<std::string> calibrated(const std::string& samples) {
    return {in("m.onnx"), "-q", "--calib", in(samples), "-o", in("m.ert"), "--force"};
  }
  void expect(const std::vector<std::pair<std::string, std::string>>& arrays, const std::vector<std::string>& words) {
    write_file(in("s.npz"), archive(arrays, false));
    if (words.empty())
      expect_success(calibrated("s.npz"));
    else
      expect_refusal(calibrated("s.npz"), kMalformedSamples, words);
    std::filesystem::remove(in("m.ert"));
  }
  std::string floats(std::vector<int64_t> dims) { return npy(samples(std::move(dims))); }
};

TEST_F(ContradictingSamplesTest, ArraysOfOneSet) {
  model({"n", 4}, {"n", 4}, {"n"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({6, 4})}, {"ids.npy", ids({6})}}, {});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({5, 4})}, {"ids.npy", ids({6})}}, {"'z' has 5 samples, 'x' has 6"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({6, 3})}, {"ids.npy", ids({6})}}, {"'z' has 3 in axis 1 of a sample"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({6, 4})}}, {"no array 'ids'", "edgeconv inspect"});
  expect({{"x.npy", ids({6, 4})}, {"z.npy", floats({6, 4})}, {"ids.npy", ids({6})}}, {"'x' is int32, the model wants float32"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({6, 4})}, {"ids.npy", floats({6})}}, {"'ids' is float32, the model wants int32"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({6, 4})}, {"ids.npy", ids({6}, 8)}}, {"'ids' holds 8, the model's table allows -8 to 7"});
  expect({{"x.npy", floats({0, 4})}, {"z.npy", floats({6, 4})}, {"ids.npy", ids({6})}}, {"'x' is empty", "at least one sample"});
  expect({{"x.npy", floats({6, 4, 1, 1})}, {"z.npy", floats({6, 4})}, {"ids.npy", ids({6})}}, {"or one more leading axis for samples"});
}

// One recording, [frames, bins], was cut into samples of 8 frames, fewer than its convolution needs: "the kernel is larger than the padded input" (exit 3).
TEST_F(ContradictingSamplesTest, ARecordingIsOneSample) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"frames", 40});
  ints(w, "first", {0, 1});
  w.weights("w", {4, 1, 11, 3});
  w.node("Unsqueeze", {"x", "first"}, {"planes"});
  w.node("Conv", {"planes", "w"}, {"y"});
  w.output("y", kOnnxFloat, {1, 4, "rows", 38});
  write_file(in("m.onnx"), w.bytes());
  const auto with = [&](const std::string& array) {
    write_file(in("s.npz"), archive({{"x.npy", array}}, false));
    return std::vector<std::string>{in("m.onnx"), "--dim", "frames=64", "--calib", in("s.npz"), "-o", in("m.ert"), "--force"};
  };
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{50, 40}, {3, 50, 40}}) EXPECT_EQ(expect_success(with(floats(dims))).err.find("samples are used"), std::string::npos);
  expect_refusal(with(floats({65, 40})), static_cast<int>(ExitCode::kUsage), {"--dim frames=65"});
}

// Sets of their own axis: each has sizes of its own, which must fit together.
TEST_F(ContradictingSamplesTest, AnAxisForSamples) {
  model({"n", 4}, {"n", 4}, {"n"});
  expect({{"x.npy", floats({3, 2, 4})}, {"z.npy", floats({3, 2, 4})}, {"ids.npy", ids({3, 2})}}, {});
  expect({{"x.npy", floats({3, 2, 4})}, {"z.npy", floats({3, 5, 4})}, {"ids.npy", ids({3, 2})}}, {"'z' has 5 for dim 'n', another array 2"});
  expect({{"x.npy", floats({1, 2, 4})}, {"z.npy", floats({2, 4})}, {"ids.npy", ids({2})}}, {});
  expect({{"x.npy", floats({3, 2, 4})}, {"z.npy", floats({2, 4})}, {"ids.npy", ids({2})}}, {"'x' has an axis for samples, other arrays have none"});
}

TEST_F(ContradictingSamplesTest, AFixedBatchIsFilled) {
  model({2, 4}, {2, 4}, {2});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({6, 4})}, {"ids.npy", ids({6})}}, {});
  expect({{"x.npy", floats({5, 4})}, {"z.npy", floats({5, 4})}, {"ids.npy", ids({5})}}, {"5 samples are no multiple of the model's fixed batch of 2"});
}

// Nothing to cut along: z is added to every row, so the whole is one set.
TEST_F(ContradictingSamplesTest, InputsThatShareNoLeadingAxisAreOneSet) {
  model({"n", 4}, {1, 4}, {"n"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({1, 4})}, {"ids.npy", ids({6})}}, {});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({2, 4})}, {"ids.npy", ids({6})}}, {"'z' has 2 in axis 0 of a sample"});
  expect({{"x.npy", floats({6, 4})}, {"z.npy", floats({1, 4})}, {"ids.npy", ids({5})}}, {"'ids' has 5 for dim 'n', another array 6"});
}

// input_K.pb without a name inside is the K-th input, as in ONNX's test data.
TEST_F(ContradictingSamplesTest, TensorFilesByTheirPlace) {
  ModelWriter w;
  for (const char* name : {"a", "b"}) w.input(name, kOnnxFloat, {"n", int64_t{4}});
  w.weights("w", {4, 4});
  w.node("Sub", {"a", "b"}, {"d"});
  w.node("MatMul", {"d", "w"}, {"y"});
  w.output("y", kOnnxFloat, {"n", int64_t{4}});
  write_file(in("m.onnx"), w.bytes());
  std::filesystem::create_directory(in("set"));
  const auto file = [&](const std::string& name, const std::string& inside) {
    write_file(in("set/" + name), float_tensor_file(inside, {2, 4}, {1, 2, 3, 4, 5, 6, 7, -8}));
  };
  file("input_0.pb", "");
  file("input_1.pb", "");
  file("output_0.pb", "y");  // is no input
  expect_success(calibrated("set"));
  std::filesystem::remove(in("m.ert"));
  file("input_2.pb", "b");
  expect_refusal(calibrated("set"), kMalformedSamples, {"input_2.pb: input 'b' is given twice"});
  std::filesystem::remove(in("set/input_2.pb"));
  std::filesystem::rename(in("set/input_1.pb"), in("set/input_x.pb"));
  expect_refusal(calibrated("set"), kMalformedSamples, {"no array 'b'"});
  std::filesystem::remove_all(in("set"));
  std::filesystem::create_directory(in("set"));
  write_file(in("set/a.txt"), "1 2 3");
  expect_refusal(calibrated("set"), kMalformedSamples, {"neither NAME.npy nor input_K.pb"});
}

}  // namespace

}  // namespace edgeconv::testing
