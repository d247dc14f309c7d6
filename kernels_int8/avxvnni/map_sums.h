// Sums of products of bytes with int8 weights of N16K4, 16 columns as two registers, for convolutions over maps with 256-bit VNNI. Internal linkage.
#pragma once

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx2/lanes16_avx2.h"
#include "kernels_int8/avxvnni/gemm_tile.h"
// clang-format on

namespace ert::kernels {
namespace {

struct Sums {
  __m256i part[2];
};

ERT_LANES Sums start_of_taps(const int32_t* colsum, int32_t zero_point) {
  const __m256i f = _mm256_set1_epi32(-zero_point);
  const auto part = [=](const int32_t* p) {
    return _mm256_mullo_epi32(f, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  };
  return {{part(colsum), part(colsum + 8)}};
}
ERT_LANES Sums start_of_patches(const int32_t* colsum, int32_t zero_point) { return start_of_taps(colsum, zero_point); }
ERT_LANES Lanes to_lanes(const Sums& s) { return {_mm256_cvtepi32_ps(s.part[0]), _mm256_cvtepi32_ps(s.part[1])}; }

ERT_LANES __m256i half_line(const int8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

}  // namespace
}  // namespace ert::kernels
