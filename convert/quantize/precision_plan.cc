// See precision_plan.h.
#include "convert/quantize/precision_plan.h"

#include <algorithm>
#include <set>

#include "convert/quantize/deep_layers.h"
#include "convert/quantize/exact_layers.h"
#include "convert/quantize/map_layers.h"

namespace edgeconv {

namespace linear = ert::params::linear;

const char* precision_name(int32_t precision) {
  constexpr const char* kNames[] = {"int8", "fp32", "w8a16", "w12a13"};
  static_assert(linear::kInt8 == 0 && linear::kF32 == 1 && linear::kInt8A16 == 2 && linear::kW12A13 == 3);
  return kNames[precision];
}

std::vector<std::pair<NodeId, LayerPlan>>::const_iterator PrecisionPlan::find(NodeId layer) const {
  return std::lower_bound(layers_.begin(), layers_.end(), layer, [](const auto& entry, NodeId id) { return entry.first < id; });
}

LayerPlan PrecisionPlan::of(NodeId layer) const {
  const auto at = find(layer);
  return at != layers_.end() && at->first == layer ? at->second : LayerPlan{};
}

void PrecisionPlan::set(NodeId layer, LayerPlan how) {
  const auto at = layers_.begin() + (find(layer) - layers_.cbegin());
  if (at != layers_.end() && at->first == layer)
    at->second = how;
  else
    layers_.insert(at, {layer, how});
}

int PrecisionPlan::count(Precision p) const {
  return static_cast<int>(
      std::count_if(layers_.begin(), layers_.end(), [&](const auto& entry) { return entry.second.precision == p; }));
}

size_t PrecisionPlan::hash() const {
  // FNV-1a over what operator== compares.
  uint64_t h = 14695981039346656037u;
  const auto add = [&](uint64_t v) { h = (h ^ v) * 1099511628211u; };
  add((int8_attention ? 1 : 0) + (int8_tables ? 2 : 0) + (int16_tables ? 4 : 0) + (maps ? 8 : 0));
  for (const auto& [layer, how] : layers_) {
    add(static_cast<uint64_t>(layer));
    add(static_cast<uint64_t>(how.precision) * 2 + (how.smoothed ? 1 : 0));
  }
  return static_cast<size_t>(h);
}

std::string PrecisionPlan::str() const {
  std::string s = std::string("attention ") + part_precision_name(int8_attention) + ", tables " + tables_name();
  if (maps) s += ", maps";
  if (!layers_.empty()) s += ", layers";
  for (size_t i = 0; i < layers_.size(); ++i) {
    const auto& [layer, how] = layers_[i];
    s += (i ? ", " : " ") + std::to_string(layer) + " " + precision_name(how.precision) + (how.smoothed ? " smoothed" : "");
  }
  return s;
}

PrecisionPlan int8_plan(const Graph& g) {
  PrecisionPlan plan;
  const std::set<NodeId> exact = exact_layers(g);
  for (const auto& [id, layer] : map_layers(g)) plan.set(id, linear::kInt8), plan.maps = true;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    const auto id = static_cast<NodeId>(i);
    if (n.dead || (n.kind != OpKind::kLinear && n.kind != OpKind::kRecurrence) || exact.count(id)) continue;
    if (!is_too_deep(g, n)) plan.set(id, linear::kInt8);
  }
  return plan;
}

}  // namespace edgeconv
