// Convolution of any number of spatial axes: patches of the input as rows, then one matrix product per group.
#include <algorithm>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "convert/interp/windows.h"

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
    const int64_t span = size[i] + w.lead[i] + w.trail[i] - reach;
    if (span < 0) c.fail("the kernel is larger than the padded input");
    int64_t count = (a.ceil_mode ? span + w.stride[i] - 1 : span) / w.stride[i] + 1;
    if (a.ceil_mode && (count - 1) * w.stride[i] >= size[i] + w.lead[i]) --count;  // the window would start in the padding
    w.count.push_back(count);
  }
  return w;
}

namespace {

// rows[output position][channel * taps + tap] of one image's channels.
void fill_patches(const Windows& w, const float* image, int64_t channels, float* rows) {
  const int64_t taps = product(w.kernel), area = product(w.size);
  int64_t row = 0;
  w.each_window([&](const Dims& at) {
    float* d = rows + row++ * channels * taps;
    w.each_tap(at, [&](int64_t tap, int64_t position) {
      for (int64_t ch = 0; ch < channels; ++ch) d[ch * taps + tap] = position < 0 ? 0.0f : image[ch * area + position];
    });
  });
}

}  // namespace

Results eval_conv(const NodeInputs& c) {
  const ConvAttrs& a = c.node.as<ConvAttrs>();
  const Tensor x = c.in(0).cast(DType::kFloat), w = c.in(1).cast(DType::kFloat);
  if (x.rank() < 3 || w.rank() != x.rank()) c.fail("x and weights need equal rank of at least 3");
  const int64_t batch = x.dims()[0], in_channels = x.dims()[1], out_channels = w.dims()[0], groups = a.group;
  const int64_t per_in = w.dims()[1];
  if (groups <= 0 || per_in * groups != in_channels || out_channels % groups != 0) c.fail("channels do not fit the groups");
  const Windows windows =
      plan_windows(c, a, Dims(x.dims().begin() + 2, x.dims().end()), Dims(w.dims().begin() + 2, w.dims().end()));
  const int64_t positions = product(windows.count), k = per_in * product(windows.kernel), area = product(windows.size),
                per_out = out_channels / groups;
  Dims dims{batch, out_channels};
  dims.insert(dims.end(), windows.count.begin(), windows.count.end());
  Tensor out(DType::kFloat, dims);
  float* d = out.mut<float>().data();
  std::vector<float> patches(static_cast<size_t>(positions * k));
  const Tensor bias = c.has(2) ? c.in(2).cast(DType::kFloat) : Tensor();
  if (c.has(2) && bias.elements() != out_channels) c.fail("the bias needs one value per channel");
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t g = 0; g < groups; ++g) {
      fill_patches(windows, x.as<float>().data() + (b * in_channels + g * per_in) * area, per_in, patches.data());
      float* to = d + (b * out_channels + g * per_out) * positions;
      matmul_f32(c.backend, per_out, positions, k, {w.as<float>().data() + g * per_out * k, k}, {patches.data(), k, true}, to,
                 positions);
      for (int64_t o = 0; c.has(2) && o < per_out; ++o) {
        const float add = bias.as<float>()[static_cast<size_t>(g * per_out + o)];
        for (int64_t p = 0; p < positions; ++p) to[o * positions + p] += add;
      }
    }
  }
  return {out};
}

}  // namespace edgeconv
