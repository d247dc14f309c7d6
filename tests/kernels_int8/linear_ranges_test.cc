// Int8 Linears at the ends of what levels take shorter ways for: sums that fit 22 bits, rows whose highest value rounds to 256, and sizes of every order.
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/linear_int8.h"

namespace ert::kernels::testing {
namespace {

class LinearRangesTest : public LinearInt8Test {};

// Sums below 2^22, where a level may take a shorter way to fp32, and above, in one product and in several.
TEST_P(LinearRangesTest, SumsOf22BitsAndMore) {
  SeededRandom random;
  for (size_t k : {128, 256, 288, 384}) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (WeightFill weights : {WeightFill::kRandom, WeightFill::kAll127, WeightFill::kAlternating})
        compare({8, 400, k, static_cast<Fill>(fill), weights}, random);
    }
  }
}

// The highest value of a row whose range has zero in its middle rounds to 256 and is clamped to 255, with the values before and behind it.
TEST_P(LinearRangesTest, HighestOfASymmetricRowIsClamped) {
  SeededRandom random;
  for (size_t k : {16, 40, 80, 128, 160, 384}) {
    GuardedBuffer<float> row(k), signs(k), want(k), got(k);
    const PackedLinear linear(k, k, WeightFill::kIdentity, random);
    const auto quantized = [&](const KernelTable& t, bool gelu, GuardedBuffer<float>& values) {
      for (size_t i = 0; i < k; ++i) row[i] = gelu ? 8.0f : 1.0f;  // GELU of 8 is 8
      const LinearKernels s = linear_kernels(t, Precision::kW8A8, Layout::kN16K4);
      const size_t row_bytes = s.row_bytes(k);
      const ptrdiff_t stride = static_cast<ptrdiff_t>(k);
      GuardedBuffer<uint8_t> bytes(row_bytes);
      RowScale scale;
      if (gelu) {
        t.gelu_quantize_rows(1, k, row.data(), stride, signs.data(), bytes.data(), row_bytes, &scale);
      } else {
        s.quantize_rows(1, k, row.data(), stride, signs.data(), bytes.data(), row_bytes, &scale);
      }
      s.gemm({1, k, k, bytes.data(), row_bytes, &scale, linear.weights(false), values.data(), stride});
    };
    for (size_t i = 0; i < k; ++i) signs[i] = i % 3 == 0 ? -1.0f : 1.0f;
    for (bool gelu : {false, true}) {
      quantized(ref(), gelu, want);
      quantized(kernels(), gelu, got);
      ASSERT_TRUE(all_same_bits(k, want.data(), got.data())) << k << " gelu " << gelu;
      EXPECT_GT(got[1], 0.99f * (gelu ? 8.0f : 1.0f)) << k;
    }
  }
}

// Rows, panels and what is held of either, of any sizes.
TEST_P(LinearRangesTest, DrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 60; ++i) {
    const Precision precision = i % 2 == 0 ? Precision::kW8A8 : Precision::kW8A16;
    const size_t k = drawn_size(i % 3 == 0 ? 65000 : 2000, random), n = drawn_within(400000, k, 3000, random), m = drawn_within(400000, n * k, 300, random);
    const Fill fill = i % 5 == 0 ? Fill::kNearTheLeast : i % 7 == 0 ? Fill::kConstant : Fill::kNormal;
    compare({m, n, k, fill, i % 4 == 0 ? WeightFill::kSmall : WeightFill::kRandom, i % 3 != 0, i % 5 != 0, precision, static_cast<Layout>(i % 6 / 2)}, random);
  }
}

ERT_INSTANTIATE_LEVELS(LinearRangesTest);

}  // namespace
}  // namespace ert::kernels::testing
