// The rows of a map that a convolution in W12A13 meets: quantized as int16 into a buffer, with the padding around them as zeros. A thread keeps those that
// neighbouring lines of outputs share, so that each is quantized once.
#pragma once

#include <string.h>

#include "kernels_int8/contract/wide_kernels.h"
#include "rt/ops/map_lines.h"
#include "rt/ops/window.h"

namespace ert::ops {

constexpr int64_t kWideOutputs = 64;  // of the lines that are computed at once, if there are so many: each panel of weights is fetched once for them

struct WideShape {
  Window w;  // one spatial axis is read as rows of one column, because frames have scales of their own
  int64_t lines;            // of outputs, that are computed at once
  int64_t run, taps;        // values of a run, and runs of a row of the kernel
  LineShape columns;        // of a row in the buffer

  int64_t reach() const { return int64_t{w.rows.dilation} * (w.rows.kernel - 1) + 1; }
  int64_t rows(int64_t of_lines) const { return (of_lines - 1) * w.rows.stride + reach(); }
  // Values of a row in the buffer.
  int64_t row_values() const { return columns.columns(w) * w.channels; }
  int64_t depth() const { return w.rows.kernel * taps * 2 * static_cast<int64_t>(kernels::wide_pairs(static_cast<size_t>(run))); }

  Bytes scale_bytes() const { return (Bytes(static_cast<uint64_t>(rows(lines))) * Bytes(sizeof(float))).aligned(); }
  Bytes row_bytes() const {
    return Bytes(static_cast<uint64_t>(columns.columns(w))) * Bytes(static_cast<uint64_t>(w.channels)) * Bytes(sizeof(int16_t));
  }
  bool fits(size_t room) const {
    size_t needed;
    return bytes().aligned().get(&needed) && needed <= room;
  }
  Bytes bytes() const { return scale_bytes() + Bytes(static_cast<uint64_t>(rows(lines))) * row_bytes() + Bytes(kernels::kWideSlack); }
};

// Of one thread.
class WideRows {
 public:
  WideRows(const WideShape& s, const float* x, kernels::QuantizeRowsFn quantize, uint8_t* memory)
      : s_(s),
        x_(x),
        quantize_rows(quantize),
        scales_(static_cast<float*>(static_cast<void*>(memory))),
        rows_(static_cast<int16_t*>(static_cast<void*>(memory + s.scale_bytes().value()))) {}

  const int16_t* rows() const { return rows_; }
  const float* scales() const { return scales_; }

  // Holds afterwards what `lines` lines of outputs of an image meet, from `line` on.
  void move_to(int64_t image, int64_t line, int64_t lines) {
    const int64_t first = s_.w.rows.first(line), count = s_.rows(lines), shift = first - first_;
    int64_t kept = image == image_ && shift >= 0 && shift < count_ ? count_ - shift : 0;
    if (kept > count) kept = count;
    const size_t values = static_cast<size_t>(s_.row_values());
    memmove(rows_, rows_ + static_cast<size_t>(shift * (kept > 0)) * values, static_cast<size_t>(kept) * values * sizeof(int16_t));
    memmove(scales_, scales_ + shift * (kept > 0), static_cast<size_t>(kept) * sizeof(float));
    // Rows between those that kernels meet, where they step further than they reach, stay as they are.
    for (int64_t i = kept; i < count; ++i)
      if (i % s_.w.rows.stride < s_.reach()) take(image, first + i, i);
    image_ = image;
    first_ = first;
    count_ = count;
  }

 private:
  void take(int64_t image, int64_t row, int64_t at) {
    const Window& w = s_.w;
    const size_t values = static_cast<size_t>(s_.row_values()), before = static_cast<size_t>(s_.columns.before * w.channels),
                 inside = static_cast<size_t>(w.row_elements());
    int16_t* to = rows_ + static_cast<size_t>(at) * values;
    kernels::RowScale scale = {0.0f, 0};
    if (row < 0 || row >= w.rows.size) {
      memset(to, 0, values * sizeof(int16_t));
    } else {
      memset(to, 0, before * sizeof(int16_t));
      quantize_rows(1, inside, x_ + image * w.map_elements() + row * w.row_elements(), static_cast<ptrdiff_t>(inside), nullptr, to + before,
                kernels::round_up(inside * sizeof(int16_t), 64), &scale);
      memset(to + before + inside, 0, (values - before - inside) * sizeof(int16_t));
    }
    scales_[at] = scale.scale;
  }

  const WideShape& s_;
  const float* x_;
  kernels::QuantizeRowsFn quantize_rows;  // named as the slot of the table: the bound of the stack follows names
  float* scales_;
  int16_t* rows_;
  int64_t image_ = -1, first_ = 0, count_ = 0;
};

}  // namespace ert::ops
