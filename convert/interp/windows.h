// Sliding windows over the spatial axes of an image, for convolutions and pools.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {

struct Windows {
  Dims size, kernel, stride, dilation, lead, trail, count;  // per spatial axis; count: windows along it

  // f(index of the window per axis), in row-major order.
  template <class F>
  void each_window(F&& f) const {
    each_index(count, f);
  }

  // f(tap, position in the image or -1 when it lies in the padding) for the window at `at`.
  template <class F>
  void each_tap(const Dims& at, F&& f) const {
    int64_t tap = 0;
    each_index(kernel, [&](const Dims& k) {
      int64_t position = 0;
      for (size_t i = 0; i < size.size(); ++i) {
        const int64_t p = at[i] * stride[i] - lead[i] + k[i] * dilation[i];
        if (p < 0 || p >= size[i]) position = -1;
        if (position >= 0) position = position * size[i] + p;
      }
      f(tap++, position);
    });
  }

 private:
  template <class F>
  static void each_index(const Dims& limits, F&& f) {
    for (int64_t l : limits) {
      if (l <= 0) return;
    }
    Dims at(limits.size(), 0);
    while (true) {
      f(at);
      size_t k = limits.size();
      while (k > 0 && ++at[k - 1] == limits[k - 1]) at[--k] = 0;
      if (k == 0) return;
    }
  }
};

Windows plan_windows(const NodeInputs& c, const ConvAttrs& a, const Dims& size, const Dims& kernel);

// Windows along the last axis that have a tap of it within the image.
struct Reach {
  int64_t first, end;
};
Reach reach_of(const Windows& w, int64_t tap);

// Of each line of windows along the last axis: the line of the image in which each tap of the other axes is, -1 where that is in the padding.
std::vector<std::vector<int64_t>> image_lines(const Windows& w);

}  // namespace edgeconv
