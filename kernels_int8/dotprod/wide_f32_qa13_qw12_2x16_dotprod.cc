// Products of W12A13 with sdot, 2 outputs x 16 columns: both sides as two digits of six bits and their sum, so that three instructions on bytes do what four
// products of digits would.
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/dotprod/six_bit_digits.h"
#include "kernels_int8/neon/wide_panels.h"

namespace ert::kernels {
namespace {

// Sums of short pieces begin at the bits of 1.5 * 2^23, those of both digits together at those of 1.5 * 2^29: floats of which they lie in the last places, there 64
// times as large. Taking that off is exact, and what a total is made of fits a float until the last step, which rounds as a conversion does: five operations instead of
// seven, of which one is a conversion, that takes twice as long.
constexpr size_t kRaisedDepth = 121;
static_assert(kRaisedDepth * (63 * 64 * 32 + 96 * 94) < (1 << 24), "63 * high + both");
alignas(16) constexpr int32_t kStarts[2][2][4] = {{}, {{0x4B400000, 0x4B400000, 0x4B400000, 0x4B400000}, {0x4E400000, 0x4E400000, 0x4E400000, 0x4E400000}}};
alignas(16) constexpr int32_t kFactors[4] = {0x457C0000, 0x427C0000};  // 4032, 63

// A load is cheaper beside products than the moves that the compiler makes.
inline __attribute__((always_inline)) int32x4_t load_start(const int32_t (&from)[4]) {
  int32x4_t start;
  __asm__ volatile("ldr %q0, %1" : "=w"(start) : "m"(from));
  return start;
}

template <int kOutputs>
struct WideSums {
  int32x4_t high[kOutputs][4], low[kOutputs][4], both[kOutputs][4];

  inline __attribute__((always_inline)) void start(bool raised) {
    const int32_t(&starts)[2][4] = kStarts[raised];
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
  // of (64 a + b) * (64 c + d) = 4096 ac + 64 ((a + b) * (c + d) - ac - bd) + bd
  inline __attribute__((always_inline)) float32x4_t total(int r, int q) const {
    const int32x4_t mixed = vsubq_s32(vsubq_s32(both[r][q], high[r][q]), low[r][q]);
    const int32x4_t upper = vaddq_s32(vshlq_n_s32(high[r][q], kDigitBits), mixed);
    return vcvtq_f32_s32(vaddq_s32(vshlq_n_s32(upper, kDigitBits), low[r][q]));
  }
  // The same as 4032 ac + 64 (a + b) * (c + d) - 63 bd.
  inline __attribute__((always_inline)) void raised_totals(int r, float32x4_t (&totals)[4]) const {
    const float32x4_t digits = vreinterpretq_f32_s32(load_start(kStarts[1][0])), mixed = vreinterpretq_f32_s32(load_start(kStarts[1][1]));
    const float32x4_t factors = vreinterpretq_f32_s32(load_start(kFactors));
    float32x4_t h[4], l[4];
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      h[q] = vsubq_f32(vreinterpretq_f32_s32(high[r][q]), digits);
      l[q] = vsubq_f32(vreinterpretq_f32_s32(low[r][q]), digits);
      totals[q] = vsubq_f32(vreinterpretq_f32_s32(both[r][q]), mixed);
    }
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) totals[q] = vfmaq_laneq_f32(totals[q], h[q], factors, 0);
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) totals[q] = vfmsq_laneq_f32(totals[q], l[q], factors, 1);
  }
};

// The last fewer than eight values, and zeros.
inline __attribute__((always_inline)) int16x8_t last_values(const int16_t* p, size_t n) {
  int16_t copy[8] = {};
#pragma GCC unroll 1
  for (size_t i = 0; i < n; ++i) copy[i] = p[i];
  return vld1q_s16(copy);
}

struct DigitsForm {
  static constexpr size_t kValueBytes = kLineOfDigits / 4, kFewOutputs = 4;
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
      if (raised) {
        acc.raised_totals(r, totals);
      } else {
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) totals[q] = acc.total(r, q);
      }
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
