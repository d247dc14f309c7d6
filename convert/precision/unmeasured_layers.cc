// See unmeasured_layers.h.
#include "convert/precision/unmeasured_layers.h"

#include <cmath>
#include <set>

#include "convert/prepare/custom_operators.h"
#include "convert/quantize/exact_layers.h"

namespace edgeconv {

void adapt_to_custom_operators(const Graph& g, const std::vector<std::string>& outputs, PrecisionRequest& precision,
                               Diagnostics& d) {
  std::string names, operators;
  for (const std::string& n : outputs) names += (names.empty() ? "'" : ", '") + n + "'";
  for (const std::string& n : custom_operators(g)) operators += (operators.empty() ? "" : ", ") + n;
  std::string note = "not compared with the fp32 model: " + names + ", which depend" + (outputs.size() == 1 ? "s" : "") + " on " +
                     operators + "; the blob has no golden vectors. Compare on the device";
  if (precision.mode == PrecisionMode::kAuto) {
    note += ". Layers are w8a16, because int8 could not be checked: --precision int8 asks for it";
    precision.mode = PrecisionMode::kW8A16;
  }
  d.warn(note);
}

void add_unmeasured_layers(const Graph& g, std::vector<LayerSensitivity>& layers) {
  std::set<NodeId> measured = exact_layers(g);
  for (const LayerSensitivity& l : layers) measured.insert(l.node);
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.dead || n.kind != OpKind::kLinear || measured.count(static_cast<NodeId>(i))) continue;
    const auto& dims = g.value(n.in(1)).constant->dims();
    if (dims[0] > ert::params::kMaxExactDepth) continue;
    layers.push_back({static_cast<NodeId>(i), n.origin.node, dims[0], dims[1], std::nan("")});
  }
}

}  // namespace edgeconv
