// Cases of Conv, and the patches that one stands for.
#pragma once

#include "tests/rt/ops/op_harness.h"

namespace ert::test {

inline constexpr auto kConvRelu = static_cast<int32_t>(kernels::Unary::kRelu);

struct ConvAxis {
  int32_t size, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;
  int32_t out() const { return (size + begin + end - dilation * (kernel - 1) - 1) / stride + 1; }
  bool fits() const { return size + begin + end - dilation * (kernel - 1) - 1 >= 0; }
};

struct ConvCase {
  std::vector<ConvAxis> axes;
  int32_t batch = 1, channels = 3, first = 0, count = 3, filters = 5;
  int32_t precision = params::linear::kInt8, activation = params::linear::kNoActivation;
  bool extras = true;  // bias and smoothing
  uint8_t layout = params::kPackedN16K4;
  int32_t shared = 0;

  int32_t depth() const {
    int32_t k = count;
    for (const ConvAxis& a : axes) k *= a.kernel;
    return k;
  }
  Dims map(bool out, int32_t last) const {
    Dims d{batch};
    for (const ConvAxis& a : axes) d.push_back(out ? a.out() : a.size);
    d.push_back(last);
    return d;
  }
};

inline Tensor packed_filters(const ConvCase& c, const std::vector<int8_t>& w) {
  const size_t n = static_cast<size_t>(c.filters), k = static_cast<size_t>(c.depth());
  const kernels::Layout layout = params::kernel_layout(c.layout);
  Tensor t = packed_n16k4(c.filters, c.depth(), w);
  t.dtype = c.layout;
  t.bytes.assign(kernels::packed_bytes(layout, n, k), 0);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < k; ++i) t.bytes[kernels::packed_offset(layout, j, i, k)] = static_cast<uint8_t>(w[j * k + i]);
  return t;
}

// Operands of a Linear of c.depth() values and c.filters columns, behind x.
inline std::vector<Tensor> filters_of(const ConvCase& c, uint32_t seed) {
  const int32_t n = c.filters, k = c.depth();
  const Tensor bias = c.extras ? f32({n}, noise(n, seed + 1)) : absent();
  if (c.precision == params::linear::kF32) return {noisy({k, n}, seed), bias};
  std::vector<int8_t> w;
  for (float v : noise(int64_t{n} * k, seed)) w.push_back(static_cast<int8_t>(v * 127.0f));
  std::vector<float> scale, smooth;
  std::vector<int32_t> sums;
  for (float v : noise(n, seed + 2)) scale.push_back(0.01f + 0.005f * v);
  for (float v : noise(k, seed + 3)) smooth.push_back(1.0f + 0.5f * v);
  for (int32_t j = 0; j < n; ++j) {
    int32_t sum = 0;
    for (int32_t i = 0; i < k; ++i) sum += w[static_cast<size_t>(j * k + i)];
    sums.push_back(sum);
  }
  if (c.shared != 0) smooth.resize(static_cast<size_t>(c.count));
  return {packed_filters(c, w), bias, f32({n}, scale), i32({n}, sums),
          c.extras ? f32({static_cast<int32_t>(smooth.size())}, smooth) : absent()};
}

inline OpCase conv_case(const ConvCase& c, uint32_t seed = 7) {
  OpCase o = {&kOpConv, {noisy(c.map(false, c.channels), seed + 9)}, {empty(ERT_F32, c.map(true, c.filters))}, {}, {}, {}};
  o.ints = {c.precision, c.activation, c.first, c.count, c.shared};
  for (const ConvAxis& a : c.axes) o.ints.insert(o.ints.end(), {a.kernel, a.stride, a.dilation, a.begin, a.end});
  for (Tensor& t : filters_of(c, seed)) o.inputs.push_back(std::move(t));
  return o;
}

// The definition, element by element.
inline std::vector<float> patches_of(const ConvCase& c, const std::vector<float>& x) {
  ConvAxis rows{1};
  if (c.axes.size() == 2) rows = c.axes[0];
  const ConvAxis& columns = c.axes.back();
  std::vector<float> p;
  for (int32_t b = 0; b < c.batch; ++b)
    for (int32_t i = 0; i < rows.out(); ++i)
      for (int32_t j = 0; j < columns.out(); ++j)
        for (int32_t ki = 0; ki < rows.kernel; ++ki)
          for (int32_t kj = 0; kj < columns.kernel; ++kj)
            for (int32_t ch = c.first; ch < c.first + c.count; ++ch) {
              const int32_t row = i * rows.stride - rows.begin + ki * rows.dilation;
              const int32_t column = j * columns.stride - columns.begin + kj * columns.dilation;
              const bool inside = row >= 0 && row < rows.size && column >= 0 && column < columns.size;
              p.push_back(inside ? x[static_cast<size_t>(((b * rows.size + row) * columns.size + column) * c.channels + ch)]
                                 : 0.0f);
            }
  return p;
}

}  // namespace ert::test
