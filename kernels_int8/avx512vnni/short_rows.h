// Steps of short rows, 16 at a time: of one row alone, finding the ends among 16 lanes and two divisions take longer than the rest.
#pragma once

#include "kernels_int8/avx512vnni/quantize_row.h"
#include "kernels_int8/avx512vnni/reduce_rows.h"

namespace ert::kernels {
namespace {

constexpr size_t kShortRow = 256, kRowsAtOnce = 16, kLeastRowsAtOnce = 4;

// Of each row the steps of a value of 1, 0 without a range, and what RowScale says; the zero point only where the kind has one.
struct alignas(64) Steps {
  float inv[kRowsAtOnce], scale[kRowsAtOnce];
  int32_t zero_point[kRowsAtOnce];
};

// All but zero points. `range` is that of a row in each lane, `most` the steps of it. Returns inv.
inline __attribute__((always_inline)) __m512 store_steps(__m512 range, float most, Steps* steps) {
  const __mmask16 some = _mm512_cmp_ps_mask(range, _mm512_set1_ps(kZeroRange), _CMP_GE_OQ) &
                         _mm512_cmp_ps_mask(range, _mm512_set1_ps(kLargestFloat), _CMP_LE_OQ);
  const __mmask16 none = _mm512_cmp_ps_mask(range, _mm512_set1_ps(kZeroRange), _CMP_LT_OQ);
  const __m512 otherwise =
      _mm512_mask_mov_ps(_mm512_set1_ps(__builtin_nanf("")), none, _mm512_setzero_ps());  // see scale_of_no_range
  const __m512 inv = _mm512_maskz_div_ps(some, _mm512_set1_ps(most), range);
  _mm512_store_ps(steps->inv, inv);
  _mm512_store_ps(steps->scale, _mm512_mask_div_ps(otherwise, some, range, _mm512_set1_ps(most)));
  return inv;
}

// Bytes with a zero point: what lanes of a row hold, and the steps of 16 rows.
struct WithZeroPoint {
  __m512i lo, hi;

  // Written out: the one file's pragma of the target does not reach constructors that GCC makes.
  inline __attribute__((always_inline)) WithZeroPoint() : lo(_mm512_set1_epi32(INT32_MIN)), hi(_mm512_setzero_si512()) {}
  inline __attribute__((always_inline)) void include(__m512 y) { extend(y, &lo, &hi); }
  inline __attribute__((always_inline)) void include(const WithZeroPoint& other) {
    lo = _mm512_max_epu32(lo, other.lo);
    hi = _mm512_max_epi32(hi, other.hi);
  }

  struct Rows {
    __m512 low[kRowsAtOnce], high[kRowsAtOnce];

    inline __attribute__((always_inline)) void set(size_t r, const WithZeroPoint& lanes) {
      low[r] = _mm512_castsi512_ps(lanes.lo);
      high[r] = _mm512_castsi512_ps(lanes.hi);
    }
    inline __attribute__((always_inline)) void find_steps(Steps* steps) const {
      // Behind a Relu no value is below 0, and the least of every row is where it began.
      const __m512i begin = _mm512_set1_epi32(INT32_MIN);
      __m512i any = begin;
#pragma GCC unroll 16
      for (size_t r = 0; r < kRowsAtOnce; ++r) any = _mm512_or_si512(any, _mm512_castps_si512(low[r]));
      const bool below = _mm512_cmpneq_epi32_mask(any, begin) != 0;
      const __m512 of_low = below ? reduce_16_rows<LargestUnsigned>(low) : _mm512_castsi512_ps(begin);
      const __m512 inv = store_steps(_mm512_sub_ps(reduce_16_rows<LargestBits>(high), of_low), kMaxQa8, steps);
      const __m512 zero = _mm512_setzero_ps();
      const __mmask16 some = _mm512_cmp_ps_mask(inv, zero, _CMP_NEQ_OQ);  // else NaN * 0
      _mm512_store_si512(steps->zero_point, _mm512_maskz_cvtps_epi32(some, _mm512_mul_ps(_mm512_sub_ps(zero, of_low), inv)));
    }
  };
};

// kMost integers to either side of zero.
template <int kMost>
struct Symmetric {
  __m512i magnitude;

  inline __attribute__((always_inline)) Symmetric() : magnitude(_mm512_setzero_si512()) {}
  inline __attribute__((always_inline)) void include(__m512 y) {
    magnitude = _mm512_max_epi32(_mm512_castps_si512(_mm512_abs_ps(y)), magnitude);
  }
  inline __attribute__((always_inline)) void include(const Symmetric& other) {
    magnitude = _mm512_max_epi32(magnitude, other.magnitude);
  }

  struct Rows {
    __m512 largest[kRowsAtOnce];

    inline __attribute__((always_inline)) void set(size_t r, const Symmetric& lanes) {
      largest[r] = _mm512_castsi512_ps(lanes.magnitude);
    }
    inline __attribute__((always_inline)) void find_steps(Steps* steps) const {
      store_steps(reduce_16_rows<LargestBits>(largest), static_cast<float>(kMost), steps);
    }
  };
};

// What the lanes of a row of k values hold.
template <class Kind, bool kSmooth>
inline __attribute__((always_inline)) Kind lanes_of_row(size_t k, const float* src, const float* inv_smooth) {
  Kind part[2];
  size_t i = 0;
  for (; i + 32 <= k; i += 32) {
    part[0].include(load16<kSmooth>(src, inv_smooth, i));
    part[1].include(load16<kSmooth>(src, inv_smooth, i + 16));
  }
  for (; i < k; i += 16) part[0].include(load16<kSmooth>(src, inv_smooth, i, lane_mask(k - i)));
  part[0].include(part[1]);
  return part[0];
}

// Of m rows, m <= kRowsAtOnce.
template <class Kind, bool kSmooth>
void find_steps_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, Steps* steps) {
  typename Kind::Rows rows;
  for (size_t r = 0; r < kRowsAtOnce; ++r, src += src_stride)
    rows.set(r, r < m ? lanes_of_row<Kind, kSmooth>(k, src, inv_smooth) : Kind());
  rows.find_steps(steps);
}

}  // namespace
}  // namespace ert::kernels
