// Sums of products of bytes with int8 weights of N16K4, 16 columns as two registers, for convolutions over maps on AVX2. Internal linkage.
#pragma once

#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/avx2/signed_bytes.h"

namespace ert::kernels {
namespace {

struct Sums {
  __m256i part[2];
};

// Lanes times a factor that is the same for all.
ERT_LANES Sums column_multiple(const int32_t* colsum, int32_t factor) {
  const __m256i f = _mm256_set1_epi32(factor);
  const auto part = [=](const int32_t* p) {
    return _mm256_mullo_epi32(f, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  };
  return {{part(colsum), part(colsum + 8)}};
}
ERT_LANES Lanes to_lanes(const Sums& s) { return {_mm256_cvtepi32_ps(s.part[0]), _mm256_cvtepi32_ps(s.part[1])}; }

}  // namespace
}  // namespace ert::kernels
