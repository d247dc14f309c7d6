// See deep_layers.h.
#include "convert/quantize/deep_layers.h"

#include <fmt/format.h>

#include "rt/ops/op_params.h"

namespace edgeconv {

bool is_too_deep(const Graph& g, const Node& n) {
  return n.kind == OpKind::kLinear && g.value(n.in(1)).constant->dims()[0] > ert::params::kMaxExactDepth;
}

void warn_of_deep_layers(const Graph& g, Diagnostics& d) {
  constexpr int kNamed = 4;
  int count = 0;
  std::string names;
  for (const Node& n : g.nodes) {
    if (n.dead || !is_too_deep(g, n)) continue;
    if (++count <= kNamed) names += (count > 1 ? ", '" : "'") + printable(n.origin.node) + "'";
  }
  if (count == 0) return;
  if (count > kNamed) names += fmt::format(" and {} more", count - kNamed);
  const bool one = count == 1;
  d.warn(fmt::format("{} layer{} more than {} products for an output, which integers of 32 bits do not hold exactly, and stay{} fp32: {}; pool or "
                     "reduce what {} read{} before it if the blob is too large",
                     count, one ? " sums" : "s sum", ert::params::kMaxExactDepth, one ? "s" : "", names, one ? "it" : "they", one ? "s" : ""));
}

}  // namespace edgeconv
