// The rows of a map that a window meets, as the kernels of maps read them: where they lie in the map, or copied with the padding before and behind them as
// their zero point. Copies are kept while a thread goes from one row of outputs to the next.
#pragma once

#include <string.h>

#include "rt/ops/map_operands.h"
#include "rt/ops/window.h"

namespace ert::ops {

struct LineShape {
  int64_t before, behind;  // pixels of padding in a copy
  int64_t first;           // pixel of a copy that output 0 meets first; not 0 where the window crops
  int64_t readable;        // bytes behind a row's last pixel that must be readable, beside the padding
  int64_t end;             // pixel of a copy behind the last that counts

  // taps_read: positions of a kernel's row that its kernel reads, at least those that count.
  static LineShape of(const Window& w, int64_t taps_read) {
    const WindowAxis& c = w.columns;
    const int64_t last = c.first(c.out - 1) + int64_t{c.dilation} * (c.kernel - 1);  // column that the last output meets last
    LineShape s;
    s.before = c.begin > 0 ? c.begin : 0;
    s.behind = last >= c.size ? last - c.size + 1 : 0;
    s.first = s.before - c.begin;
    s.end = last + s.before + 1;
    s.readable = (taps_read - c.kernel) * c.dilation * w.channels + static_cast<int64_t>(kernels::kMapSlack);
    return s;
  }
  bool copied() const { return before != 0 || behind != 0; }  // all rows are
  int64_t columns(const Window& w) const { return before + w.columns.size + behind; }
};

// Bytes of one copy. Padding is what a blob says: any number of pixels.
inline Bytes line_bytes(const Window& w, const LineShape& s) {
  return (Bytes(static_cast<uint64_t>(s.columns(w))) * Bytes(static_cast<uint64_t>(w.channels)) +
          Bytes(static_cast<uint64_t>(s.readable)))
      .aligned();
}

// Of one thread; its memory are as many copies as the kernel has rows.
class MapLines {
 public:
  // signed_bytes: of copies, for kernels that want them (reads_signed_maps); where some rows may lie in the map, none is
  MapLines(const Map& map, const Window& w, const LineShape& shape, uint8_t* memory, bool signed_bytes)
      : map_(map), w_(w), shape_(shape), memory_(memory), bytes_(line_bytes(w, shape).value()), signed_(kFastForms && signed_bytes && shape.copied()) {
    for (int32_t& row : held_) row = -1;
  }

  // What output 0 meets first in row `row` of image `image`; kernels step on from there. Copies that the kernel's other rows use stay.
  const uint8_t* line(int64_t image, int64_t row);
  bool signed_bytes() const { return kFastForms && signed_; }

 private:
  static uint8_t* fill(uint8_t* to, int zero_point, int64_t bytes) {
    memset(to, zero_point, static_cast<size_t>(bytes));
    return to + bytes;
  }

  const Map& map_;
  const Window& w_;
  const LineShape& shape_;
  uint8_t* memory_;
  size_t bytes_;
  bool signed_;
  int32_t held_[kernels::kMostMapRows];  // rows of the map
};

}  // namespace ert::ops
