// Quantize and int8 GEMM of rows that hold infinities, NaNs, or values whose range overflows: every level says NaN, in those rows only.
#include <cmath>
#include <cstring>

#include "tests/kernels_int8/linear_int8.h"

namespace ert::kernels::testing {
namespace {

class LinearInt8Overflow : public LinearInt8Test {};

// A row that overflows is NaN in all outputs, wherever in it that happened and whatever is beside it; other rows keep their bits.
TEST_P(LinearInt8Overflow, ARowThatOverflowsIsNaNInAllItsOutputs) {
  const float inf = __builtin_inff(), nan = __builtin_nanf(""), most = 3.40282347e+38f;
  const size_t m = 5, n = 19;
  SeededRandom random("a row that overflows");
  for (const Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    for (const size_t k : {1, 2, 7, 16, 33, 64, 200}) {
      for (const bool smooth : {false, true}) {
        const PackedLinear linear(n, k, WeightFill::kRandom, random);
        GuardedBuffer<float> inv_smooth(k), want(m * n), got(m * n);
        for (size_t i = 0; i < k; ++i) inv_smooth[i] = 2.0f;
        for (size_t at = 0; at < k; at += 1 + k / 9) {
          for (const float bad : {inf, -inf, nan, -nan, most, -most}) {
            const bool overflows = bad != most && bad != -most;
            GuardedBuffer<float> src(m * k);
            fill_row(src, Fill::kNormal, random);
            src[k + at] = bad;
            GuardedBuffer<RowScale> scales(m);
            const LinearCase c{m, n, k, Fill::kNormal, WeightFill::kRandom, smooth, true, precision};
            const float* factors = smooth ? inv_smooth.data() : nullptr;
            run(linear_kernels(ref(), precision, Layout::kN16K4), c, src.data(), factors, linear.weights(true), want.data(),
                scales.data());
            run(linear_kernels(kernels(), precision, Layout::kN16K4), c, src.data(), factors, linear.weights(true), got.data(),
                scales.data());
            for (size_t i = 0; i < m * n; ++i) {
              const bool in_row = i / n == 1;
              if (in_row && (overflows || smooth)) {  // twice the largest float is infinite
                ASSERT_TRUE(std::isnan(want[i]) && std::isnan(got[i]))
                    << bad << " at " << at << " of " << k << ": " << want[i] << " " << got[i];
              } else {
                ASSERT_TRUE(all_same_bits(1, &want[i], &got[i])) << bad << " at " << at << " of " << k << ", output " << i;
                ASSERT_TRUE(in_row || !std::isnan(got[i])) << i;
              }
            }
          }
        }
      }
    }
  }
}

// An exponential behind the product makes numbers of other NaNs, and levels disagreed about whose payload stays.
TEST_P(LinearInt8Overflow, ANaNWithAPayloadGivesAScaleWithoutOne) {
  SeededRandom random("a NaN with a payload");
  const size_t m = 5, n = 5;  // levels quantize few rows and many in different ways
  for (const uint32_t payload : {0xfffffe41u, 0x7fc12345u}) {
    float bad;
    std::memcpy(&bad, &payload, sizeof bad);
    for (const Precision precision : {Precision::kW8A8, Precision::kW8A16})
      for (const size_t k : {1, 16, 40, 200})
        for (const bool smooth : {false, true}) {
          const PackedLinear linear(n, k, WeightFill::kRandom, random);
          GuardedBuffer<float> src(m * k), inv_smooth(k), got(m * n);
          GuardedBuffer<RowScale> scales(m);
          fill_row(src, Fill::kNormal, random);
          for (size_t i = 0; i < k; ++i) inv_smooth[i] = 1.0f;
          (smooth ? inv_smooth[k - 1] : src[2 * k - 1]) = bad;
          for (const KernelTable* table : {&ref(), &kernels()}) {
            const LinearCase c{m, n, k, Fill::kNormal, WeightFill::kRandom, smooth, true, precision};
            run(linear_kernels(*table, precision, Layout::kN16K4), c, src.data(), smooth ? inv_smooth.data() : nullptr,
                linear.weights(true), got.data(), scales.data());
            uint32_t bits;
            std::memcpy(&bits, &scales[1].scale, sizeof bits);
            EXPECT_EQ(bits & 0x7fffffffu, 0x7fc00000u) << k << " " << smooth;
          }
        }
  }
}

// Both ends finite, their distance not: 8 bits with a zero point span it.
TEST_P(LinearInt8Overflow, ARangeThatOverflowsIsNaN) {
  SeededRandom random("a range that overflows");
  const size_t k = 40, n = 5;
  const PackedLinear linear(n, k, WeightFill::kRandom, random);
  GuardedBuffer<float> src(k), got(n);
  fill_row(src, Fill::kNormal, random);
  src[3] = 3e38f;
  src[37] = -3e38f;
  GuardedBuffer<RowScale> scales(1);
  for (const KernelTable* table : {&ref(), &kernels()}) {
    run(linear_kernels(*table, Precision::kW8A8, Layout::kN16K4), {1, n, k}, src.data(), nullptr, linear.weights(true),
        got.data(), scales.data());
    for (size_t i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(got[i])) << i;
  }
}

ERT_INSTANTIATE_LEVELS(LinearInt8Overflow);

}  // namespace
}  // namespace ert::kernels::testing
