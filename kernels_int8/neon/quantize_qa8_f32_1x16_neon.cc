// Rows of fp32 to bytes q - 128 with a zero point per row.
#include "kernels_int8/neon/quantize_row.h"
#ifdef __aarch64__
#include "kernels_int8/neon/quantize_short_rows.h"
#include "kernels_int8/simd/elementary16.h"
// What is written in these two comes behind them.
#include "kernels_int8/neon/quantize_whole_rows.h"
#endif
#include "kernels_int8/neon/row_format.h"
#include "kernels_int8/ref/gelu_quantize.h"

namespace ert::kernels {
#ifdef __aarch64__
namespace {

constexpr bool is_whole(size_t k) { return k > 64 && k % 16 == 0; }

struct RowBytes {
  int8_t* dst;
  ERT_LANES void operator()(size_t i, int8x16_t q) const { vst1q_s8(dst + i, q); }
  ERT_LANES void operator()(size_t i, int8x16_t q, int8x16_t more) const { store_pair(dst + i, q, more); }
};

template <bool kSmooth>
void quantize_rows_apart(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, int8_t* dst,
                         size_t row_bytes, RowScale* scales) {
  quantize_whole_rows<kSmooth>(m, k, src, src_stride, inv_smooth, scales,
                               [=](size_t r) __attribute__((always_inline)) { return RowBytes{dst + r * row_bytes}; });
}

template <bool kSmooth>
void gelu_quantize_rows_apart(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, int8_t* dst,
                              size_t row_bytes, RowScale* scales) {
  for (size_t r = 0; r < m; ++r, src += src_stride, dst += row_bytes)
    scales[r] = gelu_quantize_whole_row<kSmooth>(k, src, inv_smooth, RowBytes{dst});
}

}  // namespace
#endif

size_t rowbytes_qa8_f32_1x16_neon(size_t k) { return digit_bytes(k); }

void quantize_qa8_f32_1x16_neon(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
#ifdef __aarch64__
  switch (k) {
    case 16: return quantize_short_rows<2>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 24: return quantize_short_rows<3>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 32: return quantize_short_rows<4>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 40: return quantize_short_rows<5>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 48: return quantize_short_rows<6>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 56: return quantize_short_rows<7>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
    case 64: return quantize_short_rows<8>(m, src, src_stride, inv_smooth, dst, row_bytes, scales);
  }
  if (is_whole(k)) {
    const auto quantize = inv_smooth != nullptr ? quantize_rows_apart<true> : quantize_rows_apart<false>;
    return quantize(m, k, src, src_stride, inv_smooth, static_cast<int8_t*>(dst), row_bytes, scales);
  }
  if (k > 16 && k % 16 != 0) return quantize_ragged_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
#endif
  quantize_qa8_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void gelucoarse_f32_f32_1x16_neon(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_neon(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                    size_t row_bytes, RowScale* scales) {
#ifdef __aarch64__
  if (is_whole(k)) {
    const auto quantize = inv_smooth != nullptr ? gelu_quantize_rows_apart<true> : gelu_quantize_rows_apart<false>;
    return quantize(m, k, src, src_stride, inv_smooth, static_cast<int8_t*>(dst), row_bytes, scales);
  }
#endif
  gelu_then_quantize<gelucoarse_f32_f32_1x16_neon, quantize_qa8_f32_1x16_neon>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                               scales);
}

}  // namespace ert::kernels
