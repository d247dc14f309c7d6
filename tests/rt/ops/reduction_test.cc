// Reduce, MatMul and CumSum: the order of every sum is part of the result, so expectations are exact where it is plain.
#include <gtest/gtest.h>
#include <string.h>

#include <cmath>

#include "kernels_int8/dispatch/dispatch.h"
#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

namespace red = params::reduce;

Dims reduced_dims(const Dims& x, int32_t mask, bool keep) {
  Dims out;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(mask >> i & 1)) out.push_back(x[i]);
    if ((mask >> i & 1) && keep) out.push_back(1);
  }
  return out;
}

double reference(int32_t kind, const std::vector<float>& v) {
  double sum = 0, absolute = 0, square = 0, product = 1, top = -INFINITY, low = INFINITY, exps = 0;
  for (float x : v) {
    sum += x;
    absolute += std::abs(x);
    square += double{x} * x;
    product *= x;
    top = std::max<double>(top, x);
    low = std::min<double>(low, x);
    exps += std::exp(double{x});
  }
  switch (kind) {
    case red::kSum: return sum;
    case red::kMean: return sum / static_cast<double>(v.size());
    case red::kMax: return top;
    case red::kMin: return low;
    case red::kProd: return product;
    case red::kL1: return absolute;
    case red::kL2: return std::sqrt(square);
    case red::kSumSquare: return square;
    case red::kLogSum: return std::log(sum);
    default: return std::log(exps);
  }
}

TEST(Reduce, EveryKindOverEveryMask) {
  const Dims dims = {3, 4, 5, 2};
  for (int32_t mask = 0; mask < 16; ++mask) {
    for (int32_t kind = red::kSum; kind <= red::kLogSumExp; ++kind) {
      const bool keep = kind & 1;
      OpCase c = {&kOpReduce, {noisy(dims, 1)}, {empty(ERT_F32, reduced_dims(dims, mask, keep))}, {kind, mask}, {}, {}};
      std::vector<float> x = c.inputs[0].as<float>();
      for (float& v : x) v = kind == red::kLogSum ? std::abs(v) + 0.1f : v;
      c.inputs[0] = f32(dims, x);
      ASSERT_EQ(run(c), ERT_OK);
      const Dims kept = reduced_dims(dims, mask, true);
      std::vector<std::vector<float>> groups(static_cast<size_t>(c.outputs[0].elements()));
      size_t at = 0;
      for_each_index(dims, [&](const Dims& index) { groups[static_cast<size_t>(broadcast_at(kept, index))].push_back(x[at++]); });
      for (size_t i = 0; i < groups.size(); ++i) {
        const double want = reference(kind, groups[i]);
        ASSERT_NEAR(c.outputs[0].as<float>()[i], want, 1e-5 * (1 + std::abs(want))) << "kind " << kind << " mask " << mask;
      }
    }
  }
}

// Long rows are taken many lanes at a time, which must not show: not in a NaN anywhere, nor in the sign of a zero (the last one's).
TEST(Reduce, ExtremesOfLongRowsAreThoseInIndexOrder) {
  for (int32_t n : {63, 64, 65, 127, 128, 191, 500, 1000}) {
    const auto extreme = [&](int32_t kind, const std::vector<float>& row) {
      return run_for<float>({&kOpReduce, {f32({1, n}, row)}, {empty(ERT_F32, {1})}, {kind, 2}, {}, {}})[0];
    };
    const size_t count = static_cast<size_t>(n);
    for (size_t at : {size_t{0}, size_t{47}, count / 2, count - 1}) {
      std::vector<float> row = noise(count, 3);
      row[at] = 50.0f;
      EXPECT_EQ(extreme(red::kMax, row), 50.0f) << n << " " << at;
      row[at] = -50.0f;
      EXPECT_EQ(extreme(red::kMin, row), -50.0f) << n << " " << at;
      row[at] = NAN;
      EXPECT_TRUE(std::isnan(extreme(red::kMax, row)) && std::isnan(extreme(red::kMin, row))) << n << " " << at;
      for (const float zero : {0.0f, -0.0f}) {
        std::vector<float> zeros(count, -zero);
        for (size_t i = 0; i < at; ++i) zeros[i] = zero;  // behind it: the other sign
        zeros[at] = zero;
        const bool want = std::signbit(at + 1 == count ? zero : -zero);
        EXPECT_EQ(std::signbit(extreme(red::kMax, zeros)), want) << n << " " << at;
        EXPECT_EQ(std::signbit(extreme(red::kMin, zeros)), want) << n << " " << at;
      }
    }
  }
}

// Zeros that are the extreme, before values that are not: the sign is that of the last zero.
TEST(Reduce, ExtremesThatAreZeroAmongOthers) {
  for (const float zero : {0.0f, -0.0f}) {
    std::vector<float> row(100, -1.0f);
    row[3] = -zero;
    row[20] = zero;
    EXPECT_EQ(std::signbit(run_for<float>({&kOpReduce, {f32({1, 100}, row)}, {empty(ERT_F32, {1})}, {red::kMax, 2}, {}, {}})[0]), std::signbit(zero));
    for (float& v : row) v = -v;
    EXPECT_EQ(std::signbit(run_for<float>({&kOpReduce, {f32({1, 100}, row)}, {empty(ERT_F32, {1})}, {red::kMin, 2}, {}, {}})[0]), !std::signbit(zero));
  }
}

TEST(Reduce, LogSumExpOfALongRowIsItsFirstNaN) {
  std::vector<float> row = noise(500, 4);
  const uint32_t first = 0x7fc00123u, second = 0xffc00456u;
  memcpy(&row[65], &first, sizeof first);     // the second lane, whose pair with the first one
  memcpy(&row[130], &second, sizeof second);  // comes after the third lane's
  const float got = run_for<float>({&kOpReduce, {f32({1, 500}, row)}, {empty(ERT_F32, {1})}, {red::kLogSumExp, 2}, {}, {}})[0];
  EXPECT_EQ(memcmp(&got, &first, sizeof got), 0);
}

TEST(Reduce, OuterAxesSumInIndexOrder) {
  const int32_t rows = 50, columns = 700;
  OpCase c = {&kOpReduce, {noisy({rows, columns}, 2)}, {empty(ERT_F32, {columns})}, {red::kSum, 1}, {}, {}};
  ASSERT_EQ(run(c), ERT_OK);
  const std::vector<float> x = c.inputs[0].as<float>(), got = c.outputs[0].as<float>();
  for (size_t j = 0; j < 700; ++j) {
    float sum = 0.0f;
    for (size_t i = 0; i < 50; ++i) sum = sum + x[i * 700 + j];
    ASSERT_EQ(got[j], sum);
  }
}

// Columns are taken some at a time: none may depend on its neighbours.
TEST(Reduce, OuterAxesLogSumExpOfManyColumns) {
  const int32_t rows = 5, columns = 77;
  OpCase c = {&kOpReduce, {noisy({rows, columns}, 6)}, {empty(ERT_F32, {columns})}, {red::kLogSumExp, 1}, {}, {}};
  ASSERT_EQ(run(c), ERT_OK);
  const std::vector<float> x = c.inputs[0].as<float>(), got = c.outputs[0].as<float>();
  for (size_t j = 0; j < 77; ++j) {
    std::vector<float> column;
    for (size_t i = 0; i < 5; ++i) column.push_back(x[i * 77 + j]);
    ASSERT_EQ(got[j],
              run_for<float>({&kOpReduce, {f32({rows, 1}, column)}, {empty(ERT_F32, {1})}, {red::kLogSumExp, 1}, {}, {}})[0])
        << j;
  }
}

TEST(Reduce, TrailingAxesSumInCanonicalOrder) {
  const auto& t = kernels::kernel_table(1u);
  for (const Dims& dims : {Dims{300, 61}, Dims{300, 1}, Dims{4, 1000}}) {
    OpCase c = {&kOpReduce, {noisy(dims, 3)}, {empty(ERT_F32, {dims[0]})}, {red::kSum, 2}, {}, {}};
    ASSERT_EQ(run(c), ERT_OK);
    const std::vector<float> x = c.inputs[0].as<float>();
    const size_t n = static_cast<size_t>(dims[1]);
    for (size_t i = 0; i < c.outputs[0].as<float>().size(); ++i)
      ASSERT_EQ(c.outputs[0].as<float>()[i], t.sum(n, x.data() + i * n));
    for (int32_t kind : {red::kL1, red::kLogSumExp, red::kMean, red::kMax}) {
      c.ints[0] = kind;
      run(c);
    }
  }
}

TEST(Reduce, AppendedZerosChangeNoBit) {
  for (int32_t kind : {red::kSum, red::kL1, red::kL2, red::kSumSquare}) {
    std::vector<float> x = noise(37 * 3, 4);
    OpCase tight = {&kOpReduce, {f32({37, 3}, x)}, {empty(ERT_F32, {3})}, {kind, 1}, {}, {}}, padded = tight;
    x.insert(x.end(), 3 * 20, 0.0f);
    padded.inputs = {f32({57, 3}, x)};
    run(tight);
    run(padded);
    EXPECT_EQ(tight.outputs[0].bytes, padded.outputs[0].bytes) << kind;
  }
}

TEST(Reduce, IntegersAndEdges) {
  const Tensor x = i32({2, 3}, {INT32_MAX, 1, -7, 4, 5, 6});
  const auto ints = [&](int32_t kind, int32_t mask, Dims out) {
    return run_for<int32_t>({&kOpReduce, {x}, {empty(ERT_I32, out)}, {kind, mask}, {}, {}});
  };
  EXPECT_EQ(ints(red::kSum, 2, {2}), (std::vector<int32_t>{INT32_MAX - 6, 15}));
  EXPECT_EQ(ints(red::kMax, 1, {3}), (std::vector<int32_t>{INT32_MAX, 5, 6}));
  EXPECT_EQ(ints(red::kMin, 3, {}), (std::vector<int32_t>{-7}));
  EXPECT_EQ(run_for<int32_t>({&kOpReduce, {i32({}, {-7})}, {empty(ERT_I32, {})}, {red::kMax, 0}, {}, {}}), (std::vector<int32_t>{-7})) << "a scalar";
  EXPECT_EQ(ints(red::kProd, 2, {2, 1}), (std::vector<int32_t>{static_cast<int32_t>(-7u * 0x7fffffffu), 120}));
  const float inf = INFINITY;
  for (int32_t mask : {1, 2}) {  // both orders
    const Tensor rows = mask == 1 ? f32({2, 2}, {-inf, inf, -inf, 0}) : f32({2, 2}, {-inf, -inf, inf, 0});
    EXPECT_EQ(run_for<float>({&kOpReduce, {rows}, {empty(ERT_F32, {2})}, {red::kLogSumExp, mask}, {}, {}}),
              (std::vector<float>{-inf, inf}));
    const Tensor nothing = mask == 1 ? empty(ERT_F32, {0, 2}) : empty(ERT_F32, {2, 0});
    EXPECT_EQ(run_for<float>({&kOpReduce, {nothing}, {empty(ERT_F32, {2})}, {red::kSum, mask}, {}, {}}),
              (std::vector<float>{0, 0}));
    EXPECT_EQ(run_for<float>({&kOpReduce, {nothing}, {empty(ERT_F32, {2})}, {red::kMax, mask}, {}, {}}),
              (std::vector<float>{-inf, -inf}));
    EXPECT_EQ(run_for<float>({&kOpReduce, {nothing}, {empty(ERT_F32, {2})}, {red::kProd, mask}, {}, {}}),
              (std::vector<float>{1, 1}));
  }
}

struct Product {
  Dims a, b, out;
};

TEST(MatMul, BatchesTransposesAndAlpha) {
  const Product products[] = {
      {{1, 1}, {1, 1}, {1, 1}},
      {{3, 5}, {5, 4}, {3, 4}},
      {{2, 3, 5}, {5, 4}, {2, 3, 4}},
      {{3, 5}, {2, 5, 4}, {2, 3, 4}},
      {{2, 1, 3, 5}, {4, 5, 7}, {2, 4, 3, 7}},
      {{70, 40}, {40, 50}, {70, 50}},
      {{3, 0}, {0, 2}, {3, 2}},
      {{2, 33, 9}, {2, 9, 17}, {2, 33, 17}},
  };
  for (const Product& p : products) {
    for (int32_t transpose = 0; transpose < 4; ++transpose) {
      Dims a = p.a, b = p.b;
      if (transpose & 1) std::swap(a[a.size() - 1], a[a.size() - 2]);
      if (transpose & 2) std::swap(b[b.size() - 1], b[b.size() - 2]);
      OpCase c = {&kOpMatMul, {noisy(a, 1), noisy(b, 2)}, {empty(ERT_F32, p.out)}, {transpose}, {}, {}};
      if (transpose == 3) c.floats = {0.25f};
      ASSERT_EQ(run(c), ERT_OK);
      const auto x = c.inputs[0].as<float>(), y = c.inputs[1].as<float>(), got = c.outputs[0].as<float>();
      const Dims a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
      const int64_t m = p.out[p.out.size() - 2], n = p.out.back(), k = p.a.back();
      size_t at = 0;
      for_each_index(p.out, [&](const Dims& index) {
        const Dims batch(index.begin(), index.end() - 2);
        const int64_t i = index[index.size() - 2], j = index.back();
        const int64_t lhs = broadcast_at(a_batch, batch) * m * k, rhs = broadcast_at(b_batch, batch) * k * n;
        float sum = 0.0f;
        for (int64_t kk = 0; kk < k; ++kk) {
          const float l = x[static_cast<size_t>(lhs + (transpose & 1 ? kk * m + i : i * k + kk))];
          sum = sum + l * y[static_cast<size_t>(rhs + (transpose & 2 ? j * k + kk : kk * n + j))];
        }
        ASSERT_EQ(got[at++], transpose == 3 ? sum * 0.25f : sum);
      });
    }
  }
  EXPECT_EQ(macs({&kOpMatMul, {empty(ERT_F32, {2, 3, 5}), empty(ERT_F32, {5, 4})}, {empty(ERT_F32, {2, 3, 4})}, {0}, {}, {}}),
            2u * 3 * 4 * 5);
}

TEST(CumSum, DirectionsAndAxes) {
  const auto sums = [](int32_t axis, int32_t exclusive, int32_t reverse) {
    return run_for<float>(
        {&kOpCumSum, {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {empty(ERT_F32, {2, 3})}, {axis, exclusive, reverse}, {}, {}});
  };
  EXPECT_EQ(sums(1, 0, 0), (std::vector<float>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(sums(1, 1, 0), (std::vector<float>{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(sums(1, 0, 1), (std::vector<float>{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(sums(1, 1, 1), (std::vector<float>{5, 3, 0, 11, 6, 0}));
  EXPECT_EQ(sums(0, 0, 0), (std::vector<float>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(run_for<int32_t>({&kOpCumSum, {i32({2}, {INT32_MAX, 1})}, {empty(ERT_I32, {2})}, {0, 0, 0}, {}, {}}),
            (std::vector<int32_t>{INT32_MAX, INT32_MIN}));
  run_for<float>({&kOpCumSum, {noisy({40, 600}, 1)}, {empty(ERT_F32, {40, 600})}, {0, 0, 0}, {}, {}});
}

}  // namespace
}  // namespace ert::test
