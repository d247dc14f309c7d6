// Parts of row quantization shared by the 256-bit levels: the range of a row and its values rounded to int32, in blocks of
// 32. A cut last block is padded with zeros. Everything here has internal linkage.
#pragma once

#if !defined(__AVX2__)
#error "build with -mavx2"
#endif

#include <immintrin.h>

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/math_constants.h"

namespace ert::kernels {
namespace {

constexpr size_t kBlock = 32;

template <bool kSmooth>
inline __attribute__((always_inline)) __m256 smoothed8(const float* src, const float* inv_smooth) {
  const __m256 x = _mm256_loadu_ps(src);
  return kSmooth ? _mm256_mul_ps(x, _mm256_loadu_ps(inv_smooth)) : x;
}
// The first n values, n < 8, and +0, which never changes a range.
template <bool kSmooth>
inline __attribute__((always_inline)) __m256 smoothed_first(size_t n, const float* src, const float* inv_smooth) {
  const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  const __m256 x = _mm256_maskload_ps(src, mask);
  return kSmooth ? _mm256_mul_ps(x, _mm256_maskload_ps(inv_smooth, mask)) : x;
}

// Calls block(i, values) with four registers y[i], ..., y[i + 31] for each block; y = src, times inv_smooth with kSmooth.
template <bool kSmooth, typename Block>
inline __attribute__((always_inline)) void for_blocks(size_t k, const float* src, const float* inv_smooth, const Block& block) {
  size_t i = 0;
  for (; i + kBlock <= k; i += kBlock) {
    __m256 y[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const size_t at = i + 8 * static_cast<size_t>(j);
      y[j] = smoothed8<kSmooth>(src + at, inv_smooth + (kSmooth ? at : 0));
    }
    block(i, y);
  }
  if (i < k) {
    __m256 y[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const size_t at = i + 8 * static_cast<size_t>(j);
      y[j] = at + 8 <= k ? smoothed8<kSmooth>(src + at, inv_smooth + (kSmooth ? at : 0))
             : at < k    ? smoothed_first<kSmooth>(k - at, src + at, inv_smooth + (kSmooth ? at : 0))
                         : _mm256_setzero_ps();
    }
    block(i, y);
  }
}

// The largest 32-bit integer, signed or not.
template <bool kSigned>
inline __m256i larger_integers(__m256i a, __m256i b) {
  return kSigned ? _mm256_max_epi32(a, b) : _mm256_max_epu32(a, b);
}

// Of the values of a row in any order.
struct Ends {
  __m256i lo, hi;
};

// Smallest and largest values of the row and zero. By bits, as in ref/quantize_row.h, so that NaN is not lost.
template <bool kSmooth>
inline Ends ends_of_row(size_t k, const float* src, const float* inv_smooth) {
  __m256i lo[2], hi[2];  // GCC 12 keeps one of four in memory, and then each step waits for its store
  for (int j = 0; j < 2; ++j) lo[j] = _mm256_set1_epi32(INT32_MIN), hi[j] = _mm256_setzero_si256();
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, const __m256(&y)[4]) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          lo[j % 2] = larger_integers<false>(_mm256_castps_si256(y[j]), lo[j % 2]);
          hi[j % 2] = larger_integers<true>(_mm256_castps_si256(y[j]), hi[j % 2]);
        }
      });
  return {larger_integers<false>(lo[0], lo[1]), larger_integers<true>(hi[0], hi[1])};
}

template <bool kSigned>
inline float float_of_largest(__m256i x) {
  __m256i y = larger_integers<kSigned>(x, _mm256_permute2x128_si256(x, x, 1));
  y = larger_integers<kSigned>(y, _mm256_shuffle_epi32(y, 0x4e));
  y = larger_integers<kSigned>(y, _mm256_shuffle_epi32(y, 0xb1));
  return _mm256_cvtss_f32(_mm256_castsi256_ps(y));
}

// Lane r: the largest of row[r].
template <bool kSigned>
inline __m256 floats_of_largest(const __m256i (&row)[8]) {
  __m256i four[4], two[2];  // halves: of rows r and 4 + r
  for (int r = 0; r < 4; ++r)
    four[r] = larger_integers<kSigned>(_mm256_permute2x128_si256(row[r], row[4 + r], 0x20),
                                       _mm256_permute2x128_si256(row[r], row[4 + r], 0x31));
  for (int r = 0; r < 2; ++r)
    two[r] = larger_integers<kSigned>(_mm256_unpacklo_epi64(four[2 * r], four[2 * r + 1]),
                                      _mm256_unpackhi_epi64(four[2 * r], four[2 * r + 1]));
  const __m256 a = _mm256_castsi256_ps(two[0]), b = _mm256_castsi256_ps(two[1]);
  return _mm256_castsi256_ps(larger_integers<kSigned>(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)),
                                                      _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd))));
}

// Of some rows: the steps of a value of 1, 0 without a range; and what RowScale says.
constexpr size_t kRowsAtOnce = 8;
struct alignas(32) Steps {
  float inv[kRowsAtOnce], scale[kRowsAtOnce];
  int32_t zero_point[kRowsAtOnce];
};

// All lanes whose range is ordinary; `range` is that of a row in each lane, `most` the steps of it.
inline __m256 store_steps(__m256 range, float most, Steps* steps) {
  const __m256 some = _mm256_and_ps(_mm256_cmp_ps(range, _mm256_set1_ps(kZeroRange), _CMP_GE_OQ),
                                    _mm256_cmp_ps(range, _mm256_set1_ps(kLargestFloat), _CMP_LE_OQ));
  const __m256 inv = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(most), range));
  const __m256 none = _mm256_cmp_ps(range, _mm256_set1_ps(kZeroRange), _CMP_LT_OQ);
  const __m256 otherwise = _mm256_andnot_ps(none, _mm256_set1_ps(__builtin_nanf("")));  // see scale_of_no_range
  _mm256_store_ps(steps->inv, inv);
  _mm256_store_ps(steps->scale, _mm256_blendv_ps(otherwise, _mm256_div_ps(range, _mm256_set1_ps(most)), some));
  return inv;
}

struct W8A8 {
  // lo and hi of a row in each lane.
  static void find_steps(__m256 lo, __m256 hi, Steps* steps) {
    const __m256 inv = store_steps(_mm256_sub_ps(hi, lo), kMaxQa8, steps);
    const __m256i zero_point = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_sub_ps(_mm256_setzero_ps(), lo), inv));
    const __m256i some = _mm256_castps_si256(_mm256_cmp_ps(inv, _mm256_setzero_ps(), _CMP_NEQ_OQ));  // else NaN * 0
    _mm256_store_si256(reinterpret_cast<__m256i*>(steps->zero_point), _mm256_and_si256(zero_point, some));
  }
};

// kMost integers to either side, without a zero point.
template <int kMost>
struct Symmetric {
  static void find_steps(__m256 lo, __m256 hi, Steps* steps) {
    const __m256i magnitude = _mm256_and_si256(_mm256_castps_si256(lo), _mm256_set1_epi32(INT32_MAX));
    store_steps(_mm256_castsi256_ps(larger_integers<true>(_mm256_castps_si256(hi), magnitude)), static_cast<float>(kMost), steps);
    _mm256_store_si256(reinterpret_cast<__m256i*>(steps->zero_point), _mm256_setzero_si256());
  }
};
using W8A16 = Symmetric<static_cast<int>(kMaxQ16)>;
using W12A13 = Symmetric<static_cast<int>(kMaxQ13)>;

// 32 values that fit int16, in their order.
inline __attribute__((always_inline)) void store16(int16_t* dst, const __m256i (&q)[4]) {
  const __m256i a = _mm256_permute4x64_epi64(_mm256_packs_epi32(q[0], q[1]), 0xd8);
  const __m256i b = _mm256_permute4x64_epi64(_mm256_packs_epi32(q[2], q[3]), 0xd8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + 16), b);
}

// Short rows are quantized some at a time: of one alone, finding the ends among lanes and two divisions take longer than the rest.
constexpr size_t kShortRow = 512, kLeastRowsAtOnce = 3;

// Runs store(row, i, q, zero_point) over blocks of 32 rounded values y / scale as int32, before the zero point, 16 bits in each lane, is added. The
// steps of the row are those of `place`.
template <bool kSmooth, typename Store>
inline __attribute__((always_inline)) void round_row(size_t row, size_t k, const float* src, const float* inv_smooth, const Steps& steps,
                                                     size_t place, RowScale* scales, const Store& store) {
  scales[row] = {steps.scale[place], steps.zero_point[place]};
  const __m256 inv = _mm256_set1_ps(steps.inv[place]);
  const __m256i zero_point = _mm256_set1_epi16(static_cast<int16_t>(steps.zero_point[place]));
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, const __m256(&y)[4]) __attribute__((always_inline)) {
        __m256i q[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) q[j] = _mm256_cvtps_epi32(_mm256_mul_ps(y[j], inv));
        store(row, i, q, zero_point);
      });
}

// Of one row.
template <class Kind>
inline void find_steps_of_row(const Ends& ends, Steps* steps) {
  Kind::find_steps(_mm256_set1_ps(float_of_largest<false>(ends.lo)), _mm256_set1_ps(float_of_largest<true>(ends.hi)), steps);
}

// round_row of each row, whose ends it finds.
template <class Kind, bool kSmooth, typename Store>
inline __attribute__((always_inline)) void quantize_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride,
                                                         const float* inv_smooth, RowScale* scales, const Store& store) {
  for (size_t row = 0; row < m;) {
    Steps steps;
    size_t rows = m - row < kRowsAtOnce ? m - row : kRowsAtOnce;
    if (k > kShortRow || rows < kLeastRowsAtOnce) {
      rows = 1;
      find_steps_of_row<Kind>(ends_of_row<kSmooth>(k, src, inv_smooth), &steps);
    } else {
      __m256i lo[kRowsAtOnce], hi[kRowsAtOnce];
      for (size_t r = 0; r < kRowsAtOnce; ++r) {
        const Ends ends = r < rows ? ends_of_row<kSmooth>(k, src + static_cast<ptrdiff_t>(r) * src_stride, inv_smooth) : Ends{};
        lo[r] = ends.lo;
        hi[r] = ends.hi;
      }
      Kind::find_steps(floats_of_largest<false>(lo), floats_of_largest<true>(hi), &steps);
    }
    for (size_t r = 0; r < rows; ++r, ++row, src += src_stride)
      round_row<kSmooth>(row, k, src, inv_smooth, steps, r, scales, store);
  }
}

// Calls rows(k). The shortest rows of convolutional networks have lengths that the compiler knows, and no loops along a row.
template <typename Rows>
inline __attribute__((always_inline)) void of_length(size_t k, const Rows& rows) {
  switch (k) {
    case 8: return rows(size_t{8});
    case 16: return rows(size_t{16});
    case 24: return rows(size_t{24});
    case 32: return rows(size_t{32});
    default: return rows(k);
  }
}

// q = 128 * hi + lo with lo in [-64, 63].
inline __attribute__((always_inline)) void split_digits(const __m256i (&q)[4], __m256i (&hi)[4], __m256i (&lo)[4]) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    hi[j] = _mm256_srai_epi32(_mm256_add_epi32(q[j], _mm256_set1_epi32(64)), 7);
    lo[j] = _mm256_sub_epi32(q[j], _mm256_slli_epi32(hi[j], 7));
  }
}

}  // namespace
}  // namespace ert::kernels
