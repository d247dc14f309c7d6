// Rows of fp32 to the int16 values of W12A13.
#include "kernels_int8/avx512vnni/symmetric_rows.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

// 32 values that fit int16, in their order.
inline __attribute__((always_inline)) void store32(int16_t* dst, __m512i a, __m512i b) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  _mm512_storeu_si512(dst, _mm512_permutexvar_epi64(order, _mm512_packs_epi32(a, b)));
}

template <bool kSmooth>
void integers_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, int16_t* dst,
                      size_t row_values, RowScale* scales) {
  const auto store = [&](size_t row, size_t i, const __m512i(&q)[4]) __attribute__((always_inline)) {
    int16_t* to = dst + row * row_values + i;
    store32(to, q[0], q[1]);
    if (i + 32 < k) store32(to + 32, q[2], q[3]);  // a row has room for each 32
  };
  quantize_symmetric_rows<static_cast<int>(kMaxQ13), kSmooth>(m, k, src, src_stride, inv_smooth, scales, store);
}

}  // namespace

void quantize_qa13_f32_1x64_avx512vnni(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                       size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? integers_of_rows<true> : integers_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<int16_t*>(dst), row_bytes / sizeof(int16_t), scales);
}

}  // namespace ert::kernels
