// ConvTranspose: products of all input elements with all taps, added up where they belong.
#include <algorithm>

#include "convert/interp/eval.h"
#include "convert/interp/transposed_axis.h"
#include "convert/interp/windows.h"

namespace edgeconv {

std::optional<TransposedAxis> transposed_axis(const ConvTransposeAttrs& a, size_t i, size_t axes, const DimExpr& size,
                                              int64_t kernel) {
  const auto at = [&](const std::vector<int64_t>& v, int64_t otherwise) { return i < v.size() ? v[i] : otherwise; };
  TransposedAxis t{kernel, at(a.strides, 1), at(a.dilations, 1), 0, DimExpr()};
  const DimExpr full = (size - DimExpr(1)) * DimExpr(t.stride) + DimExpr((kernel - 1) * t.dilation + 1 + at(a.output_padding, 0));
  const bool same = a.auto_pad == "SAME_UPPER" || a.auto_pad == "SAME_LOWER";
  if (!same && a.output_shape.empty()) {
    int64_t cut = 0;
    if (a.auto_pad != "VALID" && a.pads.size() == 2 * axes) {
      t.begin = a.pads[i];
      cut = a.pads[i] + a.pads[i + axes];
    }
    t.out = full - DimExpr(cut);
    return t;
  }
  t.out = a.output_shape.empty() ? size * DimExpr(t.stride) : DimExpr(at(a.output_shape, 0));
  const auto missing = (full - t.out).constant();
  if (!missing) return {};
  // As ONNX Runtime: automatic padding never lengthens a result, and a longer one that is asked for has zeros behind.
  const int64_t total = std::max<int64_t>(0, *missing);
  if (a.output_shape.empty()) t.out = full - DimExpr(total);
  t.begin = a.auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
  return t;
}

Results eval_conv_transpose(const NodeInputs& c) {
  const ConvTransposeAttrs& a = c.node.as<ConvTransposeAttrs>();
  const Tensor x = c.in(0).cast(DType::kFloat), w = c.in(1).cast(DType::kFloat);
  const Dims &xd = x.dims(), &wd = w.dims();
  if (xd.size() < 3 || wd.size() != xd.size()) c.fail("x and weights need equal rank of at least 3");
  if (wd[0] != xd[1] || a.group < 1 || xd[1] % a.group != 0) c.fail("channels do not fit the groups");
  const size_t axes = xd.size() - 2;
  Windows to;  // the output as the image, a window for every input element
  Dims dims{xd[0], wd[1] * a.group};
  for (size_t i = 0; i < axes; ++i) {
    const auto t = transposed_axis(a, i, axes, DimExpr(xd[i + 2]), wd[i + 2]);
    const int64_t out = t ? t->out.constant().value_or(0) : 0;
    if (out < 1) c.fail("its result is empty");
    to.size.push_back(out);
    to.kernel.push_back(t->kernel);
    to.stride.push_back(t->stride);
    to.dilation.push_back(t->dilation);
    to.lead.push_back(t->begin);
    to.count.push_back(xd[i + 2]);
    dims.push_back(out);
  }
  const int64_t per_in = xd[1] / a.group, per_out = wd[1], taps = product(to.kernel), area = product(to.size),
                positions = product(to.count), columns = per_out * taps;
  Tensor out(DType::kFloat, dims);
  float* d = out.mut<float>().data();
  const Tensor bias = c.has(2) ? c.in(2).cast(DType::kFloat) : Tensor();
  if (c.has(2) && bias.elements() != dims[1]) c.fail("the bias needs one value per channel");
  std::vector<float> products(static_cast<size_t>(positions * columns));
  for (int64_t image = 0; image < xd[0] * a.group; ++image) {
    const int64_t g = image % a.group;
    matmul_f32(c.backend, positions, columns, per_in, {x.as<float>().data() + image * per_in * positions, positions, true},
               {w.as<float>().data() + g * per_in * columns, columns}, products.data(), columns);
    float* channels = d + image * per_out * area;
    for (int64_t m = 0; c.has(2) && m < per_out; ++m)
      std::fill_n(channels + m * area, area, bias.as<float>()[static_cast<size_t>(g * per_out + m)]);
    const float* row = products.data();
    to.each_window([&](const Dims& at) {
      to.each_tap(at, [&](int64_t tap, int64_t position) {
        if (position < 0) return;
        for (int64_t m = 0; m < per_out; ++m) channels[m * area + position] += row[m * taps + tap];
      });
      row += columns;
    });
  }
  return {out};
}

}  // namespace edgeconv
