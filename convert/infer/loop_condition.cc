// See loop_condition.h.
#include "convert/infer/loop_condition.h"

#include <optional>

#include "convert/infer/infer.h"
#include "convert/infer/inline_bodies.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int kMostParts = 64;  // of a condition: And of one value twice, again and again, would double them

// Behind casts, which keep the numbers of rounds.
ValueId uncast(const Graph& g, ValueId v) {
  for (const Node* p = g.producer(v); p && (p->kind == OpKind::kCast || p->kind == OpKind::kIdentity); p = g.producer(v))
    v = p->in(0);
  return v;
}

std::optional<DimExpr> number(const Graph& g, ValueId cast) {
  const ValueId v = uncast(g, cast);
  const Value& x = g.value(v);
  if (x.constant && x.constant->elements() == 1) {
    const float n = x.constant->to_float()[0];
    return n == static_cast<float>(static_cast<int64_t>(n)) ? std::optional(DimExpr(static_cast<int64_t>(n))) : std::nullopt;
  }
  return x.elements && x.elements->size() == 1 ? std::optional(x.elements->front()) : std::nullopt;
}

void know(Graph& g, ValueId v, const std::optional<DimExpr>& e) {
  Value& x = g.value(v);
  x.constant.reset();
  x.elements.reset();
  if (!e) return;
  x.elements = std::vector<DimExpr>{*e};
  x.dtype = x.dtype == DType::kUndefined ? DType::kInt64 : x.dtype;
  if (!x.shape) x.shape = Shape{};
}

}  // namespace

bool holds_while_positive(const Graph& g, ValueId condition, const DimExpr& rounds) {
  std::vector<ValueId> parts{condition};
  for (int seen = 0; !parts.empty(); ++seen) {
    if (seen == kMostParts) return false;
    const ValueId v = parts.back();
    parts.pop_back();
    if (const auto known = known_scalar(g, v)) {
      if (*known == 0) return false;
      continue;
    }
    const Node* p = g.producer(uncast(g, v));
    if (!p || p->kind != OpKind::kBinary) return false;
    const auto kind = p->as<BinaryAttrs>().kind;
    if (kind == binary::kAnd) {
      parts.insert(parts.end(), {p->in(0), p->in(1)});
      continue;
    }
    const auto a = number(g, p->in(0)), b = number(g, p->in(1));
    if (!a || !b || (kind != binary::kLess && kind != binary::kGreater)) return false;
    if (((kind == binary::kLess ? *b - *a : *a - *b) - rounds).constant().value_or(-1) < 0) return false;
  }
  return true;
}

// Dims are at least 1, rounds begin at 0.
DimExpr this_round() { return DimExpr::symbol("round of a loop") - DimExpr(1); }

Graph body_in_round(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body,
                    const std::vector<std::optional<int64_t>>& counters) {
  Graph trial = body;
  trial.fold_budget = g.fold_budget;
  know(trial, trial.inputs[0], this_round());
  for (size_t i = 0; i < counters.size(); ++i) {
    const ValueId start = inputs[i + 2];
    const bool handed_on = start != kNone && !is_float(g.value(start).dtype) &&
                           uncast(body, body.outputs[i + 1]) == body.inputs[i + 2];
    know(trial, trial.inputs[i + 2],
         counters[i] ? std::optional(DimExpr(*counters[i]) + this_round()) : handed_on ? number(g, start) : std::nullopt);
  }
  return trial;
}

CountedRounds counted_rounds(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body, size_t carried,
                             const DimExpr& count) {
  const DimExpr one(1);
  CountedRounds r{std::vector<std::optional<int64_t>>(carried), false};
  for (size_t i = 0; i < carried; ++i) {
    const ValueId start = inputs[i + 2];
    if (start == kNone || is_float(g.value(start).dtype) || g.value(start).rank() != 0) continue;
    if (uncast(body, body.outputs[i + 1]) != body.inputs[i + 2]) r.counters[i] = known_scalar(g, start);
  }
  // A counter may count by another one: those that turn out to be none are taken back until all are.
  for (bool all = false; !all;) {
    Graph trial = body_in_round(g, inputs, body, r.counters);
    Diagnostics ignored;
    infer(trial, ignored);
    all = true;
    for (size_t i = 0; i < carried; ++i) {
      if (!r.counters[i] || number(trial, trial.outputs[i + 1]) == DimExpr(*r.counters[i]) + this_round() + one) continue;
      r.counters[i].reset();
      all = false;
    }
    r.condition_holds = all && holds_while_positive(trial, trial.outputs[0], count - this_round() - one);
  }
  return r;
}

}  // namespace edgeconv
