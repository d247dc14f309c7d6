// Row operations in 16 lanes: softmax, LayerNorm. Include a lanes16_<isa>.h first.
#pragma once

#include "kernels_int8/simd/row_parts16.h"

namespace ert::kernels {
namespace {

// Softmax of `columns` side by side, at most 16, each down n values that lie `stride` apart. Lane l of `part` of the row form is a vector here.
inline void softmax_16_columns(size_t n, size_t columns, const float* src, size_t stride, float* dst) {
  const Lanes lowest = broadcast(-__builtin_inff()), zero = broadcast(0.0f);
  const bool whole = columns == 16;
  const auto fetch = [&](const float* p) { return whole ? load(p) : load_first(p, columns); };
  const auto put = [&](float* p, Lanes x) { whole ? store(p, x) : store_first(p, x, columns); };
  Lanes max = lowest, part[16];
  for (size_t i = 0; i < n; ++i) max = larger_number(fetch(src + i * stride), max);
  const Lanes shift = select(max > lowest, max, zero);
  for (size_t l = 0; l < 16; ++l) part[l] = zero;
  for (size_t i = 0; i < n; ++i) {
    const Lanes e = exp_or_zero(fetch(src + i * stride) - shift);
    put(dst + i * stride, e);
    part[i % 16] = part[i % 16] + e;
  }
  for (size_t apart = n > 8 ? 8 : n > 4 ? 4 : n > 2 ? 2 : 1; apart > 0; apart /= 2)  // what is not there is 0
    for (size_t l = 0; l < apart; ++l) part[l] = part[l] + part[l + apart];
  const Lanes factor = select(part[0] > zero, broadcast(1.0f) / part[0], part[0]);  // of 0, and of NaN, itself
  for (size_t i = 0; i < n; ++i) put(dst + i * stride, fetch(dst + i * stride) * factor);
}

inline void softmax_columns16(size_t n, size_t columns, const float* src, size_t stride, float* dst) {
  for (size_t c = 0; c < columns; c += 16) softmax_16_columns(n, columns - c < 16 ? columns - c : 16, src + c, stride, dst + c);
}

constexpr size_t kFewColumns = 8;  // a row of so few leaves most lanes empty: 16 rows at a time are turned

inline void softmax_short_rows16(size_t m, size_t n, const float* src, float* dst) {
  float turned[kFewColumns * 16] = {};
  for (size_t r = 0; r < m; r += 16, src += 16 * n, dst += 16 * n) {
    const size_t rows = m - r < 16 ? m - r : 16;
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < n; ++j) turned[j * 16 + i] = src[i * n + j];
    softmax_16_columns(n, 16, turned, 16, turned);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < n; ++j) dst[i * n + j] = turned[j * 16 + i];
  }
}

inline void softmax_rows16(size_t m, size_t n, const float* src, float* dst) {
  if (n <= kFewColumns && m > 1) return softmax_short_rows16(m, n, src, dst);
  for (size_t r = 0; r < m; ++r, src += n, dst += n) {
    const float sum = exp_row<exp_or_zero<Lanes>>(n, src, shift_of_row(n, src), dst);
    scale_row(n, sum == 0.0f ? 0.0f : 1.0f / sum, dst);
  }
}

struct NormArgs {
  size_t n;
  const float* gamma;
  const float* beta;  // may be null
  float eps;
  bool rms;
};

// x = src (+ residual) to dst and sum_out, returns the canonical sum of x, or of x*x.
template <bool rms>
ERT_LANES float gather_row(size_t n, const float* src, const float* residual, float* dst, float* sum_out) {
  Lanes sum = broadcast(0.0f);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    Lanes x = load(src + i);
    if (residual != nullptr) x = x + load(residual + i);
    if (sum_out != nullptr) store(sum_out + i, x);
    store(dst + i, x);
    sum = sum + (rms ? x * x : x);
  }
  if (i < n) {
    Lanes x = load_first(src + i, n - i);
    if (residual != nullptr) x = x + load_first(residual + i, n - i);
    if (sum_out != nullptr) store_first(sum_out + i, x, n - i);
    store_first(dst + i, x, n - i);
    sum = sum + (rms ? x * x : x);
  }
  return total(sum);
}

ERT_LANES float sum_squared_differences(size_t n, const float* x, float mean_value) {
  const Lanes mean = broadcast(mean_value);
  Lanes sum = broadcast(0.0f);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const Lanes d = load(x + i) - mean;
    sum = sum + d * d;
  }
  if (i < n) {
    const Lanes d = zero_unless(first_lanes(n - i), load_first(x + i, n - i) - mean);
    sum = sum + d * d;
  }
  return total(sum);
}

// dst = (dst - mean) * inv * gamma (+ beta). Subtracting +0 changes nothing, so the rms form needs no second loop.
ERT_LANES void normalize(NormArgs a, float mean_value, float inv_value, float* dst) {
  const Lanes mean = broadcast(mean_value);
  const Lanes inv = broadcast(inv_value);
  size_t i = 0;
  for (; i + 16 <= a.n; i += 16) {
    Lanes y = ((load(dst + i) - mean) * inv) * load(a.gamma + i);
    if (a.beta != nullptr) y = y + load(a.beta + i);
    store(dst + i, y);
  }
  if (i < a.n) {
    const size_t rest = a.n - i;
    Lanes y = ((load_first(dst + i, rest) - mean) * inv) * load_first(a.gamma + i, rest);
    if (a.beta != nullptr) y = y + load_first(a.beta + i, rest);
    store_first(dst + i, y, rest);
  }
}

inline float square_root(float x) { return __builtin_sqrtf(x); }

inline void layernorm_row16(const NormArgs& a, const float* src, const float* residual, float* dst, float* sum_out) {
  const float count = static_cast<float>(a.n);
  float mean = 0.0f;
  float squares;
  if (a.rms) {
    squares = gather_row<true>(a.n, src, residual, dst, sum_out);
  } else {
    mean = gather_row<false>(a.n, src, residual, dst, sum_out) / count;
    squares = sum_squared_differences(a.n, dst, mean);
  }
  normalize(a, mean, 1.0f / square_root(squares / count + a.eps), dst);
}

#ifdef ERT_TWO_NORM_ROWS
// A lanes16_<isa>.h says that LayerNorm takes two rows in turn: the end of a row's sum is a chain, in whose time a core begins with the other.
inline void layernorm_two_rows16(const NormArgs& a, const float* src, const float* residual, float* dst, float* sum_out) {
  const float count = static_cast<float>(a.n);
  float mean[2], squares[2] = {0.0f, 0.0f};
  for (size_t at = 0, r = 0; r < 2; ++r, at += a.n)
    mean[r] = gather_row<false>(a.n, src + at, residual != nullptr ? residual + at : nullptr, dst + at, sum_out != nullptr ? sum_out + at : nullptr) / count;
  for (size_t r = 0; r < 2; ++r) squares[r] = sum_squared_differences(a.n, dst + r * a.n, mean[r]);
  for (size_t r = 0; r < 2; ++r) normalize(a, mean[r], 1.0f / square_root(squares[r] / count + a.eps), dst + r * a.n);
}
#endif

// Four rows of n values, one after the other, side by side.
struct FourRows {
  size_t n;
  ERT_LANES Lanes4 load(const float* p, size_t i) const {
    p += i;
    if (i + 16 <= n) return {kernels::load(p), kernels::load(p + n), kernels::load(p + 2 * n), kernels::load(p + 3 * n)};
    const size_t rest = n - i;
    return {load_first(p, rest), load_first(p + n, rest), load_first(p + 2 * n, rest), load_first(p + 3 * n, rest)};
  }
  ERT_LANES void store(float* p, size_t i, Lanes4 x) const {
    p += i;
    if (i + 16 <= n) {
      kernels::store(p, x.a);
      kernels::store(p + n, x.b);
      kernels::store(p + 2 * n, x.c);
      kernels::store(p + 3 * n, x.d);
      return;
    }
    store_first(p, x.a, n - i);
    store_first(p + n, x.b, n - i);
    store_first(p + 2 * n, x.c, n - i);
    store_first(p + 3 * n, x.d, n - i);
  }
};

// layernorm_row16 for four rows: a row's sums and its square root are chains that leave a core waiting.
template <bool rms>
inline void layernorm_four_rows16(const NormArgs& a, const float* src, const float* residual, float* dst, float* sum_out) {
  const FourRows rows = {a.n};
  const float count = static_cast<float>(a.n);
  const Lanes zero = broadcast(0.0f);
  Lanes4 sum = {zero, zero, zero, zero};
  for (size_t i = 0; i < a.n; i += 16) {
    Lanes4 x = rows.load(src, i);
    if (residual != nullptr) x = x + rows.load(residual, i);
    if (sum_out != nullptr) rows.store(sum_out, i, x);
    rows.store(dst, i, x);
    sum = sum + (rms ? x * x : x);
  }
  Lanes4 mean = {zero, zero, zero, zero};
  if (!rms) {
    mean = {broadcast(total(sum.a) / count), broadcast(total(sum.b) / count), broadcast(total(sum.c) / count),
            broadcast(total(sum.d) / count)};
    sum = {zero, zero, zero, zero};
    for (size_t i = 0; i < a.n; i += 16) {
      Lanes4 d = rows.load(dst, i) - mean;
      if (i + 16 > a.n) {
        const Mask present = first_lanes(a.n - i);
        d = zero_unless(Mask4{present, present, present, present}, d);
      }
      sum = sum + d * d;
    }
  }
  const auto inverse = [&](Lanes squares) { return broadcast(1.0f / square_root(total(squares) / count + a.eps)); };
  const Lanes4 inv = {inverse(sum.a), inverse(sum.b), inverse(sum.c), inverse(sum.d)};
  for (size_t i = 0; i < a.n; i += 16) {
    const size_t rest = a.n - i;
    Lanes4 y = ((rows.load(dst, i) - mean) * inv) * (rest >= 16 ? load(a.gamma + i) : load_first(a.gamma + i, rest));
    if (a.beta != nullptr) y = y + (rest >= 16 ? load(a.beta + i) : load_first(a.beta + i, rest));
    rows.store(dst, i, y);
  }
}

inline void layernorm_rows16(size_t m, const NormArgs& a, const float* src, const float* residual, float* dst, float* sum_out) {
  size_t i = 0;
  if (kRegistersForLanes4) {
    for (; i + 4 <= m; i += 4) {
      const size_t at = i * a.n;
      const auto four_rows = a.rms ? layernorm_four_rows16<true> : layernorm_four_rows16<false>;
      four_rows(a, src + at, residual != nullptr ? residual + at : nullptr, dst + at,
                sum_out != nullptr ? sum_out + at : nullptr);
    }
  }
#ifdef ERT_TWO_NORM_ROWS
  for (; !a.rms && i + 2 <= m; i += 2) {
    const size_t at = i * a.n;
    layernorm_two_rows16(a, src + at, residual != nullptr ? residual + at : nullptr, dst + at, sum_out != nullptr ? sum_out + at : nullptr);
  }
#endif
  for (; i < m; ++i) {
    const size_t at = i * a.n;
    layernorm_row16(a, src + at, residual != nullptr ? residual + at : nullptr, dst + at,
                    sum_out != nullptr ? sum_out + at : nullptr);
  }
}

}  // namespace
}  // namespace ert::kernels
