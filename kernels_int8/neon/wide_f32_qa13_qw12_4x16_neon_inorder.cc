// Products of W12A13 for AArch64 cores that issue in order (A53), 4 outputs x 16 columns. A load of 16 bytes takes two cycles in which nothing is multiplied: of eight values of an
// output one load serves all columns, because the product takes each by lane, and the weights of a value, 16 columns side by side, serve all outputs.
#include "kernels_int8/neon/wide_panels.h"

namespace ert::kernels {
namespace {

struct LanesForm {
  static constexpr size_t kValueBytes = 16 * sizeof(int16_t), kPieceStep = 4, kFewOutputs = 3;
  static constexpr int kTileOutputs = 4;

  // Columns 0 to 15 of one value after the other.
  static bool turn(const int16_t* weights, size_t n, int8_t* to) {
    int16_t* at = static_cast<int16_t*>(static_cast<void*>(to));
    for (size_t k = 0; k < n; k += 2, weights += 32, at += 32) {
      const int16x8x2_t low = vld2q_s16(weights), high = vld2q_s16(weights + 16);
      vst1q_s16(at, low.val[0]);
      vst1q_s16(at + 8, high.val[0]);
      vst1q_s16(at + 16, low.val[1]);
      vst1q_s16(at + 24, high.val[1]);
    }
    return true;
  }

  template <int kOutputs>
  static void tile(WidePanel<LanesForm>* p, size_t at, size_t blocks);
};

template <int kOutputs>
struct LaneSums {
  int32x4_t acc[kOutputs][4];

  // Value kLane of each x times its weights.
  template <int kLane>
  inline __attribute__((always_inline)) void value(const int16x8_t (&x)[kOutputs], const int16_t* weights) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const int16x8_t w = vld1q_s16(weights + 16 * kLane + 8 * half);
#pragma GCC unroll 4
      for (int r = 0; r < kOutputs; ++r) {
        // Written as asm because GCC 12 moves sums from one register to another.
        __asm__("smlal %0.4s, %1.4h, %2.h[%3]" : "+w"(acc[r][2 * half]) : "w"(w), "x"(x[r]), "i"(kLane));
        __asm__("smlal2 %0.4s, %1.8h, %2.h[%3]" : "+w"(acc[r][2 * half + 1]) : "w"(w), "x"(x[r]), "i"(kLane));
      }
    }
  }
};

template <int kOutputs>
inline __attribute__((always_inline)) void wide_lanes_tile(WidePanel<LanesForm>* p, size_t at) {
  const int16_t* weights = static_cast<const int16_t*>(static_cast<const void*>(p->turned));
  for (size_t i = 0; i < p->count; ++i) {
    const WidePiece piece = p->pieces[i];
    const int16_t* src[kOutputs];
    LaneSums<kOutputs> sums;
#pragma GCC unroll 4
    for (int r = 0; r < kOutputs; ++r) {
      src[r] = p->outputs[at + static_cast<size_t>(r)].src + piece.src;
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) sums.acc[r][q] = vdupq_n_s32(0);
    }
    size_t left = piece.n;
    int16x8_t x[kOutputs];
    for (; left >= 8; left -= 8, weights += 8 * 16) {
#pragma GCC unroll 4
      for (int r = 0; r < kOutputs; ++r) {
        x[r] = vld1q_s16(src[r]);
        src[r] += 8;
      }
      sums.template value<0>(x, weights);
      sums.template value<1>(x, weights);
      sums.template value<2>(x, weights);
      sums.template value<3>(x, weights);
      sums.template value<4>(x, weights);
      sums.template value<5>(x, weights);
      sums.template value<6>(x, weights);
      sums.template value<7>(x, weights);
    }
    for (; left > 0; --left, weights += 16) {
#pragma GCC unroll 4
      for (int r = 0; r < kOutputs; ++r) x[r] = vld1q_dup_s16(src[r]++);
      sums.template value<0>(x, weights);
    }
    weights += (round_up(piece.n, 4) - piece.n) * 16;
#pragma GCC unroll 4
    for (int r = 0; r < kOutputs; ++r) {
      const float32x4_t totals[4] = {vcvtq_f32_s32(sums.acc[r][0]), vcvtq_f32_s32(sums.acc[r][1]), vcvtq_f32_s32(sums.acc[r][2]), vcvtq_f32_s32(sums.acc[r][3])};
      add_piece(p, i, at + static_cast<size_t>(r), totals);
    }
  }
}

template <int kOutputs>
__attribute__((noinline)) void LanesForm::tile(WidePanel<LanesForm>* p, size_t at, size_t blocks) {
  for (; blocks > 0; --blocks, at += kOutputs) wide_lanes_tile<kOutputs>(p, at);
}

}  // namespace

void wide_f32_qa13_qw12_4x16_neon_inorder(const WideArgs& a) { wide_in_form<LanesForm>(a); }
void gemm_f32_qa13_qw12_4x16_neon_inorder(const GemmArgs& g) { wide_in_form<LanesForm>(wide_args(g)); }

}  // namespace ert::kernels
