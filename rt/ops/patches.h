// The patches that a window meets on a map, as rows: of each position of the kernel in turn a range of channels, zeros for the padding.
#pragma once

#include <stdint.h>
#include <string.h>

#include "rt/ops/copy_short.h"
#include "rt/ops/window.h"

namespace ert::ops {

// copy_short of several pieces, `step` bytes apart in the source and `to_step` where they go: their length is looked at once.
inline void copy_pieces(const void* from, int64_t step, size_t bytes, int32_t count, void* to, int64_t to_step) {
  const uint8_t* src = static_cast<const uint8_t*>(from);
  uint8_t* dst = static_cast<uint8_t*>(to);
  const auto each = [&](auto length) {
    for (int32_t i = 0; i < count; ++i, src += step, dst += to_step) {
      uint8_t last[decltype(length)::kBytes];
      memcpy(last, src + bytes - sizeof last, sizeof last);
      memcpy(dst, src, sizeof last);
      memcpy(dst + bytes - sizeof last, last, sizeof last);
    }
  };
  if (kFastForms && bytes >= 16 && bytes <= 32) return each(Length<16>());
  if (kFastForms && bytes >= 32 && bytes <= 64) return each(Length<32>());
  for (int32_t i = 0; i < count; ++i, src += step, dst += to_step) copy_short(src, bytes, dst);
}

// T: an element of the map. Patch i is that of output place i, in the order of [N, rows, columns].
template <class T>
struct Patches {
  Window w;
  const T* x;
  int32_t first, channels;  // of each position

  int64_t depth() const { return w.positions() * channels; }

  // Patches that stand in x one beside the other and need no copy: as many of `most` from patch `index` on, from *src on, each
  // in_place_stride() elements behind the one before.
  bool some_in_place() const {
    return w.rows.kernel == 1 && (w.columns.kernel == 1 || (w.columns.dilation == 1 && channels == w.channels));
  }
  int64_t in_place_stride() const { return static_cast<int64_t>(w.columns.stride) * w.channels; }
  __attribute__((noinline)) int64_t in_place(int64_t index, int64_t most, const T** src) const {
    const Place p = place(index);
    const int64_t row = w.rows.first(p.row), column = w.columns.first(p.column),
                  room = w.columns.size - w.columns.kernel - column;
    if (row < 0 || row >= w.rows.size || column < 0 || room < 0) return 0;
    int64_t n = room / w.columns.stride + 1;
    if (n > w.columns.out - p.column) n = w.columns.out - p.column;
    *src = x + p.batch * w.map_elements() + row * w.row_elements() + column * w.channels + first;
    return n < most ? n : most;
  }

  // Neighbours of a row that overlap, of some channels: gathered as a strip, each channel of an input is copied once.
  bool stand_in_strips() const {
    return w.rows.kernel == 1 && w.columns.dilation == 1 && channels < w.channels && w.columns.stride < w.columns.kernel &&
           w.columns.kernel <= params::kMaxExactDepth;
  }
  // As many of `most` from patch `index` on as end with their row, in the room of `room` patches: each stride * channels behind the one before.
  __attribute__((noinline)) int64_t gather_strip(int64_t index, int64_t most, int64_t room, T* to) const {
    const int64_t left = w.columns.out - index % w.columns.out, fit = (room - 1) * w.columns.kernel / w.columns.stride + 1;
    int64_t n = most < left ? most : left;
    if (n > fit) n = fit;
    Patches strip = *this;
    strip.w.columns.kernel = static_cast<int32_t>((n - 1) * w.columns.stride + w.columns.kernel);
    strip.gather_one(place(index), to);
    return n;
  }

  // Patches [index, index + count), side by side. noinline, as in_place(): an op has several loops over blocks, and few calls in each.
  __attribute__((noinline)) void gather(int64_t index, int64_t count, T* to) const {
    Place p = place(index);
    for (; count > 0; --count, to += depth()) {
      gather_one(p, to);
      if (++p.column < w.columns.out) continue;
      p.column = 0;
      if (++p.row < w.rows.out) continue;
      p.row = 0;
      ++p.batch;
    }
  }

 private:
  struct Place {
    int64_t batch, row, column;
  };
  Place place(int64_t index) const {
    const int64_t line = index / w.columns.out;
    return {line / w.rows.out, line % w.rows.out, index % w.columns.out};
  }

  void gather_one(const Place& p, T* to) const {
    constexpr int64_t kBytes = static_cast<int64_t>(sizeof(T));
    const WindowSpan rows = span_inside(w.rows, p.row), columns = span_inside(w.columns, p.column);
    const int64_t line = static_cast<int64_t>(w.columns.kernel) * channels, inside = columns.last - columns.first;
    const int32_t lines = rows.last - rows.first;
    if (lines < w.rows.kernel || inside < w.columns.kernel) memset(to, 0, static_cast<size_t>(depth() * kBytes));
    if (lines <= 0 || inside <= 0) return;
    const int64_t row = w.rows.first(p.row) + static_cast<int64_t>(rows.first) * w.rows.dilation;
    const int64_t column = w.columns.first(p.column) + static_cast<int64_t>(columns.first) * w.columns.dilation;
    const T* from = x + p.batch * w.map_elements() + row * w.row_elements() + column * w.channels + first;
    to += rows.first * line + columns.first * static_cast<int64_t>(channels);
    // Of a single row the step may be any number, which pointers do not hold on 32 bits.
    const int64_t step = lines < 2 ? 0 : w.rows.dilation * w.row_elements();
    if (w.columns.dilation == 1 && channels == w.channels)
      return copy_pieces(from, step * kBytes, static_cast<size_t>(inside * channels * kBytes), lines, to, line * kBytes);
    const int64_t position = inside < 2 ? 0 : static_cast<int64_t>(w.columns.dilation) * w.channels;
    for (int32_t i = 0; i < lines; ++i, to += line)
      copy_pieces(from + i * step, position * kBytes, static_cast<size_t>(channels * kBytes), static_cast<int32_t>(inside), to, channels * kBytes);
  }
};

}  // namespace ert::ops
