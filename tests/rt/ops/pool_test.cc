// Pool against its definition, and what prepare refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

constexpr int32_t kMax = params::pool::kMax, kSum = params::pool::kSum;

// Along one axis of x.
struct Pooling {
  int32_t kind, axis, kernel, stride, dilation, begin, end;
  int32_t windows(int32_t size) const { return (size + begin + end - dilation * (kernel - 1) - 1) / stride + 1; }
};

OpCase pool(Tensor x, const Pooling& p) {
  Dims out = x.dims;
  out[static_cast<size_t>(p.axis)] = p.windows(x.dims[static_cast<size_t>(p.axis)]);
  return {&kOpPool, {std::move(x)}, {empty(ERT_F32, out)}, {p.kind, p.axis, p.kernel, p.stride, p.dilation, p.begin, p.end}, {}, {}};
}

void expect_pooled(const Dims& dims, const Pooling& p) {
  OpCase c = pool(noisy(dims, 3), p);
  ASSERT_EQ(run(c), ERT_OK);
  const auto x = c.inputs[0].as<float>(), y = c.outputs[0].as<float>();
  int32_t outer = 1, inner = 1;
  for (int32_t i = 0; i < p.axis; ++i) outer *= dims[static_cast<size_t>(i)];
  for (size_t i = static_cast<size_t>(p.axis) + 1; i < dims.size(); ++i) inner *= dims[i];
  const int32_t size = dims[static_cast<size_t>(p.axis)], windows = p.windows(size);
  for (int32_t a = 0; a < outer; ++a) {
    for (int32_t o = 0; o < windows; ++o) {
      for (int32_t j = 0; j < inner; ++j) {
        float want = 0;
        bool first = true;
        for (int32_t k = 0; k < p.kernel; ++k) {
          const int32_t at = o * p.stride - p.begin + k * p.dilation;
          if (at < 0 || at >= size) continue;
          const float v = x[static_cast<size_t>((a * size + at) * inner + j)];
          want = first ? v : p.kind == kMax ? std::fmax(want, v) : want + v;
          first = false;
        }
        ASSERT_EQ(y[static_cast<size_t>((a * windows + o) * inner + j)], want) << a << " " << o << " " << j;
      }
    }
  }
}

TEST(Pool, EqualsItsDefinition) {
  for (const int32_t kind : {kMax, kSum}) {
    for (const int32_t kernel : {1, 2, 3, 5}) {
      for (const int32_t stride : {1, 2, 4}) {
        expect_pooled({2, 17, 6}, {kind, 1, kernel, stride, 1, 0, 0});
        expect_pooled({2, 17, 6}, {kind, 1, kernel, stride, 1, kernel - 1, kernel / 2});
        expect_pooled({2, 17, 6}, {kind, 1, kernel, stride, 2, 2 * (kernel - 1), kernel - 1});
        expect_pooled({3, 4, 19}, {kind, 2, kernel, stride, 1, kernel / 2, kernel - 1});  // an element each
        expect_pooled({19, 5}, {kind, 0, kernel, stride, 3, 0, 0});
      }
    }
    expect_pooled({1, 1500, 33}, {kind, 1, 3, 1, 1, 1, 1});  // more than a cache's worth of windows at once, on several threads
    expect_pooled({1, 40, 2500}, {kind, 1, 2, 2, 1, 0, 0});
    expect_pooled({1, 3, 4, 5, 2}, {kind, 2, 2, 2, 1, 0, 0});
  }
}

TEST(Pool, NanPassesOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const Dims& dims : {Dims{8}, Dims{8, 1}}) {
    OpCase c = pool(f32(dims, {nan, 1, 2, nan, -infinity, -infinity, 3, infinity}), {kMax, 0, 2, 2, 1, 0, 0});
    const std::vector<float> y = run_for<float>(c);
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_TRUE(std::isnan(y[1]));
    EXPECT_EQ(y[2], -infinity);
    EXPECT_EQ(y[3], infinity);
  }
}

TEST(Pool, RefusesWhatDoesNotFit) {
  const Pooling good{kMax, 1, 3, 2, 1, 2, 1};
  ASSERT_TRUE(prepares(pool(noisy({2, 9, 4}, 1), good)));
  const auto refuses = [&](size_t at, int32_t value) {
    OpCase bad = pool(noisy({2, 9, 4}, 1), good);
    bad.ints[at] = value;
    EXPECT_FALSE(prepares(bad)) << at << " = " << value;
  };
  refuses(0, 2);
  refuses(0, -1);
  refuses(1, 0);
  refuses(1, 3);
  refuses(1, -1);
  for (const int32_t v : {0, 1, -1, INT32_MAX, INT32_MIN}) refuses(2, v);
  for (const int32_t v : {0, 1, -1, INT32_MAX}) refuses(3, v);
  for (const int32_t v : {0, -1, INT32_MAX}) refuses(4, v);
  for (const int32_t v : {6, -6, INT32_MAX, INT32_MIN}) refuses(5, v);
  for (const int32_t v : {6, -6, INT32_MAX, INT32_MIN}) refuses(6, v);
  EXPECT_FALSE(prepares(pool(noisy({2, 9, 4}, 1), {kMax, 1, 3, 1, 1, 3, 0})));   // a window in front of the axis
  EXPECT_FALSE(prepares(pool(noisy({2, 9, 4}, 1), {kMax, 1, 3, 1, 1, 0, 3})));   // behind it
  EXPECT_FALSE(prepares(pool(noisy({2, 2, 4}, 1), {kMax, 1, 2, 1, 3, 2, 2})));   // one that steps over it
  OpCase ranks = pool(noisy({2, 9, 4}, 1), good);
  ranks.outputs[0] = empty(ERT_F32, {2, 5, 4, 1});
  EXPECT_FALSE(prepares(ranks));
  OpCase sizes = pool(noisy({2, 9, 4}, 1), good);
  sizes.outputs[0] = empty(ERT_F32, {2, 5, 3});
  EXPECT_FALSE(prepares(sizes));
}

}  // namespace
}  // namespace ert::test
