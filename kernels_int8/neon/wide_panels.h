// Products of W12A13 on AArch64 with weights that are turned first: of a panel of 16 columns up to kMostDepth values, once for up to kMostTogether outputs, which
// may lie in several lines. The level gives, as Form:
//   Form::kValueBytes                        of 16 turned weights
//   Form::kFewOutputs                        so few are not worth it
//   Form::kPieceStep                         pieces take up multiples of it: 4 or 8
//   bool Form::turn(weights, n, to)          a piece's weights from N16K2; n rounded up to kPieceStep have room. False: not possible, neon's kernel is to do the panel
//   Form::kTileOutputs, Form::tile<n>(panel, at, blocks)   add_piece of all pieces for n outputs, from output `at` on, and so on for so many blocks
// Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include <arm_neon.h>

#include <limits>
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
  float* dst;  // of filter 0
};

template <class Form>
struct WidePanel {
  alignas(64) int8_t turned[kMostDepth * Form::kValueBytes];
  WidePiece pieces[kMostDepth / 4];
  size_t count;       // of pieces
  bool begins, ends;  // are they the first ones of the outputs, the last ones
  FilterColumns<16> filters;
  size_t filter, columns;  // the first, and how many
  Clamp clamp;
  float most;  // where there is a clamp
  WideOutput outputs[kMostTogether];
  alignas(16) float sums[kMostTogether][16];  // between pieces
};

// Stores the panel's columns of an output.
template <class Form>
inline __attribute__((always_inline)) void finish_output(float32x4_t (&y)[4], const WidePanel<Form>& p, float* output) {
  const float *const scale = p.filters.scale, *const bias = p.filters.bias;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) y[q] = vaddq_f32(vmulq_f32(y[q], vld1q_f32(scale + 4 * q)), vld1q_f32(bias + 4 * q));
  if (p.clamp != Clamp::kNone) {
    const float32x4_t most = vdupq_n_f32(p.most);
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) y[q] = vminq_f32(vmaxq_f32(y[q], vdupq_n_f32(0.0f)), most);  // the larger of +0 and -0 is +0
  }
  float* const dst = output + p.filter;
  if (p.columns == 16) {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) vst1q_f32(dst + 4 * q, y[q]);
    return;
  }
  float copy[16];
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) vst1q_f32(copy + 4 * q, y[q]);
  memcpy(dst, copy, p.columns * sizeof(float));
}

// Adds the sums of piece i, as fp32, to an output, which the last piece finishes. The first one begins: +0 plus it is it, because no product is -0 (a scale is 0, where all values are, or above 2^-113).
template <class Form>
inline __attribute__((always_inline)) void add_piece(WidePanel<Form>* p, size_t i, size_t output, const float32x4_t (&acc)[4]) {
  const WideOutput& o = p->outputs[output];
  const float scale = o.scales[p->pieces[i].scale];
  float* const between = p->sums[output];
  float32x4_t t[4];
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) t[q] = vmulq_n_f32(acc[q], scale);
  if (!(p->begins && i == 0)) {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) t[q] = vaddq_f32(vld1q_f32(between + 4 * q), t[q]);
  }
  if (p->ends && i + 1 == p->count) return finish_output(t, *p, o.dst);
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) vst1q_f32(between + 4 * q, t[q]);
}

// `count` outputs from output `at` of a line on, over the ends of lines.
template <class Form>
inline void find_outputs(const WideArgs& a, size_t line, size_t at, size_t count, WidePanel<Form>* p) {
  for (size_t o = 0; o < count; ++line, at = 0) {
    const ptrdiff_t l = static_cast<ptrdiff_t>(line), i = static_cast<ptrdiff_t>(at);
    WideOutput next = {a.src + l * a.src_line + i * a.src_step, a.scales + l * a.scale_line + i * a.scale_step,
                       a.dst + l * a.dst_line + i * a.dst_stride};
    for (; at < a.outputs && o < count; ++at, ++o) {
      p->outputs[o] = next;
      next.src += a.src_step;
      next.scales += a.scale_step;
      next.dst += a.dst_stride;
    }
  }
}

template <class Form, class Sequence = std::make_integer_sequence<int, Form::kTileOutputs>>
struct WideFormTiles;
template <class Form, int... kOutputs>
struct WideFormTiles<Form, std::integer_sequence<int, kOutputs...>> {
  static constexpr void (*of[])(WidePanel<Form>*, size_t, size_t) = {Form::template tile<kOutputs + 1>...};
};

// In blocks of even sizes; those of one size by one call.
template <class Form>
inline void multiply_outputs(size_t count, WidePanel<Form>* p) {
  const size_t blocks = (count + Form::kTileOutputs - 1) / Form::kTileOutputs, outputs = count / blocks, larger = count % blocks;
  if (larger > 0) WideFormTiles<Form>::of[outputs](p, 0, larger);
  WideFormTiles<Form>::of[outputs - 1](p, larger * (outputs + 1), blocks - larger);
}

// The outputs that were found, as many values at a time as there is room for. False where the form cannot hold a weight.
template <class Form>
inline bool turn_and_multiply(const WideArgs& a, const int16_t* weights, size_t count, WidePanel<Form>* p) {
  WidePieces pieces(a);
  if (pieces.done()) {
    for (size_t o = 0; o < count; ++o) {
      float32x4_t none[4] = {};
      finish_output(none, *p, p->outputs[o].dst);
    }
  }
  for (p->begins = true; !pieces.done(); p->begins = false) {
    p->count = 0;
    for (size_t depth = 0; !pieces.done(); pieces.next()) {
      const WidePiece piece = pieces.get();
      if (depth + piece.n > kMostDepth) break;
      if (!Form::turn(weights, piece.n, p->turned + depth * Form::kValueBytes)) return false;
      weights += wide_pairs(piece.n) * 32;
      p->pieces[p->count++] = piece;
      depth += round_up(piece.n, Form::kPieceStep);
    }
    p->ends = pieces.done();
    multiply_outputs(count, p);
  }
  return true;
}

template <class Form>
inline void wide_in_form(const WideArgs& a) {
  const size_t outputs = a.lines * a.outputs, panel = 16 * a.rows * a.taps * 2 * wide_pairs(a.run);
  if (outputs < Form::kFewOutputs) return wide_f32_qa13_qw12_2x16_neon(a);
  const bool all_fit =
      a.run <= kMostDepth && a.rows * a.taps * round_up(a.run, Form::kPieceStep) <= kMostDepth;  // then they stay for all outputs
  WidePanel<Form> p;
  p.clamp = a.clamp;
  p.most = a.clamp == Clamp::kRelu6 ? 6.0f : std::numeric_limits<float>::infinity();
  for (p.filter = 0; p.filter < a.filters; p.filter += 16) {
    p.columns = a.filters - p.filter < 16 ? a.filters - p.filter : 16;
    p.filters.select(a.w, p.filter, p.columns);
    const int16_t* const weights = static_cast<const int16_t*>(static_cast<const void*>(a.w.data)) + p.filter / 16 * panel;
    size_t line = 0, at = 0;
    for (size_t first = 0; first < outputs; first += kMostTogether) {
      const size_t count = outputs - first < kMostTogether ? outputs - first : kMostTogether;
      if (p.filter == 0 || outputs > kMostTogether) find_outputs(a, line, at, count, &p);
      at += count;
      line += at / a.outputs;
      at %= a.outputs;
      if (first > 0 && all_fit) {
        p.begins = p.ends = true;
        multiply_outputs(count, &p);
      } else if (!turn_and_multiply(a, weights, count, &p)) {
        // Seen at the first outputs: nothing of the panel is written yet.
        WideArgs rest = a;
        rest.filters = p.columns;
        rest.w.data += p.filter / 16 * panel * sizeof(int16_t);
        rest.w.scale += p.filter;
        if (rest.w.bias != nullptr) rest.w.bias += p.filter;
        rest.dst += p.filter;
        wide_f32_qa13_qw12_2x16_neon(rest);
        break;
      }
    }
  }
}

}  // namespace
}  // namespace ert::kernels
