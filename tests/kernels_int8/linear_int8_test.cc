// Quantize and int8 GEMM (W8A8 and W8A16) of every level against the reference, bit for bit. Every layout of the weights must give the bits of
// N16K4, by a kernel of the level or through the reference.
#include <algorithm>
#include <cstring>

#include "tests/kernels_int8/linear_int8.h"

namespace ert::kernels::testing {
namespace {

constexpr Layout kOtherLayouts[] = {Layout::kN8K8, Layout::kN2K16};

TEST_P(LinearInt8Test, OtherLayouts) {
  SeededRandom random;
  for (Layout layout : kOtherLayouts) {
    for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
      const auto check = [&](size_t m, size_t n, size_t k, Fill fill, WeightFill weights) {
        compare({m, n, k, fill, weights, false, (n & 1) != 0, precision, layout}, random);
      };
      for (size_t m : {1, 2, 3, 4, 5, 7, 8, 9, 17}) {
        for (size_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 65}) check(m, n, 37, Fill::kNormal, WeightFill::kRandom);
      }
      for (size_t k : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 384, 1537}) check(5, 19, k, Fill::kNormal, WeightFill::kRandom);
      for (int weights = 0; weights < static_cast<int>(WeightFill::kCount); ++weights) {
        for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill)
          check(5, 21, 333, static_cast<Fill>(fill), static_cast<WeightFill>(weights));
      }
      check(1, 3, 65000, Fill::kConstant, WeightFill::kAll127);
    }
  }
}

TEST_P(LinearInt8Test, QuantizedValues) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (size_t k : {1, 3, 4, 8, 15, 16, 17, 24, 31, 32, 33, 40, 48, 56, 63, 64, 65, 96, 100, 127, 129, 144, 190, 200}) {
        for (bool smooth : {false, true})
          for (size_t m : {3, 21})
            compare({m, k, k, static_cast<Fill>(fill), WeightFill::kIdentity, smooth, false, precision}, random);
      }
    }
  }
}

// Levels find the ranges of several rows at once, and may leave out the least values where all of them are 0.
TEST_P(LinearInt8Test, OneRowBelowZeroAmongOthersAboveIt) {
  SeededRandom random;
  const LinearKernels s = linear_kernels(kernels(), Precision::kW8A8, Layout::kN16K4),
                      reference = linear_kernels(ref(), Precision::kW8A8, Layout::kN16K4);
  constexpr size_t m = 16;
  for (size_t k : {5, 16, 24, 32, 48, 64, 65, 96, 128, 144, 160, 192, 256})
    for (size_t below = 0; below <= m; ++below) {
      GuardedBuffer<float> src(m * k), want(m * k), got(m * k);
      GuardedBuffer<RowScale> want_scales(m), got_scales(m);
      for (size_t i = 0; i < src.size(); ++i) src[i] = random.uniform(0.0f, 6.0f);
      if (below < m) src[below * k + k - 1] = -1.0f;
      const PackedLinear linear(k, k, WeightFill::kIdentity, random);
      run(reference, {m, k, k}, src.data(), nullptr, linear.weights(false), want.data(), want_scales.data());
      run(s, {m, k, k}, src.data(), nullptr, linear.weights(false), got.data(), got_scales.data());
      ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << k << " values, row " << below;
    }
}

// Where sums start is found for all rows at once where their zero points are the same, and in fp32 where sums of columns are small enough.
TEST_P(LinearInt8Test, RowsOfOneZeroPointAndOfMany) {
  SeededRandom random;
  for (WeightFill weights : {WeightFill::kRandom, WeightFill::kAll127, WeightFill::kAllMinus127, WeightFill::kSmall}) {
    for (Fill fill : {Fill::kNegativeConstant, Fill::kConstant, Fill::kNormal, Fill::kNearTheLeast}) {
      for (size_t m : {3, 5, 127, 128, 129})
        for (size_t k : {4, 24, 64, 128, 129, 130, 160, 256, 288}) compare({m, 300, k, fill, weights}, random);
    }
  }
}

TEST_P(LinearInt8Test, RowAndColumnTails) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    for (size_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17}) {
      for (size_t n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 95, 96, 97, 100, 145}) {
        compare({m, n, 37, Fill::kNormal, WeightFill::kRandom, false, (n & 1) != 0, precision}, random);
      }
    }
  }
}

// Rows that are left behind those of whole tiles: a level may do them for several panels at a time, and whole tiles for so many in turn as a near cache holds.
TEST_P(LinearInt8Test, RowsBehindWholeTiles) {
  SeededRandom random;
  for (size_t m = 2; m <= 20; ++m) {
    for (size_t k : {128, 253, 1030}) {
      for (size_t n : {31, 96, 300}) compare({m, n, k, Fill::kNormal, WeightFill::kRandom, false, m % 2 != 0}, random);
    }
  }
}

TEST_P(LinearInt8Test, DepthTails) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    for (size_t k : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 384, 1536, 3072, 4001}) {
      for (size_t m : {1, 2, 7}) compare({m, 19, k, Fill::kNormal, WeightFill::kRandom, true, true, precision}, random);
    }
  }
}

// One row takes several panels side by side where the weights are few (up to 32 or 64 KiB) and one after the other where they are many.
TEST_P(LinearInt8Test, OneRow) {
  SeededRandom random;
  for (int w = 0; w < static_cast<int>(WeightFill::kCount); ++w)
    for (size_t k : {1, 4, 5, 8, 12, 15, 31, 72, 128, 255, 256, 257, 511, 513})
      for (size_t n : {48, 63, 64, 65, 79, 113, 128, 129, 200})
        compare(
            {1, n, k, static_cast<Fill>(k % static_cast<size_t>(Fill::kCount)), static_cast<WeightFill>(w), false, n % 2 != 0},
            random);
}

// From 64 KiB of weights on some levels fetch the next columns while they multiply: in the second of several blocks of rows, or in the
// second to fourth of four and more. Every height of such blocks, and a last group that is cut (113 columns) and one that is not.
TEST_P(LinearInt8Test, WeightsBeyondTheNearCache) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    for (size_t m : {4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 21, 24, 25, 26, 29, 32, 33, 40, 41}) {
      for (size_t n : {113, 144}) compare({m, n, 1012, Fill::kNormal, WeightFill::kRandom, false, true, precision}, random);
    }
  }
}

// Levels that sum the products of two or four lines in int16 where they fit, because of the row's values, or of the weights, do the second from 12 rows on, of
// two panels from 24 on, and the first of two panels from 5 on; some mark 128 lines a word.
TEST_P(LinearInt8Test, ProductsThatJustFitInt16) {
  SeededRandom random;
  for (WeightFill weights : {WeightFill::kSumsOf255Or256, WeightFill::kSumsOf252Or253, WeightFill::kSmall, WeightFill::kRandom,
                             WeightFill::kAll127, WeightFill::kAllMinus127}) {
    for (Fill fill : {Fill::kNegativeConstant, Fill::kConstant, Fill::kNormal, Fill::kSumsOf256Or257, Fill::kNearTheLeast}) {
      for (size_t m : {1, 2, 5, 11, 12, 13, 15}) {
        for (size_t k : {4, 8, 12, 31, 508, 512, 516, 1101}) compare({m, 37, k, fill, weights}, random);
      }
      for (size_t m : {4, 5, 7, 24, 29}) {
        for (size_t k : {8, 31, 516}) compare({m, 85, k, fill, weights}, random);
      }
      compare({140, 85, 516, fill, weights}, random);  // more rows than have their marks at a time
    }
  }
}

TEST_P(LinearInt8Test, ExtremeWeightsAndActivations) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    for (int weights = 0; weights < static_cast<int>(WeightFill::kCount); ++weights) {
      for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
        for (size_t m : {5, 13, 25})
          compare({m, 50, 777, static_cast<Fill>(fill), static_cast<WeightFill>(weights), false, true, precision}, random);
      }
    }
  }
}

// One row may be quantized where it lies, of every length: the same scale, and the same products.
TEST_P(LinearInt8Test, OneRowInPlace) {
  SeededRandom random;
  const LinearKernels s = linear_kernels(kernels(), Precision::kW8A8, Layout::kN16K4);
  for (size_t k = 1; k <= 80; ++k) {
    const size_t row_bytes = s.row_bytes(k), n = 17;
    const PackedLinear linear(n, k, WeightFill::kRandom, random);
    GuardedBuffer<float> src(std::max(round_up(k, 16), row_bytes / sizeof(float)));
    GuardedBuffer<uint8_t> apart(row_bytes);
    fill_row(src, Fill::kNormal, random);
    RowScale scales[2];
    std::vector<float> want(n), got(n);
    s.quantize_rows(1, k, src.data(), static_cast<ptrdiff_t>(k), nullptr, apart.data(), row_bytes, scales);
    s.quantize_rows(1, k, src.data(), static_cast<ptrdiff_t>(k), nullptr, src.data(), row_bytes, scales + 1);
    s.gemm({1, n, k, apart.data(), row_bytes, scales, linear.weights(true), want.data(), static_cast<ptrdiff_t>(n)});
    s.gemm({1, n, k, src.data(), row_bytes, scales + 1, linear.weights(true), got.data(), static_cast<ptrdiff_t>(n)});
    ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << k;
  }
}

// gelu_quantize_rows against the reference, in place as a Linear calls it, and against the two kernels that it stands for.
TEST_P(LinearInt8Test, GeluBeforeQuantizing) {
  SeededRandom random;
  const KernelTable& t = kernels();
  const auto bits = [](const KernelTable& table, size_t k, GuardedBuffer<float>& row, const float* smooth, bool apart,
                       const PackedLinear& linear, float* dst, RowScale* scale) {
    const LinearKernels s = linear_kernels(table, Precision::kW8A8, Layout::kN16K4);
    const size_t row_bytes = s.row_bytes(k);
    GuardedBuffer<uint8_t> room(std::max(row_bytes, k * sizeof(float)));
    float* x = static_cast<float*>(static_cast<void*>(room.data()));
    std::memcpy(x, row.data(), k * sizeof(float));
    if (apart) {
      table.unary[static_cast<int>(Unary::kGeluCoarse)](k, x, x);
      s.quantize_rows(1, k, x, static_cast<ptrdiff_t>(k), smooth, x, row_bytes, scale);
    } else {
      table.gelu_quantize_rows(1, k, x, static_cast<ptrdiff_t>(k), smooth, x, row_bytes, scale);
    }
    s.gemm({1, k, k, x, row_bytes, scale, linear.weights(false), dst, static_cast<ptrdiff_t>(k)});
  };
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    for (size_t k : {1, 4, 15, 16, 17, 63, 64, 65, 100, 128, 200, 333}) {
      for (bool smooth : {false, true}) {
        GuardedBuffer<float> row(k), inv_smooth(k), want(k), together(k), apart(k);
        fill_row(row, static_cast<Fill>(fill), random);
        for (size_t i = 0; i < k; ++i) inv_smooth[i] = random.uniform(0.125f, 1.0f);
        const float* factors = smooth ? inv_smooth.data() : nullptr;
        const PackedLinear linear(k, k, WeightFill::kIdentity, random);
        RowScale scale[3];
        bits(ref(), k, row, factors, false, linear, want.data(), &scale[0]);
        bits(t, k, row, factors, false, linear, together.data(), &scale[1]);
        bits(t, k, row, factors, true, linear, apart.data(), &scale[2]);
        const std::string what = fill_name(static_cast<Fill>(fill)) + std::string(" k ") + std::to_string(k);
        for (int i = 1; i < 3; ++i) {
          EXPECT_TRUE(all_same_bits(1, &scale[0].scale, &scale[i].scale)) << what;
          EXPECT_EQ(scale[0].zero_point, scale[i].zero_point) << what;
        }
        ASSERT_TRUE(all_same_bits(k, want.data(), together.data())) << what;
        ASSERT_TRUE(all_same_bits(k, want.data(), apart.data())) << what;
      }
    }
  }
}

// The deepest k that the converter accepts, with every product at its largest.
TEST_P(LinearInt8Test, DeepestSumIsExact) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    compare({2, 3, 65000, Fill::kConstant, WeightFill::kAll127, false, true, precision}, random);
    compare({1, 17, 65000, Fill::kAlternating, WeightFill::kAlternating, false, true, precision}, random);
  }
}

// Rows do not depend on the rows around them.
TEST_P(LinearInt8Test, BatchDoesNotMatter) {
  SeededRandom random;
  for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
    const LinearKernels s = linear_kernels(kernels(), precision, Layout::kN16K4);
    constexpr size_t m = 13, n = 53, k = 70;
    GuardedBuffer<float> src(m * k), together(m * n), alone(n);
    GuardedBuffer<RowScale> scales(m);
    fill_row(src, Fill::kNormal, random);
    const PackedLinear linear(n, k, WeightFill::kRandom, random);
    LinearCase c = {m, n, k};
    c.precision = precision;
    run(s, c, src.data(), nullptr, linear.weights(true), together.data(), scales.data());
    c.m = 1;
    for (size_t i = 0; i < m; ++i) {
      run(s, c, src.data() + i * k, nullptr, linear.weights(true), alone.data(), scales.data());
      ASSERT_TRUE(all_same_bits(n, together.data() + i * n, alone.data())) << i;
    }
  }
}

// Rows that are near the least value in one call: an odd number of lines, tiles of one and two panels, more rows than have their marks at a time.
TEST_P(LinearInt8Test, LongRowsNearTheLeastValue) {
  SeededRandom random;
  for (WeightFill weights : {WeightFill::kRandom, WeightFill::kAll127, WeightFill::kAllMinus127}) {
    for (size_t k : {1024, 1025, 1030}) {
      for (size_t m : {1, 2, 3, 5, 24, 29, 140}) {
        compare({m, 85, k, Fill::kNearTheLeast, weights}, random);
        compare({m, 17, k, Fill::kNearTheLeast, weights, true}, random);
      }
    }
  }
}

// A level may give rows that were quantized by different calls different forms (loops/low_rows.h).
TEST_P(LinearInt8Test, RowsOfDifferentCallsInOneProduct) {
  SeededRandom random;
  const LinearKernels s = linear_kernels(kernels(), Precision::kW8A8, Layout::kN16K4);
  constexpr size_t n = 85, k = 1026;
  const size_t row_bytes = s.row_bytes(k);
  for (const size_t m : {2, 13, 40, 200}) {
    GuardedBuffer<float> row(k), want(m * n), got(m * n);
    GuardedBuffer<RowScale> scales(m);
    GuardedBuffer<uint8_t> rows(m * row_bytes);
    const PackedLinear linear(n, k, WeightFill::kRandom, random);
    for (size_t i = 0; i < m; ++i) {
      fill_row(row, i % 7 < 3 || i > 100 ? Fill::kNearTheLeast : Fill::kNormal, random);
      s.quantize_rows(1, k, row.data(), static_cast<ptrdiff_t>(k), nullptr, rows.data() + i * row_bytes, row_bytes, &scales[i]);
      run(linear_kernels(ref(), Precision::kW8A8, Layout::kN16K4), {1, n, k}, row.data(), nullptr, linear.weights(true),
          want.data() + i * n, &scales[i]);
    }
    s.gemm({m, n, k, rows.data(), row_bytes, scales.data(), linear.weights(true), got.data(), static_cast<ptrdiff_t>(n)});
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << m;
  }
}

ERT_INSTANTIATE_LEVELS(LinearInt8Test);

}  // namespace
}  // namespace ert::kernels::testing
