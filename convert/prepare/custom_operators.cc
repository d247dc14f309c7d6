// See custom_operators.h.
#include "convert/prepare/custom_operators.h"

#include <algorithm>

namespace edgeconv {

std::vector<std::string> custom_operators(const Graph& g) {
  std::vector<std::string> names;
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kCustom) continue;
    const std::string name = n.as<CustomAttrs>().domain + "::" + n.as<CustomAttrs>().name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace edgeconv
