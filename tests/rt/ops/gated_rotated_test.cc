// Rope and Glu: columns of one value that are turned by position, or multiplied with the activation of others.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

OpCase rope(Dims x, int32_t batch_of_tables, int32_t heads, int32_t width, int32_t rotated, int32_t first, bool interleaved) {
  const Dims table{batch_of_tables, x[1], rotated}, out{x[0], x[1], heads * width};
  return {&kOpRope,
          {noisy(x, 1), noisy(table, 2), noisy(table, 3)},
          {empty(ERT_F32, out)},
          {heads, width, rotated, first, interleaved},
          {},
          {}};
}

void expect_rotated(OpCase c) {
  ASSERT_EQ(run(c), ERT_OK);
  const auto x = c.inputs[0].as<float>(), cos = c.inputs[1].as<float>(), sin = c.inputs[2].as<float>(),
             y = c.outputs[0].as<float>();
  const int32_t heads = c.ints[0], width = c.ints[1], rotated = c.ints[2], half = rotated / 2, from = c.inputs[0].dims[2];
  const int32_t rows = c.inputs[0].dims[0] * c.inputs[0].dims[1], table_rows = c.inputs[1].dims[0] * c.inputs[1].dims[1];
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t column = 0; column < heads * width; ++column) {
      const int32_t j = column % width, at = row * from + c.ints[3] + column, angle = row % table_rows * rotated + j;
      const auto element = [](const std::vector<float>& v, int32_t i) { return v[static_cast<size_t>(i)]; };
      float want = element(x, at);
      if (j < rotated) {
        const bool low = c.ints[4] ? j % 2 == 0 : j < half;
        const int32_t distance = c.ints[4] ? 1 : half;
        const float partner = low ? -element(x, at + distance) : element(x, at - distance);
        const float turned = partner * element(sin, angle);
        want = want * element(cos, angle) + turned;
      }
      ASSERT_EQ(element(y, row * heads * width + column), want) << row << " " << column;
    }
  }
}

TEST(Rope, HalvesAndNeighbours) {
  for (const bool interleaved : {false, true}) {
    expect_rotated(rope({2, 5, 24}, 1, 3, 8, 8, 0, interleaved));    // in place is allowed: all columns, from the first
    expect_rotated(rope({2, 5, 40}, 2, 2, 10, 6, 17, interleaved));  // part of the head, tables for every row, a later column
    expect_rotated(rope({1, 1, 2}, 1, 1, 2, 2, 0, interleaved));
    expect_rotated(rope({2, 300, 300}, 1, 1, 300, 298, 0, interleaved));  // longer than a block of pairs, several threads
  }
}

TEST(Rope, RefusesWhatDoesNotFit) {
  const OpCase good = rope({2, 5, 24}, 1, 3, 8, 8, 0, false);
  ASSERT_TRUE(prepares(good));
  const auto refuses = [&](size_t parameter, int32_t value) {
    OpCase bad = good;
    bad.ints[parameter] = value;
    EXPECT_FALSE(prepares(bad)) << parameter << " = " << value;
  };
  refuses(0, 0);
  refuses(0, 4);
  refuses(1, 7);
  refuses(2, 7);
  refuses(2, 10);
  refuses(2, 0);
  refuses(3, 1);
  refuses(3, -1);
  refuses(3, INT32_MAX);
  refuses(4, 2);
  OpCase table = good;
  table.inputs[2] = noisy({3, 5, 8}, 1);
  EXPECT_FALSE(prepares(table));
  table.inputs[2] = noisy({1, 4, 8}, 1);
  EXPECT_FALSE(prepares(table));
}

OpCase glu(Dims a, Dims b, int32_t n, int32_t kind, int32_t a_first, int32_t b_first) {
  Dims out = a;
  out.back() = n;
  return {&kOpGlu, {noisy(std::move(a), 1), noisy(std::move(b), 2)}, {empty(ERT_F32, out)}, {kind, a_first, b_first}, {}, {}};
}

TEST(Glu, EqualsActivationThenProduct) {
  for (const int32_t kind : {static_cast<int32_t>(kernels::Unary::kGeluErf), static_cast<int32_t>(kernels::Unary::kSilu)}) {
    for (const int32_t n : {1, 70, 1100}) {
      OpCase c = glu({3, 2, 2 * n}, {3, 2, n + 5}, n, kind, n, 3);
      ASSERT_EQ(run(c), ERT_OK);
      const auto a = c.inputs[0].as<float>(), b = c.inputs[1].as<float>(), y = c.outputs[0].as<float>();
      for (size_t row = 0, w = static_cast<size_t>(n); row < 6; ++row) {
        OpCase alone = {&kOpUnary,
                        {f32({n}, {a.begin() + static_cast<ptrdiff_t>(row * 2 * w + w),
                                   a.begin() + static_cast<ptrdiff_t>(row * 2 * w + 2 * w)})},
                        {empty(ERT_F32, {n})},
                        {kind},
                        {},
                        {}};
        const std::vector<float> activated = run_for<float>(alone);
        for (size_t i = 0; i < w; ++i) ASSERT_EQ(y[row * w + i], activated[i] * b[row * (w + 5) + 3 + i]);
      }
    }
  }
}

TEST(Glu, RefusesWhatDoesNotFit) {
  ASSERT_TRUE(prepares(glu({3, 8}, {3, 6}, 4, 0, 4, 2)));
  EXPECT_FALSE(prepares(glu({3, 8}, {3, 6}, 4, 0, 5, 2)));
  EXPECT_FALSE(prepares(glu({3, 8}, {3, 6}, 4, 0, 4, 3)));
  EXPECT_FALSE(prepares(glu({3, 8}, {3, 6}, 4, 0, -1, 2)));
  EXPECT_FALSE(prepares(glu({3, 8}, {2, 6}, 4, 0, 4, 2)));
  EXPECT_FALSE(prepares(glu({3, 8}, {3, 1, 6}, 4, 0, 4, 2)));
  EXPECT_FALSE(prepares(glu({3, 8}, {3, 6}, 4, static_cast<int32_t>(kernels::Unary::kCount), 4, 2)));
  EXPECT_FALSE(prepares(glu({3, 8}, {3, 6}, 4, -1, 4, 2)));
}

}  // namespace
}  // namespace ert::test
