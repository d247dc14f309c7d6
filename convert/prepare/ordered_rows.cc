// Outputs whose rows stand in the order of computed scores: detectors that sort their boxes themselves, top-k classes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "convert/ir/axis.h"
#include "convert/prepare/diagnosis.h"

namespace edgeconv {

namespace {

// A row of the result is one of the inputs' rows, or computed from rows in the same place.
bool keeps_rows(const Node& n) {
  switch (n.kind) {
    case OpKind::kUnary:
    case OpKind::kBinary:
    case OpKind::kCast:
    case OpKind::kGather:
    case OpKind::kGatherElements:
    case OpKind::kGatherND:
    case OpKind::kWhere: return true;
    default: return moved_inputs(n.kind) != 0;
  }
}

// Scores that layers compute have other last bits in every precision and runtime; an input's own numbers have not.
bool is_computed(const Graph& g, ValueId scores) {
  std::set<ValueId> seen;
  std::vector<ValueId> open = {scores};
  while (!open.empty()) {
    const Node* n = open.back() == kNone ? nullptr : g.producer(open.back());
    open.pop_back();
    if (n == nullptr) continue;
    if (n->kind == OpKind::kMatMul || n->kind == OpKind::kConv || n->kind == OpKind::kRnn || n->kind == OpKind::kEinsum ||
        n->kind == OpKind::kMatMulInteger || n->kind == OpKind::kConvInteger) return true;
    for (ValueId v : n->inputs)
      if (seen.insert(v).second) open.push_back(v);
  }
  return false;
}

// The TopK that puts the rows of v in order, or null.
const Node* order_of(const Graph& g, ValueId v) {
  std::set<ValueId> seen;
  std::vector<ValueId> open = {v};
  while (!open.empty()) {
    const ValueId at = open.back();
    open.pop_back();
    const Node* n = at == kNone || g.value(at).elements ? nullptr : g.producer(at);
    if (n == nullptr) continue;
    if (n->kind == OpKind::kTopK) {
      const Value& kept = g.value(at);
      const auto most = kept.shape ? (*kept.shape)[static_cast<size_t>(from_front(n->as<TopKAttrs>().axis, kept.rank()))].constant() : std::nullopt;
      if (most != 1 && is_computed(g, n->in(0))) return n;
      continue;
    }
    if (!keeps_rows(*n)) continue;
    // What a condition chooses stays where it was.
    for (size_t i = n->kind == OpKind::kWhere ? 1 : 0; i < n->inputs.size(); ++i)
      if (seen.insert(n->in(i)).second) open.push_back(n->in(i));
  }
  return nullptr;
}

}  // namespace

void diagnose_order(const Graph& g, Diagnostics& d) {
  std::string outputs;
  const Node* order = nullptr;
  for (ValueId v : g.outputs) {
    const Node* n = v == kNone ? nullptr : order_of(g, v);
    if (n == nullptr || (order && n != order)) continue;
    order = n;
    outputs += (outputs.empty() ? "'" : ", '") + g.value(v).name + "'";
  }
  if (order == nullptr) return;
  const bool many = outputs.find("', '") != std::string::npos;
  d.warn(fmt::format("the rows of output{} {} stand in the order of scores (node '{}'): rows whose scores are nearly the same change places with the last bit, "
                     "in another runtime too. Figures compare row by row: on inputs without clear answers they say little",
                     many ? "s" : "", outputs, order->origin.node));
}

}  // namespace edgeconv
