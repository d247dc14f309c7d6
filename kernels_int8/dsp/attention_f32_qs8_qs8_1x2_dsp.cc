// int8 attention of M4, M7 and M33: queries and P as int16 rows, which smlad multiplies with two keys or two elements of V.
#include "kernels_int8/dsp/gemm_tile.h"
#include "kernels_int8/dsp/row_format.h"
#include "kernels_int8/loops/attention_panels.h"

namespace ert::kernels {
namespace {

struct Int16Rows {
  static size_t q_bytes(size_t k16) { return 2 * k16; }
  static size_t p_bytes(size_t k16) { return 2 * k16; }
  static int16_t* words(uint8_t* row) { return static_cast<int16_t*>(static_cast<void*>(row)); }
  static void put_q(uint8_t* row, size_t at, int32_t q) { words(row)[place_of(at)] = static_cast<int16_t>(q); }

  static __attribute__((noinline)) void dot_q(int32_t (&sums)[2], const uint8_t* row, const int8_t* panel, size_t k16) {
    int32_t tile[1][2];
    accumulate<Layout::kN2K16>(tile, row, 0, panel, k16);
    sums[0] = tile[0][0];
    sums[1] = tile[0][1];
  }
  static void dot_p(int32_t (&sums)[2], const uint8_t* row, size_t first, size_t k16, const int8_t* panel) {
    dot_q(sums, row + 2 * first, panel, k16);
  }

  static float weights(size_t n, float* scores) { return to_float(exp_scores<exp_of_weight>(static_cast<int32_t>(n), scores)); }
  static float quantize_p(size_t n, const float* e, const float* v_scale, uint8_t* row) {
    F32 max = 0.0f;
    for (size_t j = 0; j < n; ++j) max = larger(F32(e[j]) * F32(v_scale[j]), max);
    if (!(max >= F32(kZeroRange))) return 0.0f;
    const F32 inv = F32(kMaxQ16) / max;
    for (size_t j = 0; j < n; ++j) put_q(row, j, round_to_int((F32(e[j]) * F32(v_scale[j])) * inv));
    return to_float(max / F32(kMaxQ16));
  }
};

}  // namespace

void attention_f32_qs8_qs8_1x2_dsp(const AttentionArgs& a) { attention_of_panels<Int16Rows>(a); }

}  // namespace ert::kernels
