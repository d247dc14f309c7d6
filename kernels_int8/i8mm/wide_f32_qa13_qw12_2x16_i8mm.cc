// Products of W12A13 with smmla, 2 outputs x 16 columns: the digits of dotprod/six_bit_digits.h, weights turned into pairs of columns x 8 k.
#include "kernels_int8/dotprod/sums_of_digits.h"
#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/wide_panels.h"

namespace ert::kernels {
namespace {

constexpr size_t kEightOfDigits = 2 * kLineOfDigits;  // bytes of 8 k: 128 of high digits, of low ones, of sums; in each a pair of columns after the other

// Of a piece's weights from N16K2; zeros fill the last eight. False where a weight has more than 12 bits.
inline bool split_weights_in_pairs(const int16_t* weights, size_t n, int8_t* digits) {
  uint8x16_t tops = vdupq_n_u8(0);
  int16x8_t a[2][4], b[2][4];
  const auto eight = [&](size_t first, size_t second) __attribute__((always_inline)) {
    load_line(weights, first, a[0], b[0]);
    load_line(weights + 64, second, a[1], b[1]);
#pragma GCC unroll 2
    for (int q = 0; q < 4; q += 2) {
      const QuadsOfDigits left = split_quads(a[0], b[0], q, &tops), right = split_quads(a[1], b[1], q, &tops);
#pragma GCC unroll 3
      for (int kind = 0; kind < 3; ++kind) {
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
          const int32x4_t l = vreinterpretq_s32_s8(left.d[kind][i]), r = vreinterpretq_s32_s8(right.d[kind][i]);
          int8_t* const to = digits + 128 * kind + 32 * (q + i);
          vst1q_s8(to, vreinterpretq_s8_s32(vzip1q_s32(l, r)));
          vst1q_s8(to + 16, vreinterpretq_s8_s32(vzip2q_s32(l, r)));
        }
      }
    }
  };
  for (; n >= 8; n -= 8, weights += 128, digits += kEightOfDigits) eight(4, 4);
  if (n != 0) eight(n < 4 ? n : 4, n < 4 ? 0 : n - 4);
  return vmaxvq_u8(tops) < 64;
}

struct PairsOfDigitsForm {
  static constexpr size_t kValueBytes = kEightOfDigits / 8, kPieceStep = 8, kFewOutputs = 4;
  static constexpr int kTileOutputs = 2;
  static bool turn(const int16_t* weights, size_t n, int8_t* to) { return split_weights_in_pairs(weights, n, to); }
  template <int kOutputs>
  static void tile(WidePanel<PairsOfDigitsForm>* p, size_t at, size_t blocks);
};

struct PairSums {
  int32x4_t high[8], low[8], both[8];  // two outputs times columns 2c and 2c + 1

  inline __attribute__((always_inline)) void start(bool raised) {
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      high[c] = low[c] = load_start(kStartsOfDigits[raised][0]);
      both[c] = load_start(kStartsOfDigits[raised][1]);
    }
  }
  inline __attribute__((always_inline)) void eight(const SixBitDigits& x, const int8_t* digits) {
    using Pairs = MatrixSums::Tile<2, 1>;
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      Pairs::mac(high[c], x.high, vld1q_s8(digits + 16 * c));
      Pairs::mac(low[c], x.low, vld1q_s8(digits + 128 + 16 * c));
      Pairs::mac(both[c], x.sum, vld1q_s8(digits + 256 + 16 * c));
    }
  }
};

// One output is paired with itself.
template <int kOutputs>
inline __attribute__((always_inline)) void wide_pairs_tile(WidePanel<PairsOfDigitsForm>* p, size_t at) {
  const int8_t* digits = p->turned;
  for (size_t i = 0; i < p->count; ++i) {
    const WidePiece piece = p->pieces[i];
    const int16_t* even = p->outputs[at].src + piece.src;
    const int16_t* odd = p->outputs[at + kOutputs - 1].src + piece.src;
    PairSums acc;
    const bool raised = piece.n <= kRaisedDepth;
    acc.start(raised);
    // Eight values of two outputs one behind the other are a pair as smmla wants it.
    size_t left = piece.n;
    for (; left >= 8; left -= 8, even += 8, odd += 8, digits += kEightOfDigits) acc.eight(digits_of(vld1q_s16(even), vld1q_s16(odd)), digits);
    if (left > 0) {
      acc.eight(digits_of(last_values(even, left), last_values(odd, left)), digits);
      digits += kEightOfDigits;
    }
    float32x4_t pairs[8];
    totals_of_digits(acc.high, acc.low, acc.both, raised, pairs);
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) {
      float32x4_t totals[4];
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) {
        const float64x2_t l = vreinterpretq_f64_f32(pairs[2 * q]), h = vreinterpretq_f64_f32(pairs[2 * q + 1]);
        totals[q] = vreinterpretq_f32_f64(r == 0 ? vzip1q_f64(l, h) : vzip2q_f64(l, h));
      }
      add_piece(p, i, at + static_cast<size_t>(r), totals);
    }
  }
}

template <int kOutputs>
__attribute__((noinline)) void PairsOfDigitsForm::tile(WidePanel<PairsOfDigitsForm>* p, size_t at, size_t blocks) {
  for (; blocks > 0; --blocks, at += kOutputs) wide_pairs_tile<kOutputs>(p, at);
}

}  // namespace

void wide_f32_qa13_qw12_2x16_i8mm(const WideArgs& a) { wide_in_form<PairsOfDigitsForm>(a); }
void gemm_f32_qa13_qw12_2x16_i8mm(const GemmArgs& g) { wide_in_form<PairsOfDigitsForm>(wide_args(g)); }

}  // namespace ert::kernels
