// Fixture of the tests of quantize and int8 GEMM (W8A8 and W8A16): both after each other. The row format between the two is private to a
// level, so quantized values are read through a GEMM with identity weights.
#pragma once

#include <algorithm>
#include <string>

#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/kernels_int8/packed_linear.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {

using ert::testing::GuardedBuffer;

struct LinearCase {
  size_t m, n, k;
  Fill fill = Fill::kNormal;
  WeightFill weights = WeightFill::kRandom;
  bool smooth = false, bias = true;
  Precision precision = Precision::kW8A8;
  Layout layout = Layout::kN16K4;
  Clamp clamp = Clamp::kNone;  // on levels whose products have one
  CacheSizes caches = {};
};

class LinearInt8Test : public LevelTest {
 protected:
  static void run(const LinearKernels& s, const LinearCase& c, const float* src, const float* inv_smooth, const PackedWeights& w,
                  float* dst, RowScale* scales) {
    const size_t row_bytes = s.row_bytes(c.k);
    ASSERT_EQ(row_bytes % 64, 0u);
    ASSERT_LE(row_bytes, max_quantized_row_bytes(c.precision, c.k));
    GuardedBuffer<uint8_t> rows(c.m * row_bytes);
    const ptrdiff_t stride = static_cast<ptrdiff_t>(c.k);
    s.quantize_rows(c.m, c.k, src, stride, inv_smooth, rows.data(), row_bytes, scales);
    s.gemm({c.m, c.n, c.k, rows.data(), row_bytes, scales, w, dst, static_cast<ptrdiff_t>(c.n), false, c.clamp, c.caches});
  }

  // The same by pairs of rows: quantized two at a time, and in products of some and of the rest, as callers with blocks do it.
  static void run_pairs(const LinearKernels& s, const LinearCase& c, const float* src, const float* inv_smooth, const PackedWeights& w,
                        float* dst, RowScale* scales) {
    // With something behind each row, as rows that are handed over have it (W8A8 only).
    const size_t row_bytes = s.row_bytes(c.k) + (c.precision == Precision::kW8A8 && c.m % 3 == 0 ? 64 : 0);
    GuardedBuffer<uint8_t> rows(c.m * row_bytes);
    const ptrdiff_t stride = static_cast<ptrdiff_t>(c.k);
    const size_t step = c.m % 2 != 0 ? 2 : c.m;
    for (size_t i = 0; i < c.m; i += step)
      s.quantize_pairs(std::min(step, c.m - i), c.k, src + i * c.k, stride, inv_smooth, rows.data() + i * row_bytes, row_bytes, scales + i);
    const size_t first = c.m > 4 ? c.m / 4 * 2 : c.m;
    s.gemm({first, c.n, c.k, rows.data(), row_bytes, scales, w, dst, static_cast<ptrdiff_t>(c.n), true, c.clamp, c.caches});
    if (first < c.m)
      s.gemm({c.m - first, c.n, c.k, rows.data() + first * row_bytes, row_bytes, scales + first, w, dst + first * c.n,
              static_cast<ptrdiff_t>(c.n), true, c.clamp, c.caches});
  }

  void compare(const LinearCase& c, SeededRandom& random) {
    GuardedBuffer<float> src(c.m * c.k), inv_smooth(c.k), want(c.m * c.n), got(c.m * c.n);
    GuardedBuffer<RowScale> want_scales(c.m), got_scales(c.m);
    fill_row(src, c.fill, random);
    for (size_t i = 0; i < c.k; ++i) inv_smooth[i] = random.uniform(0.125f, 1.0f);  // y stays finite
    SeededRandom again = random;
    const PackedLinear linear(c.n, c.k, c.weights, random), packed(c.n, c.k, c.weights, again, c.layout);
    const float* smooth = c.smooth ? inv_smooth.data() : nullptr;
    const LinearKernels reference = linear_kernels(ref(), c.precision, Layout::kN16K4);
    run(reference, c, src.data(), smooth, linear.weights(c.bias), want.data(), want_scales.data());
    run(linear_kernels(kernels(), c.precision, c.layout), c, src.data(), smooth, packed.weights(c.bias), got.data(),
        got_scales.data());
    for (size_t i = 0; i < c.m; ++i) {
      ASSERT_TRUE(all_same_bits(1, &want_scales[i].scale, &got_scales[i].scale)) << "scale of row " << i << describe(c);
      ASSERT_EQ(want_scales[i].zero_point, got_scales[i].zero_point) << "row " << i << describe(c);
    }
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << describe(c);
    const LinearKernels own = linear_kernels(kernels(), c.precision, c.layout);
    LinearCase in_pairs = c;
    if (clamps_products(kernels(), c.precision, c.layout)) {
      const bool six = (c.m + c.n + c.k) % 2 != 0;
      in_pairs.clamp = six ? Clamp::kRelu6 : Clamp::kRelu;
      ref().unary[static_cast<size_t>(six ? Unary::kRelu6 : Unary::kRelu)](want.size(), want.data(), want.data());
      run(own, in_pairs, src.data(), smooth, packed.weights(c.bias), got.data(), got_scales.data());
      ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << "clamped" << describe(c);
    }
    if (own.quantize_pairs == nullptr) return;
    run_pairs(own, in_pairs, src.data(), smooth, packed.weights(c.bias), got.data(), got_scales.data());
    for (size_t i = 0; i < c.m; ++i) {
      ASSERT_TRUE(all_same_bits(1, &want_scales[i].scale, &got_scales[i].scale)) << "scale of row " << i << " in pairs" << describe(c);
      ASSERT_EQ(want_scales[i].zero_point, got_scales[i].zero_point) << "row " << i << " in pairs" << describe(c);
    }
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << "in pairs" << describe(c);
  }

  static std::string describe(const LinearCase& c) {
    return " m " + std::to_string(c.m) + " n " + std::to_string(c.n) + " k " + std::to_string(c.k) + " " + fill_name(c.fill) +
           " weights " + std::to_string(static_cast<int>(c.weights)) + " smooth " + std::to_string(c.smooth) + " W8A" +
           (c.precision == Precision::kW8A16 ? "16" : "8") + " layout " + std::to_string(static_cast<int>(c.layout));
  }
};

}  // namespace ert::kernels::testing
