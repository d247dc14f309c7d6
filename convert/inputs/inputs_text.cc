// See inputs_text.h.
#include "convert/inputs/inputs_text.h"

#include <fmt/format.h>

#include "convert/inputs/affordable_inputs.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

constexpr size_t kNamed = 4;  // inputs

}  // namespace

std::string made_up_text(const Graph& g, const DimPlan& dims, size_t sets) {
  std::string kinds;
  size_t named = 0;
  for (ValueId v : g.inputs) {
    const auto kind = dims.kinds.find(v);
    if (kind == dims.kinds.end() || ++named > kNamed) continue;
    const auto range = dims.rounded_to.find(v);
    kinds += fmt::format("{}'{}': {}{}", kinds.empty() ? "" : ", ", printable(g.value(v).name), kind_name(kind->second.kind),
                         range != dims.rounded_to.end() ? fmt::format(" of {:.3g} to {:.3g}, as the file rounds it", range->second.first, range->second.second)
                         : kind->second.scale == InputScale::kLogarithms ? " of logarithms as they are"
                                                                         : "");
  }
  if (named > kNamed) kinds += fmt::format(" and {} more", named - kNamed);
  if (kinds.empty()) return "made-up inputs";
  return fmt::format("made-up inputs ({}{})", kinds, has_states(dims) ? fmt::format(", over {} steps", sets) : "");
}

std::string recorded_text(const std::vector<std::string>& files, size_t frames) {
  std::string names;
  for (const std::string& f : files) names += (names.empty() ? "'" : ", '") + printable(f) + "'";
  const std::string steps = frames ? fmt::format(", over {} steps of the model's own states", frames) : "";
  return "recorded inputs" + (names.empty() ? "" : " of " + names) + steps;
}

}  // namespace edgeconv
