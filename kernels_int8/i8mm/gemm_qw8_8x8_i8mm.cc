// int8 GEMMs with smmla: up to 8 rows x half a panel. One and two rows, of which a pair would waste half or wait on latency, take
// the sdot kernel, which every CPU with i8mm runs.
#include "kernels_int8/i8mm/gemm_tile.h"

namespace ert::kernels {
namespace {

// Half a panel as a panel of N8K8, once for all rows: where several tiles take it, that costs less than to interleave its lines in each.
constexpr size_t kMostBytes = 12288;  // on the stack: of 1536 values a row
constexpr size_t kOneTile = 8;

// k4 is a multiple of 4; dst has 8 * round_up(k4, 8) bytes.
void interleave_lines(const int8_t* rhs, size_t k4, int8_t* dst) {
  for (size_t k = 0; k < k4; k += 8, rhs += 128, dst += 64) {
    for (int q = 0; q < 2; ++q) {
      const int32x4_t first = vreinterpretq_s32_s8(vld1q_s8(rhs + 16 * q));
      const int32x4_t second = k + 8 <= k4 ? vreinterpretq_s32_s8(vld1q_s8(rhs + 64 + 16 * q)) : vdupq_n_s32(0);
      vst1q_s8(dst + 32 * q, vreinterpretq_s8_s32(vzip1q_s32(first, second)));
      vst1q_s8(dst + 32 * q + 16, vreinterpretq_s8_s32(vzip2q_s32(first, second)));
    }
  }
}

struct Interleave {
  int8_t* lines;
  void operator()(TileArgs* t) const {
    interleave_lines(t->rhs, t->k, lines);
    t->rhs = lines;
  }
};

template <class Rows>
void gemm(const GemmArgs& g) {
  if (g.m <= kOneTile || 8 * round_up(g.k, 8) > kMostBytes) return gemm_of_eights<Rows, Layout::kN16K4>(g);
  alignas(64) int8_t lines[kMostBytes];
  gemm_of_eights<Rows, Layout::kN16K4, Layout::kN8K8>(g, Interleave{lines});
}

}  // namespace

void gemm_f32_qa8_qw8_5x16_dotprod(const GemmArgs& g);
void gemm_f32_qa16_qw8_5x16_dotprod(const GemmArgs& g);

void gemm_f32_qa8_qw8_8x8_i8mm(const GemmArgs& g) { g.m <= 2 && !g.paired ? gemm_f32_qa8_qw8_5x16_dotprod(g) : gemm<Rows8>(g); }
void gemm_f32_qa16_qw8_8x8_i8mm(const GemmArgs& g) { g.m <= 2 && !g.paired ? gemm_f32_qa16_qw8_5x16_dotprod(g) : gemm<Rows16>(g); }

}  // namespace ert::kernels
