// The rectangle of inputs around outputs that share a range, quantized from where it lies in the map.
#pragma once

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "rt/ops/patches.h"

namespace ert::ops {

// Row of outputs of all images, and which rectangle of that row.
struct RectanglePlace {
  int64_t line, band;
};

// `rectangle` is the patch at that place; dst has room for the row of W8A8 that it becomes.
inline void quantize_in_place(const kernels::ConvKernels& k, const Patches<float>& rectangle, RectanglePlace place,
                              const float* inv_smooth, uint8_t* dst, kernels::RowScale* scale) {
  const Window& w = rectangle.w;
  const int64_t image = place.line / w.rows.out, row = place.line % w.rows.out;
  WindowSpan rows = span_inside(w.rows, row);
  const WindowSpan columns = span_inside(w.columns, place.band);
  if (columns.first == columns.last) rows = {0, 0};
  kernels::RectangleArgs a = {};
  a.rows = static_cast<size_t>(w.rows.kernel);
  a.columns = static_cast<size_t>(w.columns.kernel);
  a.channels = static_cast<size_t>(rectangle.channels);
  a.first_row = static_cast<size_t>(rows.first);
  a.last_row = static_cast<size_t>(rows.last);
  a.first_column = static_cast<size_t>(columns.first);
  a.last_column = static_cast<size_t>(columns.last);
  a.src = rectangle.x;
  if (rows.first != rows.last)  // else nothing is read
    a.src += image * w.map_elements() + (w.rows.first(row) + int64_t{rows.first} * w.rows.dilation) * w.row_elements() +
             (w.columns.first(place.band) + columns.first) * w.channels + rectangle.first;
  // Of a single row inside, the step may be any number, which pointers do not hold on 32 bits.
  a.src_row = rows.last - rows.first < 2 ? 0 : static_cast<ptrdiff_t>(w.rows.dilation * w.row_elements());
  a.src_pixel = w.channels;
  a.inv_smooth = inv_smooth;
  a.dst = dst;
  a.scale = scale;
  k.rectangle(a);
}

}  // namespace ert::ops
