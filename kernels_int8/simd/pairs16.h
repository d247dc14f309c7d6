// Sums, products and maxima of two rows, sums and maxima of many, and LeakyRelu: what plain loops do, with the registers of the level. Include a lanes16_<isa>.h first.
#pragma once

#include <stddef.h>

namespace ert::kernels {
namespace {

ERT_LANES Lanes sum_of_lanes(Lanes a, Lanes b) { return a + b; }
ERT_LANES Lanes product_of_lanes(Lanes a, Lanes b) { return a * b; }
// NaN wins; of equal values, which subnormals and zeros are, the second. In two choices, as of one alone clang makes a maximum, which makes zeros
// of subnormals.
ERT_LANES Lanes max_of_lanes(Lanes a, Lanes b) { return select(a > b, a, select(a >= a, b, a)); }

template <Lanes (*function)(Lanes, Lanes)>
ERT_LANES void map_pairs16(size_t n, const float* a, const float* b, float* dst) {
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const Lanes first = function(load(a + i), load(b + i)), second = function(load(a + i + 16), load(b + i + 16));
    store(dst + i, first);
    store(dst + i + 16, second);
  }
  for (; i + 16 <= n; i += 16) store(dst + i, function(load(a + i), load(b + i)));
  if (i < n) store_first(dst + i, function(load_first(a + i, n - i), load_first(b + i, n - i)), n - i);
}

// kSide x 16 columns of all rows, in registers.
template <Lanes (*function)(Lanes, Lanes), int kSide>
ERT_LANES void fold_columns16(size_t count, ptrdiff_t step, const float* x, float* acc) {
  Lanes total[kSide];
#pragma GCC unroll 8
  for (int j = 0; j < kSide; ++j) total[j] = load(acc + 16 * j);
  for (size_t i = 0; i < count; ++i, x += step) {
#pragma GCC unroll 8
    for (int j = 0; j < kSide; ++j) total[j] = function(total[j], load(x + 16 * j));
  }
#pragma GCC unroll 8
  for (int j = 0; j < kSide; ++j) store(acc + 16 * j, total[j]);
}

template <Lanes (*function)(Lanes, Lanes)>
ERT_LANES void fold_rows16(size_t count, ptrdiff_t step, size_t n, const float* x, float* acc) {
  constexpr size_t kMost = 4;
  size_t i = 0;
  for (; i + 16 * kMost <= n; i += 16 * kMost) fold_columns16<function, kMost>(count, step, x + i, acc + i);
  for (; i + 16 <= n; i += 16) fold_columns16<function, 1>(count, step, x + i, acc + i);
  if (i == n) return;
  Lanes total = load_first(acc + i, n - i);
  for (size_t row = 0; row < count; ++row) total = function(total, load_first(x + i + static_cast<ptrdiff_t>(row) * step, n - i));
  store_first(acc + i, total, n - i);
}

ERT_LANES Lanes leaky_relu_lanes(Lanes x, Lanes alpha, Lanes least) {
  const Lanes y = select(x < broadcast(0.0f), x * alpha, x);
  return max_of_lanes(least, y);
}

ERT_LANES void leaky_relu16(size_t n, float alpha, float least, const float* src, float* dst) {
  const Lanes a = broadcast(alpha), l = broadcast(least);
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const Lanes first = leaky_relu_lanes(load(src + i), a, l), second = leaky_relu_lanes(load(src + i + 16), a, l);
    store(dst + i, first);
    store(dst + i + 16, second);
  }
  for (; i + 16 <= n; i += 16) store(dst + i, leaky_relu_lanes(load(src + i), a, l));
  if (i < n) store_first(dst + i, leaky_relu_lanes(load_first(src + i, n - i), a, l), n - i);
}

}  // namespace
}  // namespace ert::kernels
