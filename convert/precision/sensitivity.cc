// Products with the runtime's own kernels, in fp32 and in int8.
#include "convert/precision/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "convert/measure/accuracy.h"
#include "convert/quantize/map_layers.h"
#include "convert/quantize/smoothing.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

struct Noise {
  double signal = 0, noise = 0;
};

// y = x W without bias.
Noise int8_noise(const SampledRows& rows, const Tensor& weight, const PackedWeights& q) {
  const auto& kernels = ert::kernels::kernel_table(ert_isa_available());
  const auto linear = ert::kernels::linear_kernels(kernels, ert::kernels::Precision::kW8A8, ert::kernels::Layout::kN16K4);
  SampledRows some = rows;
  thin_out(some, kNoiseRows);
  const std::vector<float>& x = some.data;
  const size_t k = static_cast<size_t>(q.k), n = static_cast<size_t>(q.n), m = static_cast<size_t>(some.count());
  const size_t row_bytes = linear.row_bytes(k);
  Tensor lhs(DType::kUint8, {static_cast<int64_t>(row_bytes * m)});
  std::vector<ert::kernels::RowScale> scales(m);
  std::vector<float> exact(m * n), got(m * n);
  const auto depth = static_cast<ptrdiff_t>(k), columns = static_cast<ptrdiff_t>(n);
  const float* inv = q.inv_smooth.bytes() ? q.inv_smooth.as<float>().data() : nullptr;
  linear.quantize_rows(m, k, x.data(), depth, inv, lhs.mutable_data(), row_bytes, scales.data());
  const ert::kernels::PackedWeights w{reinterpret_cast<const int8_t*>(q.codes.data()), q.scale.as<float>().data(),
                                      q.colsum.as<int32_t>().data(), nullptr};
  linear.gemm({m, n, k, lhs.data(), row_bytes, scales.data(), w, got.data(), columns});
  kernels.gemm_f32(m, n, k, x.data(), depth, 1, weight.as<float>().data(), columns, nullptr, exact.data(), columns);
  Noise r;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double d = double{got[i]} - exact[i];
    r.signal += double{exact[i]} * exact[i];
    r.noise += d * d;
  }
  return r;
}

// Of direction d: weights are [D, columns, H].
Noise recurrent_noise(const SampledRows& states, const Tensor& weights, int64_t d) {
  const int64_t columns = weights.dims()[1], hidden = weights.dims()[2];
  Tensor w(DType::kFloat, {hidden, columns});
  const auto from = weights.as<float>();
  const auto to = w.mut<float>();
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t k = 0; k < hidden; ++k)
      to[static_cast<size_t>(k * columns + c)] = from[static_cast<size_t>((d * columns + c) * hidden + k)];
  return int8_noise(states, w, pack_weights(quantize_weights(to, hidden, columns), {}));
}

// Of a depthwise convolution, on its patches: each is rounded in the steps of its own range, and weights in those of their channel.
Noise depthwise_noise(const SampledRows& patches, const Tensor& weight, const std::vector<float>& smooth) {
  SampledRows some = patches;
  thin_out(some, kNoiseRows);
  const auto w = weight.as<float>();
  const auto channels = static_cast<size_t>(weight.dims()[1]), positions = static_cast<size_t>(weight.dims()[0]);
  const QuantizedWeights q = quantize_weights(w, weight.dims()[0], weight.dims()[1]);
  const auto factor = [&](size_t c) { return smooth.empty() ? 1.0f : smooth[c]; };
  Noise sum;
  for (size_t row = 0; row < static_cast<size_t>(some.count()); ++row) {
    const float* x = some.data.data() + row * positions * channels;
    float lo = 0, hi = 0;
    for (size_t i = 0; i < positions * channels; ++i) {
      const float y = x[i] / factor(i % channels);
      lo = std::min(lo, y), hi = std::max(hi, y);
    }
    const float step = (hi - lo) / static_cast<float>(kInt8Steps);
    if (!(step > 0) || !std::isfinite(step)) continue;
    for (size_t c = 0; c < channels; ++c) {
      double exact = 0, got = 0;
      for (size_t p = 0; p < positions; ++p) {
        const float value = x[p * channels + c], rounded = std::nearbyintf(value / factor(c) / step) * step * factor(c);
        exact += double{value} * w[p * channels + c];
        got += double{rounded} * q.codes[c * positions + p] * q.scale[c];
      }
      sum.signal += exact * exact;
      sum.noise += (got - exact) * (got - exact);
    }
  }
  return sum;
}

// y = x W with the weights as they will be stored, and the recurrent products on the states that the layer gave.
Noise layer_noise(const Graph& g, NodeId id, const LayerSample& sample, const std::vector<float>& smooth, WeightStore& store,
                  LayerFacts& facts) {
  const Node& n = g.node(id);
  const Tensor weight = g.value(n.in(1)).constant->cast(DType::kFloat).aligned();
  if (n.kind == OpKind::kLinear) {
    const PackedWeights stored = store.linear(g, n.in(1), smooth);
    facts = layer_facts(sample, weight, stored, smooth);
    return int8_noise(sample.rows[0], weight, stored);
  }
  if (n.kind == OpKind::kDepthwiseConv) return depthwise_noise(sample.rows[0], weight, smooth);
  facts = state_facts(sample);
  Noise sum;
  for (size_t d = 0; d < sample.rows.size(); ++d) {
    const Noise one = recurrent_noise(sample.rows[d], weight, static_cast<int64_t>(d));
    sum.signal += one.signal;
    sum.noise += one.noise;
  }
  return sum;
}

}  // namespace

std::vector<LayerSensitivity> measure_sensitivity(const Graph& g, const LayerSamples& samples, const SmoothingFactors& smooth,
                                                  WeightStore& store) {
  std::vector<LayerSensitivity> layers;
  const MapLayers maps = map_layers(g);
  for (const auto& [id, sample] : samples) {
    const Node& n = g.node(id);
    const auto& dims = g.value(n.in(1)).constant->dims();
    const bool recurrent = n.kind == OpKind::kRecurrence;
    // Longer sums would overflow the int32 accumulators: such a layer stays fp32.
    if (!recurrent && dims[0] > ert::params::kMaxExactDepth) continue;
    const auto s = smooth.find(id);
    LayerSensitivity l{id, n.origin.node, recurrent ? dims[2] : dims[0], recurrent ? dims[0] * dims[1] : dims[1]};
    l.smoothed = s != smooth.end();
    l.recurrent = recurrent;
    l.depthwise = n.kind == OpKind::kDepthwiseConv;
    l.over_maps = maps.count(id) != 0;
    l.keeps_map = l.over_maps && g.maps == MapUse::kAll;
    const Noise sum = layer_noise(g, id, sample, l.smoothed ? s->second : std::vector<float>(), store, l.facts);
    l.local_sqnr_db = sqnr_db(sum.signal, sum.noise);
    layers.push_back(std::move(l));
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerSensitivity& a, const LayerSensitivity& b) { return a.local_sqnr_db < b.local_sqnr_db; });
  return layers;
}

}  // namespace edgeconv
