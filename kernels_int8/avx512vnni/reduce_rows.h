// One value per row from many rows at once: vectors are folded pairwise, so that the last step leaves row r in lane r. Each fold
// pairs the lanes of the canonical tree (NUMERICS.md section 1): 8, 4, 2, 1 apart. Internal linkage.
#pragma once

#include "kernels_int8/avx512vnni/intrinsics.h"

namespace ert::kernels {
namespace {

struct Largest {
  static inline __attribute__((always_inline)) __m512 of(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
};
// By bits, none of them negative: NaN is above infinity, and not lost as in a maximum of floats.
struct LargestBits {
  static inline __attribute__((always_inline)) __m512 of(__m512 a, __m512 b) {
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
  }
};
// The same of values with a sign bit: the most negative.
struct LargestUnsigned {
  static inline __attribute__((always_inline)) __m512 of(__m512 a, __m512 b) {
    return _mm512_castsi512_ps(_mm512_max_epu32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
  }
};
struct Sum {
  static inline __attribute__((always_inline)) __m512 of(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
};

// 16 + 16 lanes to 8 of a, 8 of b; 128-bit parts a a b b.
template <class Op>
inline __attribute__((always_inline)) __m512 fold8(__m512 a, __m512 b) {
  return Op::of(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}
// Of each 8 lanes 4: a a b b and c c d d give the parts a b c d.
template <class Op>
inline __attribute__((always_inline)) __m512 fold4(__m512 a, __m512 b) {
  return Op::of(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}
// Within each part, of each 4 lanes 2: a a b b.
template <class Op>
inline __attribute__((always_inline)) __m512 fold2(__m512 a, __m512 b) {
  return Op::of(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
}
template <class Op>
inline __attribute__((always_inline)) __m512 fold1(__m512 a, __m512 b) {
  return Op::of(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}

template <class Op>
inline __attribute__((always_inline)) __m512 reduce_16_rows(const __m512 (&row)[16]) {
  __m512 four[4];  // element e of the parts: rows e, 4 + e, 8 + e, 12 + e
#pragma GCC unroll 4
  for (int e = 0; e < 4; ++e) four[e] = fold4<Op>(fold8<Op>(row[e], row[4 + e]), fold8<Op>(row[8 + e], row[12 + e]));
  return fold1<Op>(fold2<Op>(four[0], four[1]), fold2<Op>(four[2], four[3]));
}

template <class Op>
inline __attribute__((always_inline)) __m256 reduce_8_rows(const __m512* row) {
  const __m512 even = fold4<Op>(fold8<Op>(row[0], row[2]), fold8<Op>(row[4], row[6]));
  const __m512 odd = fold4<Op>(fold8<Op>(row[1], row[3]), fold8<Op>(row[5], row[7]));
  const __m512 pairs = fold2<Op>(even, odd);
  const __m512 one = fold1<Op>(pairs, pairs);
  const __m512i order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13);
  return _mm512_castps512_ps256(_mm512_permutexvar_ps(order, one));
}

}  // namespace
}  // namespace ert::kernels
