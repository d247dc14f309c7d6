// See fixed_dims.h.
#include "convert/prepare/fixed_dims.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "convert/ir/foreign_text.h"

namespace edgeconv {

void check_dims_vary(const Graph& g, const ModelInfo& info, const std::map<std::string, int64_t>& most) {
  std::set<std::string> vary;
  for (ValueId v : g.inputs)
    if (g.value(v).shape)
      for (const DimExpr& size : *g.value(v).shape)
        for (const std::string& name : size.symbols()) vary.insert(name);
  for (const auto& [name, size] : most) {
    if (vary.count(name) || std::find(info.dims.begin(), info.dims.end(), name) == info.dims.end()) continue;
    if (const auto same = g.same_dims.find(name); same != g.same_dims.end() && vary.count(same->second)) continue;
    if (const auto sum = g.summed_dims.find(name); sum != g.summed_dims.end()) {
      std::string parts;
      for (const std::string& part : sum->second.symbols()) parts += " --dim " + shell_word(part + "=MAX");
      throw FatalError(ExitCode::kUsage, fmt::format("--dim {}={}: it is {} in the model; give{} instead", printable(name), size, sum->second.str(), parts));
    }
    throw FatalError(ExitCode::kUsage, fmt::format("--dim {0}={1}: '{0}' has no range, because nodes of the model have one size of it; --fix {0}={1} makes it {1}, "
                                                   "where these take it, and without either it is what the file writes",
                                                   printable(name), size));
  }
}

}  // namespace edgeconv
