// Products of W12A13 with sdot, 2 outputs x 16 columns: both sides as two digits of six bits and their sum, so that three instructions on bytes do what four
// products of digits would. Of a panel the digits of up to kMostDepth values are made once for up to kMostTogether outputs.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/wide_kernels.h"
#include "kernels_int8/dotprod/gemm_tile.h"
#include "kernels_int8/dotprod/six_bit_digits.h"
#include "kernels_int8/loops/filters16.h"

namespace ert::kernels {

void wide_f32_qa13_qw12_2x16_neon(const WideArgs& a);

namespace {

constexpr size_t kMostDepth = kWideBlock;  // values of a panel whose digits are held
constexpr size_t kMostTogether = 64;       // outputs
constexpr size_t kFewOutputs = 4;          // so few are not worth the digits

// Values that are summed in int32 before they go to fp32.
struct WidePiece {
  ptrdiff_t src, scale;  // from an output's first value and scale on
  size_t n;
};

// The pieces of all outputs, in order.
class WidePieces {
 public:
  explicit WidePieces(const WideArgs& a) : a_(a) {}
  bool done() const { return row_ == a_.rows || a_.taps == 0 || a_.run == 0; }
  WidePiece get() const {
    const ptrdiff_t row = static_cast<ptrdiff_t>(row_);
    const size_t left = a_.run - from_;
    return {row * a_.src_row + static_cast<ptrdiff_t>(tap_) * a_.src_tap + static_cast<ptrdiff_t>(from_), row * a_.scale_row,
            left < kWideBlock ? left : kWideBlock};
  }
  void next() {
    from_ += kWideBlock;
    if (from_ < a_.run) return;
    from_ = 0;
    if (++tap_ < a_.taps) return;
    tap_ = 0;
    ++row_;
  }

 private:
  const WideArgs& a_;
  size_t row_ = 0, tap_ = 0, from_ = 0;
};

struct WideOutput {
  const int16_t* src;
  const float* scales;
  float* dst;  // of the panel
};

struct WidePanel {
  alignas(64) int8_t digits[kMostDepth / 4 * kLineOfDigits];
  WidePiece pieces[kMostDepth / 4];
  size_t count;  // of pieces
  alignas(16) float sums[kMostTogether][16];
  WideOutput outputs[kMostTogether];
};

template <int kOutputs>
struct WideSums {
  int32x4_t high[kOutputs][4], low[kOutputs][4], both[kOutputs][4];

  inline __attribute__((always_inline)) void clear() {
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) high[r][q] = low[r][q] = both[r][q] = vdupq_n_s32(0);
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
  inline __attribute__((always_inline)) int32x4_t total(int r, int q) const {
    const int32x4_t mixed = vsubq_s32(vsubq_s32(both[r][q], high[r][q]), low[r][q]);
    const int32x4_t upper = vaddq_s32(vshlq_n_s32(high[r][q], kDigitBits), mixed);
    return vaddq_s32(vshlq_n_s32(upper, kDigitBits), low[r][q]);
  }
};

// The last fewer than eight values, and zeros.
inline __attribute__((always_inline)) int16x8_t last_values(const int16_t* p, size_t n) {
  int16_t copy[8] = {};
#pragma GCC unroll 1
  for (size_t i = 0; i < n; ++i) copy[i] = p[i];
  return vld1q_s16(copy);
}

// Adds all pieces to the sums of outputs [at, at + kOutputs).
template <int kOutputs>
__attribute__((noinline)) void wide_digits_tile(WidePanel* p, size_t at) {
  const int8_t* digits = p->digits;
  for (size_t i = 0; i < p->count; ++i) {
    const WidePiece piece = p->pieces[i];
    const int16_t* src[kOutputs];
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) src[r] = p->outputs[at + static_cast<size_t>(r)].src + piece.src;
    WideSums<kOutputs> acc;
    acc.clear();
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
    while (left > 0) {
      const size_t n = left < 8 ? left : 8;
#pragma GCC unroll 2
      for (int r = 0; r < kOutputs; ++r) {
        const int16x8_t values = n == 8 ? vld1q_s16(src[r]) : last_values(src[r], n);
        x[r] = digits_of(values, values);
        src[r] += n;
      }
      acc.template line<0>(x, digits);
      digits += kLineOfDigits;
      if (n > 4) {
        acc.template line<1>(x, digits);
        digits += kLineOfDigits;
      }
      left -= n;
    }
#pragma GCC unroll 2
    for (int r = 0; r < kOutputs; ++r) {
      float* sums = p->sums[at + static_cast<size_t>(r)];
      const float scale = p->outputs[at + static_cast<size_t>(r)].scales[piece.scale];
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q)
        vst1q_f32(sums + 4 * q, vaddq_f32(vld1q_f32(sums + 4 * q), vmulq_n_f32(vcvtq_f32_s32(acc.total(r, q)), scale)));
    }
  }
}

inline void finish_output(const float* sums, const FilterColumns<16>& filters, Clamp clamp, size_t columns, float* dst) {
  float32x4_t y[4];
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    y[q] = vaddq_f32(vmulq_f32(vld1q_f32(sums + 4 * q), vld1q_f32(filters.scale + 4 * q)), vld1q_f32(filters.bias + 4 * q));
    // The larger of +0 and -0 is +0.
    if (clamp != Clamp::kNone) y[q] = vmaxq_f32(y[q], vdupq_n_f32(0.0f));
    if (clamp == Clamp::kRelu6) y[q] = vminq_f32(y[q], vdupq_n_f32(6.0f));
  }
  float copy[16];
  float* to = columns == 16 ? dst : copy;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) vst1q_f32(to + 4 * q, y[q]);
  if (columns < 16) memcpy(dst, copy, columns * sizeof(float));
}

// `count` outputs from output `at` of a line on, over the ends of lines.
inline void find_outputs(const WideArgs& a, size_t line, size_t at, size_t count, size_t filter, WidePanel* p) {
  for (size_t o = 0; o < count; ++line, at = 0) {
    const ptrdiff_t l = static_cast<ptrdiff_t>(line);
    const int16_t* src = a.src + l * a.src_line;
    const float* scales = a.scales + l * a.scale_line;
    float* dst = a.dst + l * a.dst_line + filter;
    for (; at < a.outputs && o < count; ++at, ++o) {
      const ptrdiff_t i = static_cast<ptrdiff_t>(at);
      p->outputs[o] = {src + i * a.src_step, scales + i * a.scale_step, dst + i * a.dst_stride};
      for (size_t q = 0; q < 4; ++q) vst1q_f32(p->sums[o] + 4 * q, vdupq_n_f32(0.0f));
    }
  }
}

inline void multiply_outputs(size_t count, WidePanel* p) {
  size_t o = 0;
  for (; o + 2 <= count; o += 2) wide_digits_tile<2>(p, o);
  if (o < count) wide_digits_tile<1>(p, o);
}

// The sums of the outputs that were found, as many values at a time as there is room for. False where a weight has more than 12 bits.
inline bool split_and_multiply(const WideArgs& a, const int16_t* weights, size_t count, WidePanel* p) {
  for (WidePieces pieces(a); !pieces.done();) {
    p->count = 0;
    for (size_t depth = 0; !pieces.done(); pieces.next()) {
      const WidePiece piece = pieces.get();
      if (depth + piece.n > kMostDepth) break;
      if (!split_weights(weights, piece.n, p->digits + depth / 4 * kLineOfDigits)) return false;
      weights += wide_pairs(piece.n) * 32;
      p->pieces[p->count++] = piece;
      depth += round_up(piece.n, 4);
    }
    multiply_outputs(count, p);
  }
  return true;
}

void wide_in_digits(const WideArgs& a) {
  const size_t outputs = a.lines * a.outputs, panel = 16 * a.rows * a.taps * 2 * wide_pairs(a.run);
  if (outputs < kFewOutputs) return wide_f32_qa13_qw12_2x16_neon(a);
  const bool all_fit = a.run <= kMostDepth && a.rows * a.taps * round_up(a.run, 4) <= kMostDepth;  // then they stay for all outputs
  WidePanel p;
  for (size_t filter = 0; filter < a.filters; filter += 16) {
    const size_t columns = a.filters - filter < 16 ? a.filters - filter : 16;
    FilterColumns<16> filters;
    filters.select(a.w, filter, columns);
    const int16_t* const weights = static_cast<const int16_t*>(static_cast<const void*>(a.w.data)) + filter / 16 * panel;
    size_t line = 0, at = 0;
    for (size_t first = 0; first < outputs; first += kMostTogether) {
      const size_t count = outputs - first < kMostTogether ? outputs - first : kMostTogether;
      find_outputs(a, line, at, count, filter, &p);
      at += count;
      line += at / a.outputs;
      at %= a.outputs;
      if (first > 0 && all_fit) {
        multiply_outputs(count, &p);
      } else if (!split_and_multiply(a, weights, count, &p)) {
        // Seen at the first outputs: nothing of the panel is written yet.
        WideArgs rest = a;
        rest.filters = columns;
        rest.w.data += filter / 16 * panel * sizeof(int16_t);
        rest.w.scale += filter;
        if (rest.w.bias != nullptr) rest.w.bias += filter;
        rest.dst += filter;
        wide_f32_qa13_qw12_2x16_neon(rest);
        break;
      }
      for (size_t o = 0; o < count; ++o) finish_output(p.sums[o], filters, a.clamp, columns, p.outputs[o].dst);
    }
  }
}

}  // namespace

void wide_f32_qa13_qw12_2x16_dotprod(const WideArgs& a) { wide_in_digits(a); }
void gemm_f32_qa13_qw12_2x16_dotprod(const GemmArgs& g) { wide_in_digits(wide_args(g)); }

}  // namespace ert::kernels
