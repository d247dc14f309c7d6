// What `edgeconv run` says about inputs that it refuses: the input's name, where in it, the value and what is allowed.
#include <limits>

#include "convert/files/npy.h"
#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

// ids [batch, sequence] look up a table of 100 rows; scale [batch, 1, 1] and the rows' products come out as y.
std::string lookup_model(int32_t mask_type) {
  ModelWriter w;
  w.input("ids", kOnnxInt64, {"batch", "sequence"});
  w.input("mask", mask_type, {"batch", "sequence"});
  w.input("scale", kOnnxFloat, {"batch", 1, 1});
  w.output("y", kOnnxFloat, {"batch", "sequence", 16});
  w.weights("table", {100, 16});
  w.node("Gather", {"table", "ids"}, {"e"});
  w.node("Mul", {"e", "scale"}, {"s"});
  w.masked("s", "mask", "y");
  return w.bytes();
}

template <class T>
Tensor filled(DType type, std::vector<int64_t> dims, T value) {
  Tensor t(type, std::move(dims));
  for (T& x : t.mut<T>()) x = value;
  return t;
}

class RunRefusalTest : public CliTest {
 protected:
  void SetUp() override {
    write_file(in("m.onnx"), lookup_model(kOnnxInt64));
    expect_success({in("m.onnx"), "-q", "--dim", "batch=4", "--dim", "sequence=6"});
    ids_ = filled<int64_t>(DType::kInt64, {2, 3}, 7);
    mask_ = filled<int64_t>(DType::kInt64, {2, 3}, 1);
    scale_ = filled<float>(DType::kFloat, {2, 1, 1}, 0.5f);
  }
  std::vector<std::string> command() {
    write_npy(in("ids.npy"), ids_);
    write_npy(in("mask.npy"), mask_);
    write_npy(in("scale.npy"), scale_);
    return {"run",     in("m.ert"),
            "--input", "ids=" + in("ids.npy"),
            "--input", "mask=" + in("mask.npy"),
            "--input", "scale=" + in("scale.npy"),
            "--out",   in("out")};
  }
  Tensor result() {
    expect_success(command());
    return read_npy(in("out/y.npy"));
  }
  Tensor ids_, mask_, scale_;
};

TEST_F(RunRefusalTest, IdOutOfRange) {
  for (int64_t bad : {int64_t{100}, int64_t{-101}, int64_t{1} << 40}) {
    ids_ = filled<int64_t>(DType::kInt64, {2, 3}, 7);
    ids_.mut<int64_t>()[4] = bad;
    expect_refusal(command(), kMalformed, {"'ids'", "[1, 1]", std::to_string(bad), "-100 to 99"});
  }
}

TEST_F(RunRefusalTest, NegativeIdsCountFromTheEndAsInGather) {
  const std::vector<int64_t> positive = {0, 98, 99, 7, 42, 1}, negative = {-100, -2, -1, 7, -58, -99};
  std::copy(positive.begin(), positive.end(), ids_.mut<int64_t>().begin());
  const std::vector<float> expected = result().to_float();
  std::copy(negative.begin(), negative.end(), ids_.mut<int64_t>().begin());
  EXPECT_EQ(result().to_float(), expected);
}

TEST_F(RunRefusalTest, NotFinite) {
  for (const auto& [bad, word] : {std::pair(std::numeric_limits<float>::quiet_NaN(), "NaN"),
                                  {std::numeric_limits<float>::infinity(), "is infinite"},
                                  {-std::numeric_limits<float>::infinity(), "minus infinite; in a mask that is added, -1e9 hides as well"}}) {
    scale_.mut<float>()[1] = bad;
    expect_refusal(command(), kMalformed, {"'scale'", "[1, 0, 0]", word});
  }
}

TEST_F(RunRefusalTest, Sizes) {
  const auto ids = [&](std::vector<int64_t> dims) {
    ids_ = filled<int64_t>(DType::kInt64, std::move(dims), 7);
    return command();
  };
  expect_refusal(ids({2, 7}), kUsage, {"'sequence' is 7", "'ids'", "1 to 6"});
  expect_refusal(ids({5, 3}), kUsage, {"'batch' is 5", "'ids'", "1 to 4"});
  expect_refusal(ids({2, 0}), kUsage, {"'sequence' is 0", "at least 1"});
  expect_refusal(ids({0, 3}), kUsage, {"'batch' is 0", "at least 1"});
  expect_refusal(ids({2}), kUsage, {"'ids'", "rank 1"});
  expect_refusal(ids({2, 4}), kMalformed, {"'mask'", "axis 1 is 3", "4"});
}

TEST_F(RunRefusalTest, Types) {
  ids_ = filled<float>(DType::kFloat, {2, 3}, 7);
  expect_refusal(command(), kMalformed, {"'ids'", "float32", "int64"});
}

// A mask may come in any integer type, whatever the model declares.
TEST_F(RunRefusalTest, MaskTypes) {
  for (int32_t declared : {kOnnxInt64, kOnnxInt32, kOnnxBool}) {
    write_file(in("m.onnx"), lookup_model(declared));
    expect_success({in("m.onnx"), "-q", "--dim", "batch=4", "--dim", "sequence=6"});
    std::vector<float> expected;
    for (DType given : {DType::kBool, DType::kUint8, DType::kInt32, DType::kInt64}) {
      Tensor m = filled<int64_t>(DType::kInt64, {2, 3}, 1);
      m.mut<int64_t>()[2] = 0;
      mask_ = m.cast(given);
      const std::vector<float> got = result().to_float();
      if (expected.empty()) expected = got;
      EXPECT_EQ(got, expected) << declared << " " << static_cast<int>(given);
      EXPECT_EQ(got[2 * 16], 0.0f);
      EXPECT_NE(got[3 * 16], 0.0f);
    }
  }
}

// An axis that torch.export calls 2*h: x is halved, doubled and added to itself.
TEST_F(CliTest, SizesThatAreNoMultipleOfWhatTheNameOfTheDimSaysAreRefused) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 3, "2*h"});
  w.output("y", kOnnxFloat, {1, 3, "2*h"});
  auto& pool = w.node("MaxPool", {"x"}, {"half"});
  ints_attribute(pool, "kernel_shape", {2});
  ints_attribute(pool, "strides", {2});
  int_attribute(w.node("Concat", {"half", "half"}, {"twice"}), "axis", 2);
  w.node("Add", {"x", "twice"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({in("m.onnx"), "-q", "--dim", "2*h=9"}, kUsage, {"--dim 2*h=9", "multiple of 2; give 10"});
  expect_success({in("m.onnx"), "-q", "--dim", "2*h=10"});
  for (int64_t size : {2, 8, 10, 7}) {
    write_npy(in("x.npy"), filled<float>(DType::kFloat, {1, 3, size}, 1.0f));
    const std::vector<std::string> run{"run", in("m.ert"), "--input", "x=" + in("x.npy"), "--out", in("out")};
    if (size % 2 == 0)
      expect_success(run);
    else
      expect_refusal(run, kUsage, {"dim '2*h' is 7", "a multiple of 2"});
  }
  // What a shell would read in its own way is quoted.
  write_npy(in("x.npy"), filled<float>(DType::kFloat, {1, 3, 12}, 1.0f));
  expect_refusal({"run", in("m.ert"), "--input", "x=" + in("x.npy"), "--out", in("out")}, kUsage, {"the blob allows 2 to 10", "convert with --dim '2*h=12'"});
}

}  // namespace

}  // namespace edgeconv::testing
