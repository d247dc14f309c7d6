// One weight after the other, as soon as all has been seen that its layers read: factors, then rounding.
#include "convert/quantize/layer_weights.h"

#include <algorithm>

#include "convert/quantize/rounding.h"
#include "convert/quantize/shared_columns.h"
#include "convert/quantize/smoothing.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

std::vector<float> quantize(const Graph& g, ValueId weight, const LayerSample& sample, double lhs_steps, int64_t tied,
                            WeightStore& store) {
  const Tensor w = g.value(weight).constant->cast(DType::kFloat).aligned();
  const std::vector<float> factors = smoothing_factors(sample, w, lhs_steps, tied);
  const int64_t k = w.dims()[0], n = w.dims()[1];
  // Deeper sums stay fp32.
  if (k <= ert::params::kMaxExactDepth)
    store.put(weight, factors, pack_weights(round_with_feedback(w.as<float>(), k, n, factors, sample.rows[0]), factors));
  return factors;
}

void join(LayerSample& all, const LayerSample& more) {
  if (all.rows.empty()) all = {std::vector<float>(more.amax.size(), 0.0f), {SampledRows{more.rows[0].width, {}}}};
  for (size_t k = 0; k < all.amax.size(); ++k) all.amax[k] = std::max(all.amax[k], more.amax[k]);
  all.rows[0].data.insert(all.rows[0].data.end(), more.rows[0].data.begin(), more.rows[0].data.end());
}

}  // namespace

QuantizedLayers quantize_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration,
                                const std::optional<PaddingMask>& padding, double lhs_steps, WeightStore& store) {
  std::map<ValueId, std::vector<NodeId>> readers;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (!n.dead && n.kind == OpKind::kLinear && !g.value(n.in(1)).quantized) readers[n.in(1)].push_back(static_cast<NodeId>(i));
  }
  QuantizedLayers layers;
  std::map<ValueId, LayerSample> shared;
  layers.samples = sample_layers(g, calibration, padding, [&](NodeId id, LayerSample& sample) {
    if (const auto it = readers.find(g.node(id).in(1)); g.node(id).kind == OpKind::kLinear && it != readers.end()) {
      if (it->second.size() == 1)
        layers.smooth[id] = quantize(g, it->first, sample, lhs_steps, tied_channels(g, g.node(id)), store);
      else
        join(shared[it->first], sample);
    }
    for (SampledRows& rows : sample.rows) thin_out(rows, kNoiseRows);
  });
  for (const auto& [weight, sample] : shared) {
    const std::vector<float> factors = quantize(g, weight, sample, lhs_steps, 0, store);
    for (NodeId id : readers[weight])
      if (layers.samples.count(id)) layers.smooth[id] = factors;
  }
  return layers;
}

}  // namespace edgeconv
