// Products of W12A13 on AArch64 with weights that are turned first: of a panel of 16 columns up to kMostDepth values, once for up to kMostTogether outputs, which
// may lie in several lines. The level gives, as Form:
//   Form::kValueBytes                        of 16 turned weights
//   Form::kFewOutputs                        so few are not worth it
//   bool Form::turn(weights, n, to)          a piece's weights from N16K2; n rounded up to 4 have room. False: not possible, neon's kernel is to do the panel
//   Form::kTileOutputs, Form::tile<n>(panel, at)   adds all pieces to the sums of outputs [at, at + n)
// Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include <arm_neon.h>

#include <utility>

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/contract/wide_kernels.h"
#include "kernels_int8/loops/filters16.h"

namespace ert::kernels {

void wide_f32_qa13_qw12_2x16_neon(const WideArgs& a);

namespace {

constexpr size_t kMostDepth = kWideBlock;  // values of a panel that are held
constexpr size_t kMostTogether = 64;       // outputs

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

template <class Form>
struct WidePanel {
  alignas(64) int8_t turned[kMostDepth * Form::kValueBytes];
  WidePiece pieces[kMostDepth / 4];
  size_t count;  // of pieces
  alignas(16) float sums[kMostTogether][16];
  WideOutput outputs[kMostTogether];
};

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
template <class Form>
inline void find_outputs(const WideArgs& a, size_t line, size_t at, size_t count, size_t filter, WidePanel<Form>* p) {
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

template <class Form, class Sequence = std::make_integer_sequence<int, Form::kTileOutputs>>
struct WideFormTiles;
template <class Form, int... kOutputs>
struct WideFormTiles<Form, std::integer_sequence<int, kOutputs...>> {
  static constexpr void (*of[])(WidePanel<Form>*, size_t) = {Form::template tile<kOutputs + 1>...};
};

template <class Form>
inline void multiply_outputs(size_t count, WidePanel<Form>* p) {
  for_even_blocks(count, Form::kTileOutputs, [&](size_t at, size_t outputs) { WideFormTiles<Form>::of[outputs - 1](p, at); });
}

// The sums of the outputs that were found, as many values at a time as there is room for. False where the form cannot hold a weight.
template <class Form>
inline bool turn_and_multiply(const WideArgs& a, const int16_t* weights, size_t count, WidePanel<Form>* p) {
  for (WidePieces pieces(a); !pieces.done();) {
    p->count = 0;
    for (size_t depth = 0; !pieces.done(); pieces.next()) {
      const WidePiece piece = pieces.get();
      if (depth + piece.n > kMostDepth) break;
      if (!Form::turn(weights, piece.n, p->turned + depth * Form::kValueBytes)) return false;
      weights += wide_pairs(piece.n) * 32;
      p->pieces[p->count++] = piece;
      depth += round_up(piece.n, 4);
    }
    multiply_outputs(count, p);
  }
  return true;
}

template <class Form>
inline void wide_in_form(const WideArgs& a) {
  const size_t outputs = a.lines * a.outputs, panel = 16 * a.rows * a.taps * 2 * wide_pairs(a.run);
  if (outputs < Form::kFewOutputs) return wide_f32_qa13_qw12_2x16_neon(a);
  const bool all_fit = a.run <= kMostDepth && a.rows * a.taps * round_up(a.run, 4) <= kMostDepth;  // then they stay for all outputs
  WidePanel<Form> p;
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
      } else if (!turn_and_multiply(a, weights, count, &p)) {
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
}  // namespace ert::kernels
