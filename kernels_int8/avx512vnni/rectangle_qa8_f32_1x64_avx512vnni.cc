// A rectangle of a map to bytes with one zero point, from where it lies: factors of channels are applied on the way, and zeros around the map are not
// read. Two passes as over a row: range, then scale, round and pack.
#include "kernels_int8/avx512vnni/quantize_row.h"
#include "kernels_int8/contract/conv_kernels.h"

#include <string.h>

namespace ert::kernels {
namespace {

// Floats that lie side by side, and the factors that go with them: those of 16 channels or a multiple of it again and again, or of one pixel.
struct Pieces {
  size_t floats, count;  // of one, and of a row
  ptrdiff_t step;        // floats between them
  size_t period;
  const float* factors;
  float repeated[16];
};

// Vectors of a pixel that stands apart from the next, as those of a group of channels do: 1 or 2, of which 64 floats are read from as many pixels; else 0.
int vectors_of(const RectangleArgs& a) {
  if (a.src_pixel == static_cast<ptrdiff_t>(a.channels)) return 0;
  return a.channels == 16 ? 1 : a.channels == 32 ? 2 : 0;
}

Pieces pieces_of(const RectangleArgs& a) {
  const size_t columns = a.last_column - a.first_column;
  if (vectors_of(a) != 0) return {a.channels * columns, 1, a.src_pixel, a.channels, a.inv_smooth, {}};
  Pieces p = {a.channels, columns, a.src_pixel, a.channels, a.inv_smooth, {}};
  const bool few = 16 % a.channels == 0;
  if (a.src_pixel != static_cast<ptrdiff_t>(a.channels) || (!few && a.channels % 16 != 0)) return p;
  p.floats = a.channels * columns;
  p.count = 1;
  if (!few) return p;
  p.period = 16;
  if (a.inv_smooth != nullptr) {
    for (size_t i = 0; i < 16; ++i) p.repeated[i] = a.inv_smooth[i % a.channels];
  }
  return p;
}

// Calls four(src, factors, factors' step, dst) for 64 floats and some(src, factors, mask, dst) for up to 16, in order.
template <bool kSmooth, int kVectors, class Four, class Some>
inline __attribute__((always_inline)) void for_piece(const Pieces& p, const float* factors, const float* src, uint8_t* dst,
                                                     const Four& four, const Some& some) {
  if constexpr (kVectors != 0) {
    size_t i = 0;
    for (; i + 64 <= p.floats; i += 64, src += 4 / kVectors * p.step) four(src, factors, 16, dst + i);
    for (int j = 0; i < p.floats; i += 16, ++j)
      some(src + j / kVectors * p.step + 16 * (j % kVectors), kSmooth ? factors + 16 * (j % kVectors) : nullptr, static_cast<__mmask16>(0xffff), dst + i);
    return;
  }
  size_t i = 0, f = 0;
  const bool steady = !kSmooth || p.period == 16;  // one vector of factors for all
  const size_t factor_step = steady ? 0 : 16;
  if (steady || p.period % 64 == 0) {
    for (; i + 64 <= p.floats; i += 64) {
      four(src + i, factors + f, factor_step, dst + i);
      if (!steady && (f += 64) == p.period) f = 0;
    }
  }
  for (; i < p.floats; i += 16) {
    some(src + i, factors + f, lane_mask(p.floats - i), dst + i);
    if (!steady && (f += 16) >= p.period) f = 0;
  }
}

template <bool kSmooth, int kVectors>
void quantize_rectangle(const RectangleArgs& a) {
  const Pieces p = pieces_of(a);
  // The vector j of four.
  const auto load = [&](const float* x, const float* f, size_t step, size_t j) __attribute__((always_inline)) {
    if constexpr (kVectors == 0) return load16<kSmooth>(x + 16 * j, f + j * step, 0);
    constexpr size_t kEach = kVectors == 0 ? 1 : kVectors;
    return load16<kSmooth>(x + static_cast<ptrdiff_t>(j / kEach) * p.step + 16 * (j % kEach), kSmooth ? f + 16 * (j % kEach) : nullptr, 0);
  };
  const float* factors = !kSmooth ? nullptr : p.period == 16 && a.channels < 16 ? p.repeated : p.factors;
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  const bool all_inside = a.last_row - a.first_row == a.rows && a.last_column - a.first_column == a.columns;
  if (kSmooth && !all_inside) {  // a zero times a factor is one, or NaN
    for (size_t c = 0; c < a.channels; c += 16)
      extend(_mm512_mul_ps(_mm512_setzero_ps(), _mm512_maskz_loadu_ps(lane_mask(a.channels - c), a.inv_smooth + c)), &lo[0],
             &hi[0]);
  }
  const float* row = a.src;
  for (size_t i = a.first_row; i < a.last_row; ++i, row += a.src_row) {
    const float* src = row;
    for (size_t k = 0; k < p.count; ++k, src += p.step) {
      for_piece<kSmooth, kVectors>(
          p, factors, src, a.dst,  // which nothing is written to yet
          [&](const float* x, const float* f, size_t step, uint8_t*) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; ++j) extend(load(x, f, step, j), &lo[j], &hi[j]);
          },
          [&](const float* x, const float* f, __mmask16 mask, uint8_t*)
              __attribute__((always_inline)) { extend(load16<kSmooth>(x, f, 0, mask), &lo[0], &hi[0]); });
    }
  }
  const __m512 inv = _mm512_set1_ps(steps_of(range_of_lanes(lo, hi), a.scale));
  const int32_t zero_point = a.scale->zero_point;
  const __m512i zero_point16 = _mm512_set1_epi16(static_cast<int16_t>(zero_point)), zero_point32 = _mm512_set1_epi32(zero_point);
  const size_t line = a.columns * a.channels, before = a.first_column * a.channels,
               behind = (a.columns - a.last_column) * a.channels;
  uint8_t* dst = a.dst;
  memset(dst, zero_point, a.first_row * line);
  dst += a.first_row * line;
  row = a.src;
  for (size_t i = a.first_row; i < a.last_row; ++i, row += a.src_row) {
    memset(dst, zero_point, before);
    dst += before;
    const float* src = row;
    for (size_t k = 0; k < p.count; ++k, src += p.step, dst += p.floats) {
      for_piece<kSmooth, kVectors>(
          p, factors, src, dst,
          [&](const float* x, const float* f, size_t step, uint8_t* to) __attribute__((always_inline)) {
            __m512i q[4];
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; ++j)
              q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(load(x, f, step, j), inv));
            _mm512_storeu_si512(to, pack_u8(q, zero_point16));
          },
          [&](const float* x, const float* f, __mmask16 mask, uint8_t* to) __attribute__((always_inline)) {
            const __m512i q =
                _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(x, f, 0, mask), inv)), zero_point32);
            _mm_mask_storeu_epi8(to, mask, _mm512_cvtusepi32_epi8(_mm512_max_epi32(q, _mm512_setzero_si512())));
          });
    }
    memset(dst, zero_point, behind);
    dst += behind;
  }
  memset(dst, zero_point, (a.rows - a.last_row) * line);
}

}  // namespace

void rectangle_qa8_f32_1x64_avx512vnni(const RectangleArgs& a) {
  using Form = void (*)(const RectangleArgs&);
  constexpr Form kForms[2][3] = {{quantize_rectangle<false, 0>, quantize_rectangle<false, 1>, quantize_rectangle<false, 2>},
                                 {quantize_rectangle<true, 0>, quantize_rectangle<true, 1>, quantize_rectangle<true, 2>}};
  kForms[a.inv_smooth != nullptr][vectors_of(a)](a);
}

}  // namespace ert::kernels
