// int8 attention of Helium: queries as bytes, P as two rows of digits.
#include "kernels_int8/loops/attention_panels.h"
#include "kernels_int8/mve/gemm_tile.h"
#include "kernels_int8/mve/row_parts_mve.h"
#include "kernels_int8/mve/store_digits.h"

namespace ert::kernels {
namespace {

struct ByteRows {
  static size_t q_bytes(size_t k16) { return k16; }
  static size_t p_bytes(size_t k16) { return 2 * k16; }
  static const int8_t* bytes(const uint8_t* row) { return static_cast<const int8_t*>(static_cast<const void*>(row)); }
  static void put_q(uint8_t* row, size_t at, int32_t q) { row[at] = static_cast<uint8_t>(q); }

  static __attribute__((noinline)) void dot_q(int32_t (&sums)[2], const uint8_t* row, const int8_t* panel, size_t k16) {
    int32_t tile[1][2];
    accumulate<Layout::kN2K16>(tile, bytes(row), 0, panel, k16);
    sums[0] = tile[0][0];
    sums[1] = tile[0][1];
  }
  // Of every 16 keys the high digits, then the low ones: P's length does not matter then.
  static __attribute__((noinline)) void dot_p(int32_t (&sums)[2], const uint8_t* row, size_t first, size_t k16,
                                              const int8_t* panel) {
    const int8_t* digits = bytes(row) + 2 * first;
    int32_t hi[2] = {0, 0}, lo[2] = {0, 0};
    for (size_t k = 0; k < k16; k += 16, digits += 32, panel += 32) {
      const int8x16_t high = vldrbq_s8(digits), low = vldrbq_s8(digits + 16);
      const int8x16_t left = vldrbq_s8(panel), right = vldrbq_s8(panel + 16);
      hi[0] = vmladavaq_s8(hi[0], high, left);
      hi[1] = vmladavaq_s8(hi[1], high, right);
      lo[0] = vmladavaq_s8(lo[0], low, left);
      lo[1] = vmladavaq_s8(lo[1], low, right);
    }
    for (int c = 0; c < 2; ++c) sums[c] = 128 * hi[c] + lo[c];
  }

  static float weights(size_t n, float* scores) {
    exp_of_weights(n, scores, shift_of_row(n, scores), scores);
    return sum_f32_f32_1x16_mve(n, scores);
  }
  static __attribute__((noinline)) float quantize_p(size_t n, const float* e, const float* v_scale, uint8_t* row) {
    // No factor is negative, and a NaN is larger than nothing.
    float32x4_t most = vdupq_n_f32(0.0f);
    for (size_t j = 0; j < n; j += 4) {
      const float32x4_t p = vmulq_f32(vld1q_f32(e + j), vld1q_f32(v_scale + j));
      most = vpselq_f32(p, most, vcmpgtq_f32(p, most));
    }
    const float max = vmaxnmvq_f32(0.0f, most);
    if (!(max >= kZeroRange)) return 0.0f;
    const float inv = kMaxQ16 / max;
    int8_t* digits = static_cast<int8_t*>(static_cast<void*>(row));
    for (size_t j = 0; j < n; j += 4) {
      int8_t* hi = digits + 2 * (j - j % 16) + j % 16;
      store_digits4(hi, hi + 16, vmulq_n_f32(vmulq_f32(vld1q_f32(e + j), vld1q_f32(v_scale + j)), inv));
    }
    return max / kMaxQ16;
  }
};

}  // namespace

void attention_f32_qs8_qs8_1x2_mve(const AttentionArgs& a) { attention_of_panels<ByteRows>(a); }

}  // namespace ert::kernels
