// What was taken apart along an axis, computed alike for each element, and put together again is computed at once: Keras' TimeDistributed(Dense(..)) with
// the steps unrolled, or a loop of Python over x[:, i]. The elements come by Slice, Split, or Gather with one index; they go by Concat.
#include <algorithm>
#include <optional>
#include <vector>

#include "convert/ir/axis.h"
#include "convert/passes/live_users.h"
#include "convert/passes/node_builder.h"
#include "convert/passes/per_axis.h"

namespace edgeconv {

namespace {

// One element of `source` along `axis`, with or without that axis.
struct Element {
  ValueId source;
  int64_t axis, index;
  bool has_axis;
};

// The axis of one element that `with` has at `at` and `without` has not.
bool is_inserted(const Graph& g, ValueId without, ValueId with, int64_t at) {
  const auto &small = g.value(without).shape, &large = g.value(with).shape;
  if (!small || !large || large->size() != small->size() + 1 || at < 0 || at >= static_cast<int64_t>(large->size())) return false;
  Shape expected = *small;
  expected.insert(expected.begin() + at, DimExpr(1));
  return expected == *large;
}

std::optional<Element> part_of_split(const Graph& g, ValueId v) {
  const Node* split = producer_of_kind(g, v, OpKind::kSplit);
  const auto& whole = split != nullptr ? g.value(split->in(0)).shape : g.value(v).shape;
  if (split == nullptr || !whole || !g.value(v).shape) return {};
  const size_t axis = axis_index(split->as<SplitAttrs>().axis, whole->size());
  // Each is one long: behind a part of none or of two, another element stands at its place.
  const auto is_one_long = [&](ValueId part) { return part != kNone && g.value(part).shape && (*g.value(part).shape)[axis] == DimExpr(1); };
  if (!std::all_of(split->outputs.begin(), split->outputs.end(), is_one_long)) return {};
  const auto at = std::find(split->outputs.begin(), split->outputs.end(), v) - split->outputs.begin();
  return Element{split->in(0), static_cast<int64_t>(axis), at, true};
}

std::optional<Element> sliced(const Graph& g, ValueId v) {
  if (const auto e = part_of_split(g, v)) return e;
  const Node* slice = producer_of_kind(g, v, OpKind::kSlice);
  const auto crop = slice != nullptr ? crop_of(g, *slice) : std::nullopt;
  if (!crop) return {};
  std::optional<Element> e;
  for (size_t i = 0; i < crop->front.size(); ++i) {
    if (crop->front[i] == 0 && crop->behind[i] == DimExpr(0)) continue;
    if (e || (*g.value(v).shape)[i] != DimExpr(1)) return {};
    e = {slice->in(0), static_cast<int64_t>(i), crop->front[i], true};
  }
  return e;
}

std::optional<Element> element(const Graph& g, ValueId v) {
  if (const auto e = sliced(g, v)) return e;
  const Node* p = g.producer(v);
  if (p == nullptr || p->dead) return {};
  if (p->kind == OpKind::kGather) {
    const Value &from = g.value(p->in(0)), &index = g.value(p->in(1));
    if (!index.constant || index.rank() != 0 || !from.shape) return {};
    const int64_t axis = from_front(p->as<AxisAttrs>().axis, from.rank());
    const auto size = (*from.shape)[static_cast<size_t>(axis)].constant();
    if (!size) return {};
    return Element{p->in(0), axis, from_front(index.constant->to_int64()[0], *size), false};
  }
  if (!only_reshapes(p->kind)) return {};
  auto e = sliced(g, p->in(0));
  if (!e || !is_inserted(g, v, p->in(0), e->axis)) return {};
  e->has_axis = false;
  return e;
}

// The operand that the node computes its result of alone; the others are constants that reach over the last axes, `behind` of them, at most.
std::optional<size_t> only_operand(const Graph& g, const Node& n, int64_t behind) {
  if (n.outputs.size() != 1) return {};
  const auto is_constant = [&](ValueId v) { return v == kNone || g.value(v).constant; };
  if (n.kind == OpKind::kUnary) return 0;
  if (n.kind == OpKind::kMatMul || n.kind == OpKind::kLinear) {
    if (behind < 1 || is_constant(n.in(0)) || !std::all_of(n.inputs.begin() + 1, n.inputs.end(), is_constant)) return {};
    return g.value(n.in(1)).rank() == 2 && g.value(n.in(0)).rank() >= 2 ? std::optional<size_t>(0) : std::nullopt;
  }
  if (n.kind != OpKind::kBinary) return {};
  const size_t operand = is_constant(n.in(0)) ? 1 : 0;
  const ValueId other = n.in(1 - operand);
  if (is_constant(n.in(operand)) || !is_constant(other) || g.value(other).rank() > behind) return {};
  return g.value(n.in(operand)).rank() == g.value(n.outputs[0]).rank() ? std::optional<size_t>(operand) : std::nullopt;
}

// What one operand of the Concat is made of: nodes from the last to the first, and the element that the first one reads.
struct Branch {
  std::vector<NodeId> nodes;
  std::vector<size_t> operands;
  Element element;
};

constexpr size_t kLongestBranch = 16;

std::optional<Branch> branch_behind(const Graph& g, const Users& users, ValueId v) {
  Branch b;
  while (b.nodes.size() <= kLongestBranch) {
    if (const auto e = element(g, v)) {
      b.element = *e;
      return b;
    }
    const Node* p = g.producer(v);
    if (p == nullptr || p->dead || sole_user(g, users, v) == nullptr) return {};
    // How many axes stand behind the one that was taken apart is known at the end only: checked there.
    const auto operand = only_operand(g, *p, g.value(v).rank());
    if (!operand) return {};
    b.nodes.push_back(id_of(g, *p));
    b.operands.push_back(*operand);
    v = p->in(*operand);
  }
  return {};
}

bool are_alike(const Graph& g, const Branch& a, const Branch& b) {
  if (a.operands != b.operands || a.nodes.size() != b.nodes.size()) return false;
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &n = g.node(a.nodes[i]), &m = g.node(b.nodes[i]);
    if (n.kind != m.kind || n.inputs.size() != m.inputs.size() || !(n.attrs == m.attrs)) return false;
    for (size_t k = 0; k < n.inputs.size(); ++k)
      if (k != a.operands[i] && n.inputs[k] != m.inputs[k]) return false;
  }
  return a.element.source == b.element.source && a.element.axis == b.element.axis && a.element.has_axis == b.element.has_axis;
}

// The operand of the Concat without the axis that it is joined along, where the elements have none.
ValueId before_insertion(const Graph& g, const Users& users, ValueId v, int64_t axis) {
  const Node* p = g.producer(v);
  return p != nullptr && !p->dead && only_reshapes(p->kind) && sole_user(g, users, v) != nullptr && is_inserted(g, p->in(0), v, axis) ? p->in(0) : kNone;
}

struct Unstacked {
  Branch first;
  int64_t joined;  // axis of the Concat
};

std::optional<Unstacked> unstacked(const Graph& g, const Users& users, const Node& concat) {
  const int64_t rank = g.value(concat.outputs[0]).rank(), count = static_cast<int64_t>(concat.inputs.size());
  if (rank < 1 || count < 2) return {};
  const int64_t axis = from_front(concat.as<AxisAttrs>().axis, rank);
  std::optional<Branch> first;
  for (int64_t i = 0; i < count; ++i) {
    const ValueId part = concat.in(static_cast<size_t>(i)), inner = before_insertion(g, users, part, axis);
    auto b = inner != kNone ? branch_behind(g, users, inner) : std::nullopt;
    const bool has_axis = !b || b->element.has_axis;
    if (has_axis) b = branch_behind(g, users, part);
    if (!b || b->element.has_axis != has_axis || b->element.index != i || b->nodes.empty()) return {};
    if (has_axis && b->element.axis != axis) return {};
    if (i == 0) first = b;
    if (!are_alike(g, *first, *b)) return {};
  }
  const Element& e = first->element;
  const auto& source = *g.value(e.source).shape;
  if (source[static_cast<size_t>(e.axis)] != DimExpr(count) || static_cast<int64_t>(source.size()) != rank) return {};
  const int64_t behind = rank - 1 - e.axis;
  for (const NodeId n : first->nodes)
    if (!only_operand(g, g.node(n), behind)) return {};
  return Unstacked{*first, axis};
}

void compute_at_once(Graph& g, const Node& concat, const Unstacked& u) {
  ValueId v = u.first.element.source;
  for (size_t i = u.first.nodes.size(); i-- > 0;) {
    const Node n = g.node(u.first.nodes[i]);
    std::vector<ValueId> inputs = n.inputs;
    inputs[u.first.operands[i]] = v;
    v = g.add_node(n.kind, inputs, n.attrs, n.origin);
    const Value& old = g.value(n.outputs[0]);
    const DType dtype = old.dtype;
    Shape shape = *old.shape;
    if (u.first.element.has_axis) shape.erase(shape.begin() + u.first.element.axis);
    shape.insert(shape.begin() + u.first.element.axis, (*g.value(u.first.element.source).shape)[static_cast<size_t>(u.first.element.axis)]);
    g.value(v).dtype = dtype;
    g.value(v).shape = shape;
  }
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < g.value(concat.outputs[0]).rank(); ++i)
    if (i != u.first.element.axis) perm.push_back(i);
  perm.insert(perm.begin() + u.joined, u.first.element.axis);
  redefine(g, concat.outputs[0], OpKind::kTranspose, {v}, TransposeAttrs{perm}, concat.origin);
}

}  // namespace

int pass_join_unstacked(Graph& g, Diagnostics&) {
  int joined = 0;
  const size_t count = g.nodes.size();
  LiveUsers users(g);
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kConcat) continue;
    const Node concat = g.nodes[i];
    const auto u = unstacked(g, users.get(), concat);
    if (!u) continue;
    compute_at_once(g, concat, *u);
    users.update();
    ++joined;
  }
  return joined;
}

}  // namespace edgeconv
