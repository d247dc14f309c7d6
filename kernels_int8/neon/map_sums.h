// Sums of products of signed bytes with int8 weights of N16K4, 16 columns as four registers, for convolutions over maps on NEON: bytes are q - 128, as rows of
// Linears are (row_format.h). Internal linkage.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/neon/lanes16_neon.h"

namespace ert::kernels {
namespace {

struct Sums {
  int32x4_t part[4];
};

ERT_LANES Sums start_of_taps(const int32_t* colsum, int32_t zero_point) {
  const int32x4_t f = vdupq_n_s32(128 - zero_point);
  return {{vmulq_s32(f, vld1q_s32(colsum)), vmulq_s32(f, vld1q_s32(colsum + 4)), vmulq_s32(f, vld1q_s32(colsum + 8)),
           vmulq_s32(f, vld1q_s32(colsum + 12))}};
}
ERT_LANES Sums start_of_patches(const int32_t* colsum, int32_t zero_point) { return start_of_taps(colsum, zero_point); }
ERT_LANES Lanes to_lanes(const Sums& s) {
  return {vcvtq_f32_s32(s.part[0]), vcvtq_f32_s32(s.part[1]), vcvtq_f32_s32(s.part[2]), vcvtq_f32_s32(s.part[3])};
}

ERT_LANES int8x16_t signed_bytes(const uint8_t* p) { return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(0x80))); }

}  // namespace
}  // namespace ert::kernels
