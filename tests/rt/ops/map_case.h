// 8-bit maps as test data, and MapConv and MapDepthwiseConv by plain loops in the order that NUMERICS.md says.
#pragma once

#include <string.h>

#include <cmath>

#include "kernels_int8/contract/map_kernels.h"
#include "tests/rt/ops/conv_case.h"

namespace ert::test {

// q and scales of some values: every row has a zero point and a scale of its own; some rows are zeros throughout.
struct MapTensors {
  Tensor q, scales;
};
inline MapTensors some_map(Dims dims, uint32_t seed) {
  MapTensors m = {empty(ERT_U8, dims), {}};
  const std::vector<float> v = noise(m.q.elements(), seed);
  for (size_t i = 0; i < v.size(); ++i) m.q.bytes[i] = static_cast<uint8_t>(127.5f + 127.5f * v[i]);
  std::vector<int32_t> words;
  for (float s : noise(int64_t{dims[0]} * dims[1], seed + 1)) {
    const float scale = s > 0.9f ? 0.0f : 0.02f + 0.01f * s;
    int32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    words.insert(words.end(), {bits, static_cast<int32_t>(127.5f - 127.5f * s)});
  }
  m.scales = i32({dims[0], dims[1], 2}, words);
  return m;
}
inline float scale_of(const Tensor& scales, size_t row) {
  float s;
  memcpy(&s, scales.bytes.data() + 8 * row, sizeof s);
  return s;
}
inline int32_t zero_point_of(const Tensor& scales, size_t row) { return scales.as<int32_t>()[2 * row + 1]; }

inline std::vector<float> values_of(const MapTensors& m, const std::vector<float>& factors) {
  std::vector<float> v;
  const size_t row = static_cast<size_t>(m.q.dims[2]) * static_cast<size_t>(m.q.dims[3]);
  for (size_t i = 0; i < m.q.bytes.size(); ++i) {
    float x = static_cast<float>(m.q.bytes[i] - zero_point_of(m.scales, i / row)) * scale_of(m.scales, i / row);
    if (!factors.empty()) x = x * factors[i % factors.size()];
    v.push_back(x);
  }
  return v;
}

struct MapConvCase {
  ConvAxis rows, columns;
  int32_t batch = 1, channels = 4, filters = 5;  // depthwise: filters are the channels
  bool depthwise = false, extras = true, residual = false;
  int32_t activation = params::map_conv::kNoActivation;
  uint8_t layout = params::kPackedN16K4;

  int32_t depth() const { return depthwise ? columns.kernel : columns.kernel * channels; }
  int32_t n() const { return depthwise ? channels : filters; }
  int32_t padded() const { return (n() + 15) / 16 * 16; }
  Dims out() const { return {batch, rows.out(), columns.out(), n()}; }
  bool fits() const { return rows.fits() && columns.fits(); }
};

// Weights of filter n at kernel row i, place d of the depth: w[(i * n() + n) * depth() + d].
inline std::vector<int8_t> map_weights(const MapConvCase& c, uint32_t seed) {
  std::vector<int8_t> w;
  for (float v : noise(int64_t{c.rows.kernel} * c.n() * c.depth(), seed)) w.push_back(static_cast<int8_t>(v * 127.0f));
  return w;
}

// Writes fp32; as_map() makes a map of it.
inline OpCase map_conv_case(const MapConvCase& c, uint32_t seed = 7) {
  const size_t n = static_cast<size_t>(c.n()), padded = static_cast<size_t>(c.padded()), k = static_cast<size_t>(c.depth());
  const size_t rows = static_cast<size_t>(c.rows.kernel);
  const std::vector<int8_t> w = map_weights(c, seed);
  const kernels::Layout layout = params::kernel_layout(c.layout);
  Tensor packed = packed_n16k4(static_cast<int32_t>(rows * padded), c.depth(), std::vector<int8_t>(rows * padded * k));
  packed.dtype = c.layout;
  packed.bytes.assign(kernels::packed_bytes(layout, rows * padded, k), 0);
  std::vector<int32_t> sums(rows * padded, 0);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t d = 0; d < k; ++d) {
        const int8_t v = w[(i * n + j) * k + d];
        packed.bytes[kernels::packed_offset(layout, i * padded + j, d, k)] = static_cast<uint8_t>(v);
        sums[i * padded + j] += v;
      }
  std::vector<float> scale;
  for (float v : noise(c.n(), seed + 2)) scale.push_back(0.01f + 0.005f * v);
  const MapTensors x = some_map({c.batch, c.rows.size, c.columns.size, c.channels}, seed + 9);
  OpCase o = {c.depthwise ? &kOpMapDepthwiseConv : &kOpMapConv,
              {x.q, x.scales, packed, f32({c.n()}, scale), i32({static_cast<int32_t>(sums.size())}, sums),
               c.extras ? noisy({c.n()}, seed + 3) : absent(), absent()},
              {empty(ERT_F32, c.out())},
              {c.activation, c.rows.kernel, c.rows.stride, c.rows.dilation, c.rows.begin, c.rows.end, c.columns.kernel,
               c.columns.stride, c.columns.dilation, c.columns.begin, c.columns.end},
              {},
              {}};
  if (c.activation == params::unary::kLeakyRelu) o.floats = {0.125f};
  if (c.residual) {
    const MapTensors r = some_map(c.out(), seed + 11);
    o.inputs.insert(o.inputs.end(), {r.q, r.scales, c.extras ? noisy({c.n()}, seed + 5) : absent()});
  }
  return o;
}

inline OpCase as_map(OpCase o, bool factors) {
  const Dims d = o.outputs[0].dims;
  o.outputs = {empty(ERT_U8, d), empty(ERT_I32, {d[0], d[1], 2})};
  if (factors) o.inputs[params::map_conv::kFactors] = noisy({d[3]}, 77);
  return o;
}

inline std::vector<float> plain_map_conv(const MapConvCase& c, const OpCase& o, uint32_t seed = 7) {
  const std::vector<int8_t> w = map_weights(c, seed);
  const std::vector<float> scale = o.inputs[3].as<float>(), bias = o.inputs[5].as<float>();
  const std::vector<uint8_t>& q = o.inputs[0].bytes;
  std::vector<float> y, residual;
  if (c.residual) residual = values_of({o.inputs[7], o.inputs[8]}, o.inputs[9].as<float>());
  for_each_index(c.out(), [&](const Dims& at) {
    float t = 0.0f;
    bool first = true;
    for (int32_t i = 0; i < c.rows.kernel; ++i) {
      const int32_t h = at[1] * c.rows.stride + i * c.rows.dilation - c.rows.begin;
      if (h < 0 || h >= c.rows.size) continue;
      const size_t row = static_cast<size_t>(at[0] * c.rows.size + h);
      int32_t sum = 0;
      for (int32_t j = 0; j < c.columns.kernel; ++j) {
        const int32_t v = at[2] * c.columns.stride + j * c.columns.dilation - c.columns.begin;
        if (v < 0 || v >= c.columns.size) continue;
        const size_t pixel =
            (row * static_cast<size_t>(c.columns.size) + static_cast<size_t>(v)) * static_cast<size_t>(c.channels);
        for (int32_t ch = c.depthwise ? at[3] : 0; ch < (c.depthwise ? at[3] + 1 : c.channels); ++ch) {
          const int32_t d = c.depthwise ? j : j * c.channels + ch;
          sum += (q[pixel + static_cast<size_t>(ch)] - zero_point_of(o.inputs[1], row)) *
                 w[static_cast<size_t>((i * c.n() + at[3]) * c.depth() + d)];
        }
      }
      const float part = static_cast<float>(sum) * scale_of(o.inputs[1], row);
      t = first ? part : t + part;
      first = false;
    }
    float v = t * scale[static_cast<size_t>(at[3])];
    if (!bias.empty()) v = v + bias[static_cast<size_t>(at[3])];
    if (c.residual) v = v + residual[y.size()];
    y.push_back(v);
  });
  return y;
}

}  // namespace ert::test
