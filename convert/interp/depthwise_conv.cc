// DepthwiseConv: channels last, every channel with a kernel of its own. Both backends add in the order of the runtime's op.
#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "kernels_int8/dispatch/conv_dispatch.h"

namespace edgeconv {

namespace {

struct SpatialAxis {
  int64_t kernel = 1, stride = 1, dilation = 1, begin = 0, in = 1, out = 1;
};

SpatialAxis spatial_axis(const WindowAttrs& a, const Dims& x, size_t i) {
  SpatialAxis s{a.kernel[i], a.strides[i], a.dilations[i], a.begin[i], x[i + 1], 0};
  s.out = (s.in + a.begin[i] + a.end[i] - s.dilation * (s.kernel - 1) - 1) / s.stride + 1;
  return s;
}

// Taps of output i that meet the input.
std::pair<int64_t, int64_t> taps_of(const SpatialAxis& s, int64_t i) {
  int64_t first = 0, last = s.kernel;
  while (first < last && i * s.stride - s.begin + first * s.dilation < 0) ++first;
  while (last > first && i * s.stride - s.begin + (last - 1) * s.dilation >= s.in) --last;
  return {first, last};
}

}  // namespace

Results eval_depthwise_conv(const NodeInputs& c) {
  const WindowAttrs& a = c.node.as<DepthwiseConvAttrs>().window;
  const int activation = c.node.as<DepthwiseConvAttrs>().activation;
  const Tensor x = c.in(0).cast(DType::kFloat), w = c.in(1).cast(DType::kFloat);
  const size_t axes = a.kernel.size();
  if ((axes != 1 && axes != 2) || x.dims().size() != axes + 2) c.fail("x and the kernel do not fit");
  const SpatialAxis rows = axes == 2 ? spatial_axis(a, x.dims(), 0) : SpatialAxis{},
                    columns = spatial_axis(a, x.dims(), axes - 1);
  const int64_t channels = x.dims().back();
  if (w.dims() != Dims{rows.kernel * columns.kernel, channels}) c.fail("the weights do not fit the kernel and the channels");
  if (rows.out < 1 || columns.out < 1) c.fail("the kernel is larger than the padded input");
  const Tensor bias = c.has(2) ? c.in(2).cast(DType::kFloat) : Tensor();
  if (c.has(2) && bias.elements() != channels) c.fail("the bias needs one value per channel");
  Dims dims{x.dims()[0]};
  if (axes == 2) dims.push_back(rows.out);
  dims.push_back(columns.out);
  dims.push_back(channels);
  Tensor out(DType::kFloat, dims);
  const ert::kernels::ConvKernels& kernels = ert::kernels::conv_kernels(canonical_kernels().isa);
  const int64_t row_floats = columns.in * channels;
  ert::kernels::DepthwiseArgs args{};
  args.outputs = 1;
  args.channels = args.pixel = static_cast<size_t>(channels);
  args.src_row = rows.dilation * row_floats;
  args.src_tap = columns.dilation * channels;
  args.weights_row = columns.kernel * channels;
  args.bias = c.has(2) ? bias.as<float>().data() : nullptr;
  args.dst = out.mut<float>().data();
  for (int64_t image = 0; image < x.dims()[0]; ++image) {
    for (int64_t i = 0; i < rows.out; ++i) {
      const auto [first_row, last_row] = taps_of(rows, i);
      for (int64_t j = 0; j < columns.out; ++j, args.dst += channels) {
        const auto [first, last] = taps_of(columns, j);
        args.taps = static_cast<size_t>(last - first);
        args.rows = args.taps == 0 ? 0 : static_cast<size_t>(last_row - first_row);
        args.weights = w.as<float>().data() + (first_row * columns.kernel + first) * channels;
        args.src = x.as<float>().data();
        if (args.rows > 0)
          args.src += (image * rows.in + i * rows.stride - rows.begin + first_row * rows.dilation) * row_floats +
                      (j * columns.stride - columns.begin + first * columns.dilation) * channels;
        kernels.depthwise(args);
      }
    }
  }
  if (activation != ert::params::depthwise_conv::kNoActivation) {
    float* y = out.mut<float>().data();
    apply_unary(c.backend, activation, 0, static_cast<size_t>(out.elements()), y, y);
  }
  return {out};
}

}  // namespace edgeconv
