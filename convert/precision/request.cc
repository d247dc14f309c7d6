// See request.h.
#include "convert/precision/request.h"

#include <algorithm>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr size_t kNamed = 12;  // layers in a message

Precision forced(PrecisionMode m) {
  switch (m) {
    case PrecisionMode::kFp32: return linear::kF32;
    case PrecisionMode::kW12A13: return linear::kW12A13;
    case PrecisionMode::kW8A16: return linear::kInt8A16;
    default: return linear::kInt8;
  }
}

void check_patterns(const PrecisionRequest& request, const std::vector<LayerSensitivity>& layers) {
  for (const auto& override : request.overrides) {
    const std::string& pattern = override.first;
    if (std::any_of(layers.begin(), layers.end(), [&](const LayerSensitivity& l) { return glob_match(pattern, l.name); }))
      continue;
    std::string names;
    for (size_t i = 0; i < layers.size() && i < kNamed; ++i) names += "\n  " + layers[i].name;
    throw FatalError(ExitCode::kUsage, "--precision '" + pattern + "=...' matches no layer; layers are" + names +
                                           (layers.size() > kNamed ? "\n  ..." : ""));
  }
}

}  // namespace

const char* mode_name(PrecisionMode m) {
  constexpr const char* kNames[] = {"auto", "int8", "w8a16", "w12a13", "fp32"};
  return kNames[static_cast<int>(m)];
}

bool asked_for(const PrecisionRequest& request, const std::string& layer) {
  return std::any_of(request.overrides.begin(), request.overrides.end(),
                     [&](const auto& override) { return glob_match(override.first, layer); });
}

AskedPlan asked_plan(const PrecisionRequest& request, const std::vector<LayerSensitivity>& layers) {
  AskedPlan asked;
  asked.plan.int8_attention = asked.plan.int8_tables = !is_exact(request.mode);
  asked.plan.maps = std::any_of(layers.begin(), layers.end(), [](const LayerSensitivity& l) { return l.over_maps; });
  if (layers.empty()) return asked;  // any pattern is as good as another
  check_patterns(request, layers);
  for (const LayerSensitivity& l : layers) {
    Precision precision = forced(request.mode);
    for (const auto& [pattern, mode] : request.overrides)
      if (glob_match(pattern, l.name)) precision = forced(mode);
    if (l.depthwise && (precision != linear::kInt8 || !l.over_maps)) precision = linear::kF32;
    asked.plan.set(l.node, {precision, l.smoothed});
    asked.fixed.push_back(request.mode != PrecisionMode::kAuto || asked_for(request, l.name) || (l.depthwise && !l.over_maps));
  }
  return asked;
}

bool glob_match(const std::string& pattern, const std::string& text) {
  // Iterative matcher with one backtrack point: linear in practice, no recursion on hostile patterns.
  size_t p = 0, t = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace edgeconv
