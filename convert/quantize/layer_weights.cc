// One weight after the other, as soon as all has been seen that its layers read: factors, then rounding.
#include "convert/quantize/layer_weights.h"

#include <algorithm>

#include "convert/quantize/map_layers.h"
#include "convert/quantize/rounding.h"
#include "convert/quantize/shared_columns.h"
#include "convert/quantize/smoothing.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

Tensor weight_of(const Graph& g, ValueId weight) { return g.value(weight).constant->cast(DType::kFloat).aligned(); }

void round_weight(const Graph& g, ValueId weight, const SampledRows& rows, const std::vector<float>& factors, WeightStore& store) {
  const Tensor w = weight_of(g, weight);
  const int64_t k = w.dims()[0], n = w.dims()[1];
  // Deeper sums stay fp32.
  if (k <= ert::params::kMaxExactDepth)
    store.put(weight, factors, pack_weights(round_with_feedback(w.as<float>(), k, n, factors, rows), factors));
}

std::vector<float> quantize(const Graph& g, ValueId weight, const LayerSample& sample, double lhs_steps, int64_t tied,
                            WeightStore& store) {
  const std::vector<float> factors = smoothing_factors(sample, weight_of(g, weight), lhs_steps, tied);
  round_weight(g, weight, sample.rows[0], factors, store);
  return factors;
}

void join(LayerSample& all, const LayerSample& more) {
  if (all.rows.empty()) all = {std::vector<float>(more.amax.size(), 0.0f), {SampledRows{more.rows[0].width, {}}}};
  for (size_t k = 0; k < all.amax.size(); ++k) all.amax[k] = std::max(all.amax[k], more.amax[k]);
  all.rows[0].data.insert(all.rows[0].data.end(), more.rows[0].data.begin(), more.rows[0].data.end());
}

// Layers that read one map, until all of them have been sampled.
class MapGroups {
 public:
  MapGroups(const Graph& g, double lhs_steps, WeightStore& store, SmoothingFactors& smooth)
      : g_(g), layers_(map_layers(g)), lhs_steps_(lhs_steps), store_(store), smooth_(smooth) {
    for (const std::vector<NodeId>& group : map_groups(g, layers_)) {
      for (const NodeId id : group) group_of_[id] = groups_.size();
      groups_.push_back({group, {}});
    }
  }
  // Whether the layer is one of them; then it is seen to.
  bool take(NodeId id, const LayerSample& sample) {
    const auto at = group_of_.find(id);
    if (at == group_of_.end()) return false;
    Group& group = groups_[at->second];
    group.samples[id] = sample;
    if (group.samples.size() == group.layers.size()) finish(group);
    return true;
  }

 private:
  struct Group {
    std::vector<NodeId> layers;
    std::map<NodeId, LayerSample> samples;
  };

  bool dense(NodeId id) const { return !layers_.at(id).depthwise; }

  // What the dense layers would have, on average; empty where there are none, or weights came quantized. A depthwise layer has a scale for each channel
  // anyhow.
  std::vector<float> factors_of(const Group& group) const {
    std::vector<std::vector<float>> all;
    for (const NodeId id : group.layers) {
      const MapLayer& l = layers_.at(id);
      const ValueId weight = g_.node(id).in(1);
      if (g_.value(weight).quantized) return {};
      if (!dense(id)) continue;
      all.push_back(smoothing_factors(group.samples.at(id), weight_of(g_, weight), lhs_steps_, l.channels));
      all.back().resize(static_cast<size_t>(l.channels));
      if (all.back().size() != all[0].size()) return {};
    }
    return all.empty() ? std::vector<float>() : common_factors(all);
  }

  void finish(Group& group) {
    const std::vector<float> factors = factors_of(group);
    std::map<ValueId, LayerSample> by_weight;
    for (const NodeId id : group.layers) {
      if (g_.value(g_.node(id).in(1)).quantized) continue;
      if (dense(id)) join(by_weight[g_.node(id).in(1)], group.samples.at(id));
      if (!factors.empty()) smooth_[id] = dense(id) ? at_each_position(factors, group.samples.at(id).rows[0].width) : factors;
    }
    for (const auto& [weight, sample] : by_weight)
      round_weight(g_, weight, sample.rows[0], at_each_position(factors, sample.rows[0].width), store_);
    group.samples.clear();
  }

  static std::vector<float> at_each_position(const std::vector<float>& factors, int64_t k) {
    std::vector<float> all;
    while (!factors.empty() && all.size() < static_cast<size_t>(k)) all.insert(all.end(), factors.begin(), factors.end());
    return all;
  }

  const Graph& g_;
  MapLayers layers_;
  double lhs_steps_;
  WeightStore& store_;
  SmoothingFactors& smooth_;
  std::vector<Group> groups_;
  std::map<NodeId, size_t> group_of_;
};

}  // namespace

QuantizedLayers quantize_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration,
                                const std::optional<PaddingMask>& padding, double lhs_steps, WeightStore& store) {
  std::map<ValueId, std::vector<NodeId>> readers;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (!n.dead && n.kind == OpKind::kLinear && !g.value(n.in(1)).quantized) readers[n.in(1)].push_back(static_cast<NodeId>(i));
  }
  QuantizedLayers layers;
  MapGroups maps(g, lhs_steps, store, layers.smooth);
  std::map<ValueId, LayerSample> shared;
  layers.samples = sample_layers(g, calibration, padding, [&](NodeId id, LayerSample& sample) {
    if (maps.take(id, sample)) {
      // together with those that read the same
    } else if (const auto it = readers.find(g.node(id).in(1)); g.node(id).kind == OpKind::kLinear && it != readers.end()) {
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
