// See counted_axes.h.
#include "convert/dims/counted_axes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "convert/infer/inline_bodies.h"
#include "convert/ir/axis.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int kLongestChain = 16;

// What a value may be at most.
struct Limit {
  ValueId value = kNone;
  DimExpr most;
};

// Of integer arithmetic with one constant.
std::optional<Limit> before_arithmetic(const Graph& g, const Node& n, const DimExpr& most) {
  const auto kind = n.as<BinaryAttrs>().kind;
  const auto left = known_scalar(g, n.in(0)), right = known_scalar(g, n.in(1));
  if (!is_integer(g.value(n.outputs[0]).dtype) || left.has_value() == right.has_value()) return {};
  const int64_t c = left ? *left : *right;
  const ValueId other = n.in(left ? 1 : 0);
  if (kind == binary::kAdd) return Limit{other, most - DimExpr(c)};
  if (kind == binary::kSub && right) return Limit{other, most + DimExpr(c)};
  if (kind == binary::kDiv && right && c > 0) return Limit{other, most * DimExpr(c) + DimExpr(c - 1)};
  if (kind == binary::kMul && c > 0) return Limit{other, most.floor_div(DimExpr(c))};
  return {};
}

// The input that a value is made of, and its limit where that of the value is known.
std::optional<Limit> input_limit(const Graph& g, Limit l) {
  for (int step = 0; step < kLongestChain; ++step) {
    if (std::find(g.inputs.begin(), g.inputs.end(), l.value) != g.inputs.end()) return l;
    const Node* p = g.producer(l.value);
    if (!p) return {};
    if (p->kind == OpKind::kBinary) {
      auto before = before_arithmetic(g, *p, l.most);
      if (!before) return {};
      l = std::move(*before);
    } else if (p->kind == OpKind::kCast || p->kind == OpKind::kExpand || p->kind == OpKind::kSlice || only_reshapes(p->kind) ||
               (p->kind == OpKind::kGather && g.value(p->in(1)).constant)) {
      l.value = p->in(0);
    } else {
      return {};
    }
  }
  return {};
}

}  // namespace

std::map<ValueId, std::vector<DimExpr>> counted_axes(const Graph& g) {
  constexpr size_t kSequenceLens = 4;  // of LSTM, GRU and RNN (ONNX 7)
  std::map<ValueId, std::vector<DimExpr>> found;
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kRnn && n.kind != OpKind::kReverseSequence)) continue;
    const bool layer = n.kind == OpKind::kRnn;
    const ValueId lengths = n.in(layer ? kSequenceLens : 1);
    const auto& x = g.value(n.in(0)).shape;
    if (lengths == kNone || !x || x->size() < 2) continue;
    const size_t time = layer ? (n.as<RnnAttrs>().layout ? 1 : 0) : axis_index(n.as<AxisAttrs>().axis, x->size());
    const auto limit = input_limit(g, {lengths, (*x)[time]});
    if (!limit) continue;
    std::vector<DimExpr>& sizes = found[limit->value];
    if (std::find(sizes.begin(), sizes.end(), limit->most) == sizes.end()) sizes.push_back(limit->most);
  }
  return found;
}

}  // namespace edgeconv
