// See chain.h.
#include "convert/precision/chain.h"

#include <algorithm>

#include "convert/measure/decision.h"

namespace edgeconv {

namespace {

constexpr int kMostSteps = 32;

bool is_sound(InputKind k) { return k == InputKind::kWaveform || k == InputKind::kSpectrum || k == InputKind::kField; }

// What stands between the last layer and an output without deciding anything.
bool follows_a_layer(const Graph& g, const Node& n) {
  switch (n.kind) {
    case OpKind::kUnary:
    case OpKind::kReduce:
    case OpKind::kBatchNormalization:
    case OpKind::kMaxPool:
    case OpKind::kAveragePool: return true;
    case OpKind::kBinary:
    case OpKind::kWhere:
      return std::count_if(n.inputs.begin(), n.inputs.end(), [&](ValueId in) { return in != kNone && !g.value(in).constant; }) ==
                 1 ||
             std::count(n.inputs.begin(), n.inputs.end(), n.in(0)) > 1;
    default: return rearranges(n.kind) || n.kind == OpKind::kIdentity;
  }
}

bool ends_in_convolution(const Graph& g, ValueId v) {
  for (int step = 0; step < kMostSteps; ++step) {
    const Node* p = v == kNone ? nullptr : g.producer(v);
    if (!p || p->dead) return false;
    if (p->kind == OpKind::kConv) return true;
    if (!follows_a_layer(g, *p)) return false;
    const auto next =
        std::find_if(p->inputs.begin(), p->inputs.end(), [&](ValueId in) { return in != kNone && !g.value(in).constant; });
    if (next == p->inputs.end()) return false;
    v = *next;
  }
  return false;
}

bool is_decided(const Graph& g, ValueId v) { return decision_of(g, v).by != Decision::kValue; }

}  // namespace

bool reads_features(const Graph& g, const DimPlan& dims) {
  const bool windows =
      std::any_of(dims.kinds.begin(), dims.kinds.end(), [](const auto& k) { return k.second.kind == InputKind::kWindow; });
  return windows &&
         std::all_of(g.outputs.begin(), g.outputs.end(), [&](ValueId v) { return decision_of(g, v).by == Decision::kLogit; });
}

bool gives_features(const Graph& g, const DimPlan& dims) {
  const auto sound = [&](ValueId in) {
    const auto k = dims.kinds.find(in);
    return k != dims.kinds.end() && is_sound(k->second.kind);
  };
  return !g.inputs.empty() && std::all_of(g.inputs.begin(), g.inputs.end(), sound) &&
         std::all_of(g.outputs.begin(), g.outputs.end(),
                     [&](ValueId v) { return !is_decided(g, v) && ends_in_convolution(g, v); });
}

}  // namespace edgeconv
