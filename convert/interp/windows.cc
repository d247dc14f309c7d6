// See windows.h.
#include "convert/interp/windows.h"

#include <algorithm>

namespace edgeconv {

Windows plan_windows(const NodeInputs& c, const ConvAttrs& a, const Dims& size, const Dims& kernel) {
  const size_t n = size.size();
  if (kernel.size() != n) c.fail("the kernel does not fit the rank");
  Windows w;
  w.size = size;
  w.kernel = kernel;
  w.stride = a.strides.empty() ? Dims(n, 1) : a.strides;
  w.dilation = a.dilations.empty() ? Dims(n, 1) : a.dilations;
  w.lead = Dims(n, 0);
  w.trail = Dims(n, 0);
  if (w.stride.size() != n || w.dilation.size() != n) c.fail("strides or dilations do not fit the rank");
  for (size_t i = 0; i < n; ++i) {
    if (w.stride[i] <= 0 || w.dilation[i] <= 0 || kernel[i] <= 0) c.fail("strides, dilations and kernel sizes must be positive");
    const int64_t reach = w.dilation[i] * (kernel[i] - 1) + 1;
    if (a.auto_pad == "SAME_UPPER" || a.auto_pad == "SAME_LOWER") {
      const int64_t count = (size[i] + w.stride[i] - 1) / w.stride[i],
                    pad = std::max<int64_t>(0, (count - 1) * w.stride[i] + reach - size[i]);
      w.lead[i] = a.auto_pad == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
      w.trail[i] = pad - w.lead[i];
    } else if (a.auto_pad != "VALID" && !a.pads.empty()) {
      if (a.pads.size() != 2 * n) c.fail("pads do not fit the rank");
      w.lead[i] = a.pads[i];
      w.trail[i] = a.pads[i + n];
    }
    // Rounded up, the first window too may reach beyond the end.
    const int64_t span = size[i] + w.lead[i] + w.trail[i] - reach + (a.ceil_mode ? w.stride[i] - 1 : 0);
    if (span < 0) c.fail("the kernel is larger than the padded input");
    int64_t count = span / w.stride[i] + 1;
    if (a.ceil_mode) count = std::min(count, (size[i] + w.lead[i] + w.stride[i] - 1) / w.stride[i]);  // none starts in the padding behind
    w.count.push_back(count);
  }
  return w;
}

Reach reach_of(const Windows& w, int64_t tap) {
  const size_t last = w.size.size() - 1;
  const int64_t stride = w.stride[last], at = tap * w.dilation[last] - w.lead[last];  // of window 0
  const int64_t first = at < 0 ? (-at + stride - 1) / stride : 0, behind = w.size[last] - at;
  const int64_t end = behind > 0 ? (behind + stride - 1) / stride : 0;
  const int64_t begin = std::min(first, w.count[last]);
  return {begin, std::clamp(end, begin, w.count[last])};
}

std::vector<std::vector<int64_t>> image_lines(const Windows& w) {
  std::vector<std::vector<int64_t>> lines{{0}};
  for (size_t i = 0; i + 1 < w.size.size(); ++i) {
    std::vector<std::vector<int64_t>> next;
    for (const std::vector<int64_t>& taps : lines)
      for (int64_t at = 0; at < w.count[i]; ++at) {
        std::vector<int64_t>& of = next.emplace_back();
        for (const int64_t line : taps)
          for (int64_t k = 0; k < w.kernel[i]; ++k) {
            const int64_t p = at * w.stride[i] - w.lead[i] + k * w.dilation[i];
            of.push_back(line < 0 || p < 0 || p >= w.size[i] ? -1 : line * w.size[i] + p);
          }
      }
    lines = std::move(next);
  }
  return lines;
}

}  // namespace edgeconv
