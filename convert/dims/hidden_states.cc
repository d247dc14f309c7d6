// See hidden_states.h.
#include "convert/dims/hidden_states.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/median.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int64_t kNarrow = 16;  // features that are no hidden states
constexpr size_t kLeastNorms = 2;
constexpr float kAboutOne = 1.5f;

bool is_hidden_states(const Value& v) {
  if (!is_float(v.dtype) || !v.shape || v.shape->size() != 3 || v.shape->back().constant().value_or(0) < kNarrow) return false;
  std::string name = v.name;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.find("hidden_state") != std::string::npos || name.find("encoder_out") != std::string::npos || name == "memory";
}

// Of a vector of this width.
std::optional<float> level_of(const Value& v, int64_t width) {
  if (!v.constant || !is_float(v.constant->dtype()) || v.constant->elements() != width || v.constant->dims().back() != width) return std::nullopt;
  double squares = 0;
  for (const float w : v.constant->to_float()) squares += double{w} * w;
  const double level = std::sqrt(squares / static_cast<double>(width));
  return level > 0 && std::isfinite(level) ? std::optional(static_cast<float>(level)) : std::nullopt;
}

// x / sqrt(..) or x * (1 / sqrt(..)): one that is computed, by another.
bool is_normalized(const Graph& g, ValueId v) {
  const Node* p = g.producer(before_casts(g, v));
  if (!p || p->kind != OpKind::kBinary || g.value(p->in(0)).constant || g.value(p->in(1)).constant) return false;
  const int kind = p->as<BinaryAttrs>().kind;
  return kind == binary::kMul || kind == binary::kDiv;
}

std::vector<float> norm_levels(const Graph& g, int64_t width) {
  std::vector<float> levels;
  const auto add = [&](ValueId weights) {
    if (const auto level = weights == kNone ? std::nullopt : level_of(g.value(weights), width)) levels.push_back(*level);
  };
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    if (n.kind == OpKind::kLayerNormalization) add(n.in(1));
    if (n.kind != OpKind::kBinary || n.as<BinaryAttrs>().kind != binary::kMul) continue;
    for (const size_t i : {size_t{0}, size_t{1}})
      if (g.value(n.in(i)).constant && is_normalized(g, n.in(1 - i))) add(n.in(i));
  }
  return levels;
}

}  // namespace

std::map<ValueId, float> hidden_state_levels(const Graph& g) {
  std::map<ValueId, float> found;
  for (ValueId in : g.inputs) {
    if (!is_hidden_states(g.value(in))) continue;
    const std::vector<float> levels = norm_levels(g, *g.value(in).shape->back().constant());
    if (levels.size() < kLeastNorms) continue;
    const float level = median(levels);
    if (level * kAboutOne < 1 || level > kAboutOne) found[in] = level;
  }
  return found;
}

}  // namespace edgeconv
