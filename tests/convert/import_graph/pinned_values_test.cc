// Contents of --const as a tensor of the input's type, row by row: what a text or an array means, and what no such type has.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/import_graph/pinning.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {
namespace {

struct Row {
  DType type;
  const char* text;
  double want = 0;
  const char* words = nullptr;  // of the refusal
};

TEST(PinnedValues, OfTexts) {
  for (const Row& r : {
           Row{DType::kFloat, "0.1", 0.1f},
           Row{DType::kFloat, "1.50e3", 1500},
           Row{DType::kFloat, "-2E-3", -2e-3f},
           Row{DType::kFloat, "0.0", 0},
           Row{DType::kFloat, "16777217", 0, "has no such number; near it is 16777216; write that"},
           Row{DType::kFloat, "1e39", 0, "has no such number; write one that it has"},
           Row{DType::kFloat, "1.00000000000000000000000000000000000000000001", 0, "has no such number"},
           Row{DType::kFloat, "", 0, "write one number, or name a FILE.npy"},
           Row{DType::kFloat, "one", 0, "write one number"},
           Row{DType::kFloat, "e", 0, "write one number"},
           Row{DType::kFloat, "1e", 0, "write one number"},
           Row{DType::kFloat, "nan", 0, "write one number"},
           Row{DType::kFloat16, "0.5", 0.5},
           Row{DType::kFloat16, "70000", 0, "has no such number"},
           Row{DType::kDouble, "0.1", 0.1},
           Row{DType::kDouble, "1e999", 0, "float64 has no such number"},
           Row{DType::kDouble, "9007199254740993", 0, "float64 has no such number"},
           Row{DType::kInt64, "+7", 7},
           Row{DType::kInt64, "-7", -7},
           Row{DType::kInt64, "1e3", 1000},
           Row{DType::kInt64, "16000.0", 16000},
           Row{DType::kInt64, "0.5", 0, "has no such number"},
           Row{DType::kInt64, "1e300", 0, "has no such number"},
           Row{DType::kInt64, "seven", 0, "write one whole number"},
           Row{DType::kInt64, "+-7", 0, "write one whole number"},
           Row{DType::kInt8, "128", 0, "has no such number"},
           Row{DType::kUint8, "255", 255},
           Row{DType::kUint32, "-1", 0, "has no such number"},
           Row{DType::kUint64, "-1", 0, "has no such number"},
           Row{DType::kBool, "true", 1},
           Row{DType::kBool, "false", 0},
           Row{DType::kBool, "1", 1},
           Row{DType::kBool, "0", 0},
           Row{DType::kBool, "yes", 0, "write true or false"},
           Row{DType::kString, "text", 0, "cannot be pinned"},
       }) {
    SCOPED_TRACE(std::string(dtype_name(r.type)) + " " + r.text);
    try {
      const Tensor t = pinned_tensor("x", {r.text, {}}, r.type, {DimExpr(2)});
      ASSERT_EQ(r.words, nullptr) << "accepted";
      EXPECT_EQ(t.dtype(), r.type);
      const Tensor numbers = t.cast(DType::kDouble);
      EXPECT_EQ(std::vector<double>(numbers.as<double>().begin(), numbers.as<double>().end()), std::vector<double>(2, r.want));
    } catch (const FatalError& e) {
      ASSERT_NE(r.words, nullptr) << e.what();
      EXPECT_EQ(e.code(), ExitCode::kUsage);
      EXPECT_NE(std::string(e.what()).find(r.words), std::string::npos) << e.what();
    }
  }
}

TEST(PinnedValues, OfFiles) {
  struct File {
    Tensor array;
    DType type;
    Shape shape;
    const char* words;
  };
  const Tensor halves = Tensor::of<float>(DType::kFloat, {2}, {0.5f, 2}),
               thirds = Tensor::of<double>(DType::kDouble, {1}, {1.0 / 3});
  for (const File& f : {
           File{halves, DType::kFloat, {DimExpr(2)}, nullptr},
           File{halves, DType::kDouble, {DimExpr(2)}, nullptr},
           File{halves, DType::kFloat16, {DimExpr(2)}, nullptr},
           File{Tensor::ints({3}), DType::kInt32, {DimExpr(1)}, nullptr},
           File{thirds, DType::kFloat, {DimExpr(1)}, "has not all of its numbers; save it as float32"},
           File{Tensor::ints({300}), DType::kUint8, {DimExpr(1)}, "has not all of its numbers"},
           File{halves, DType::kInt64, {DimExpr(2)}, "it holds float32, input 'x' is int64; save it as int64"},
           File{Tensor::ints({1}), DType::kBool, {DimExpr(1)}, "save it as bool"},
           File{halves, DType::kFloat, {DimExpr(3)}, "the array is float32[2]"},
           File{halves, DType::kFloat, {DimExpr::symbol("n")}, "add --fix n=2"},
           File{halves, DType::kFloat, {DimExpr::symbol("n"), DimExpr::symbol("m")}, "add --fix n=N --fix m=N"},
           File{halves, DType::kFloat, {DimExpr(int64_t{1} << 40)}, "too large for a constant"},
           File{halves, DType::kFloat, {DimExpr(int64_t{1} << 27), DimExpr(int64_t{1} << 40)}, "too large for a constant"},
       }) {
    try {
      const Tensor t = pinned_tensor("x", {"a.npy", f.array}, f.type, f.shape);
      ASSERT_EQ(f.words, nullptr) << "accepted";
      EXPECT_EQ(t.dtype(), f.type);
      EXPECT_TRUE(t.cast(DType::kDouble).same_bytes(f.array.cast(DType::kDouble)));
    } catch (const FatalError& e) {
      ASSERT_NE(f.words, nullptr) << e.what();
      EXPECT_EQ(e.code(), ExitCode::kUsage);
      EXPECT_NE(std::string(e.what()).find(f.words), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace edgeconv
