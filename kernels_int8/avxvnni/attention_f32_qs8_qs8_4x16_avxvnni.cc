// int8 attention of one head for AVX-VNNI: keys as u8 (q + 128) times int8 queries, so that the correction is one number per
// query; P times V by vpdpwssd.
#include "kernels_int8/avx2/attention_rows.h"
#include "kernels_int8/avxvnni/names.h"

namespace ert::kernels {
namespace {

struct AvxVnniMac {
  using Query = int8_t;
  static constexpr int8_t kKeyFlip = -128;

  template <int kRows>
  static inline __attribute__((always_inline)) void scores(__m256i (&acc)[kRows][2], const int8_t* queries, size_t,
                                                           const int32_t* start, const int8_t* keys, size_t head4) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = _mm256_set1_epi32(start[r]);
    for (size_t kk = 0; kk < head4; kk += 4, keys += 64) {
      const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
      const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + 32));
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        int32_t word;
        memcpy(&word, queries + kRows * kk + 4 * static_cast<size_t>(r), sizeof(word));
        const __m256i query4 = _mm256_set1_epi32(word);
        __asm__(ERT_VEX "vpdpbusd %2, %1, %0" : "+x"(acc[r][0]) : "x"(low), "x"(query4));
        __asm__(ERT_VEX "vpdpbusd %2, %1, %0" : "+x"(acc[r][1]) : "x"(high), "x"(query4));
      }
    }
  }

  static inline __attribute__((always_inline)) void pairs(__m256i& acc, __m256i p2, __m256i v2) {
    __asm__(ERT_VEX "vpdpwssd %2, %1, %0" : "+x"(acc) : "x"(p2), "x"(v2));
  }
};

}  // namespace

void ERT_AVXVNNI_NAME(attention_f32_qs8_qs8_4x16)(const AttentionArgs& a) { attention<AvxVnniMac>(a); }

}  // namespace ert::kernels
