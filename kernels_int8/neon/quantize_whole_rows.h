// Rows of W8A8 that are whole blocks of 16 values, with as few vector operations as their bytes need. Only the highest value of a row can round to 256 (the lowest rounds
// to 0 exactly, as its zero point does), which is seen before; in all other rows bytes are added modulo 256 and not clamped. Include neon/quantize_row.h and simd/elementary16.h first. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

namespace ert::kernels {
namespace {

struct RowRange {
  float32x4_t lo = vdupq_n_f32(-0.0f), hi = vdupq_n_f32(0.0f);
  ERT_LANES void see(Lanes y) {
    lo = vminq_f32(vminq_f32(vminq_f32(y.q0, y.q1), vminq_f32(y.q2, y.q3)), lo);
    hi = vmaxq_f32(vmaxq_f32(vmaxq_f32(y.q0, y.q1), vmaxq_f32(y.q2, y.q3)), hi);
  }
};

// Calls store(i, bytes) for values i to i + 15, or store(i, bytes, more) for twice as many; values(i) reads sixteen.
template <class Values, class Store>
ERT_LANES RowScale quantize_in_range(size_t k, const RowRange& range, const Values& values, const Store& store) {
  const float highest = largest_of(range.hi);
  const Qa8Steps steps = qa8_steps(smallest_of(range.lo), highest);
  const Lanes factor = broadcast(steps.inv);
  const int32_t offset = steps.scale.zero_point - 128;
  if (steps.inv == 0.0f || nearest_integer(highest * steps.inv) + offset > 127) {
    for (size_t i = 0; i < k; i += 16) store(i, bytes_of(rounded(values(i) * factor, offset)));
    return steps.scale;
  }
  const int8x16_t offsets = vdupq_n_s8(static_cast<int8_t>(offset));
  const auto bytes = [&](size_t i) __attribute__((always_inline)) { return vaddq_s8(low_bytes(rounded(values(i) * factor)), offsets); };
  size_t i = 0;
  for (; i + 32 <= k; i += 32) store(i, bytes(i), bytes(i + 16));
  if (i < k) store(i, bytes(i));
  return steps.scale;
}

template <bool kSmooth>
struct RowValues {
  const float *src, *inv_smooth;
  ERT_LANES Lanes operator()(size_t i) const { return kSmooth ? load(src + i) * load(inv_smooth + i) : load(src + i); }
};

// Two rows in turn, so that a core has work while it waits for the range of the first: store_of(r) stores the bytes of row r.
template <bool kSmooth, class StoreOf>
ERT_LANES void quantize_whole_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, RowScale* scales,
                                   const StoreOf& store_of) {
  for (size_t r = 0; r < m; r += 2, src += 2 * src_stride) {
    const size_t rows = m - r < 2 ? 1 : 2;
    RowRange range[2];
    for (size_t j = 0; j < rows; ++j) {
      const RowValues<kSmooth> values = {src + static_cast<ptrdiff_t>(j) * src_stride, inv_smooth};
      RowRange seen;
      for (size_t i = 0; i < k; i += 16) seen.see(values(i));
      range[j] = seen;
    }
    for (size_t j = 0; j < rows; ++j)
      scales[r + j] = quantize_in_range(k, range[j], RowValues<kSmooth>{src + static_cast<ptrdiff_t>(j) * src_stride, inv_smooth}, store_of(r + j));
  }
}

// The row is left as what is quantized.
template <bool kSmooth, class Store>
ERT_LANES RowScale gelu_quantize_whole_row(size_t k, float* src, const float* inv_smooth, const Store& store) {
  RowRange range;
  for (size_t i = 0; i < k; i += 16) {
    const Lanes gelu = gelu_coarse(load(src + i)), y = kSmooth ? gelu * load(inv_smooth + i) : gelu;
    range.see(y);
    kernels::store(src + i, y);
  }
  return quantize_in_range(k, range, RowValues<false>{src, nullptr}, store);
}

}  // namespace
}  // namespace ert::kernels
