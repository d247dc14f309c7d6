// Products of W12A13 with sdot, 2 outputs x 16 columns: both sides as two digits of six bits and their sum, so that three instructions on bytes do what four
// products of digits would.
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/dotprod/six_bit_digits.h"
#include "kernels_int8/dotprod/sums_of_digits.h"
#include "kernels_int8/neon/wide_panels.h"

namespace ert::kernels {
namespace {

template <int kOutputs>
struct WideSums {
  int32x4_t high[kOutputs][4], low[kOutputs][4], both[kOutputs][4];

  inline __attribute__((always_inline)) void start(bool raised) {
    const int32_t(&starts)[2][4] = kStartsOfDigits[raised];
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) high[r][q] = load_start(starts[0]), low[r][q] = load_start(starts[0]), both[r][q] = load_start(starts[1]);
    }
  }
  template <int kLane>
  inline __attribute__((always_inline)) void line(const SixBitDigits (&x)[kOutputs], const int8_t* digits) {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      const int8x16_t h = vld1q_s8(digits + 16 * q);
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) DotSums::mac<kLane>(high[r][q], h, x[r].high);
      const int8x16_t l = vld1q_s8(digits + 64 + 16 * q);
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) DotSums::mac<kLane>(low[r][q], l, x[r].low);
      const int8x16_t s = vld1q_s8(digits + 128 + 16 * q);
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) DotSums::mac<kLane>(both[r][q], s, x[r].sum);
    }
  }
};

struct DigitsForm {
  static constexpr size_t kValueBytes = kLineOfDigits / 4, kPieceStep = 4, kFewOutputs = 4;
  static constexpr int kTileOutputs = 2;
  static bool turn(const int16_t* weights, size_t n, int8_t* to) { return split_weights(weights, n, to); }
  template <int kOutputs>
  static void tile(WidePanel<DigitsForm>* p, size_t at, size_t blocks);
};

template <int kOutputs>
inline __attribute__((always_inline)) void wide_digits_tile(WidePanel<DigitsForm>* p, size_t at) {
  const int8_t* digits = p->turned;
  for (size_t i = 0; i < p->count; ++i) {
    const WidePiece piece = p->pieces[i];
    const int16_t* src[kOutputs];
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) src[r] = p->outputs[at + static_cast<size_t>(r)].src + piece.src;
    WideSums<kOutputs> acc;
    const bool raised = piece.n <= kRaisedDepth;
    acc.start(raised);
    SixBitDigits x[kOutputs];
    size_t left = piece.n;
    for (; left >= 16; left -= 16, digits += 4 * kLineOfDigits) {
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) {
        x[r] = digits_of(vld1q_s16(src[r]), vld1q_s16(src[r] + 8));
        src[r] += 16;
      }
      acc.template line<0>(x, digits);
      acc.template line<1>(x, digits + kLineOfDigits);
      acc.template line<2>(x, digits + 2 * kLineOfDigits);
      acc.template line<3>(x, digits + 3 * kLineOfDigits);
    }
    if (left >= 8) {
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) {
        const int16x8_t values = vld1q_s16(src[r]);
        x[r] = digits_of(values, values);
        src[r] += 8;
      }
      acc.template line<0>(x, digits);
      acc.template line<1>(x, digits + kLineOfDigits);
      digits += 2 * kLineOfDigits;
      left -= 8;
    }
    if (left > 0) {
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) {
        const int16x8_t values = last_values(src[r], left);
        x[r] = digits_of(values, values);
      }
      acc.template line<0>(x, digits);
      digits += kLineOfDigits;
      if (left > 4) {
        acc.template line<1>(x, digits);
        digits += kLineOfDigits;
      }
    }
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) {
      float32x4_t totals[4];
      totals_of_digits(acc.high[r], acc.low[r], acc.both[r], raised, totals);
      add_piece(p, i, at + static_cast<size_t>(r), totals);
    }
  }
}

template <int kOutputs>
__attribute__((noinline)) void DigitsForm::tile(WidePanel<DigitsForm>* p, size_t at, size_t blocks) {
  for (; blocks > 0; --blocks, at += kOutputs) wide_digits_tile<kOutputs>(p, at);
}

}  // namespace

void wide_f32_qa13_qw12_2x16_dotprod(const WideArgs& a) { wide_in_form<DigitsForm>(a); }
void gemm_f32_qa13_qw12_2x16_dotprod(const GemmArgs& g) { wide_in_form<DigitsForm>(wide_args(g)); }

}  // namespace ert::kernels
