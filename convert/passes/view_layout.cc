// Layout algebra on symbolic sizes.
#include "convert/passes/view_layout.h"

#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"

namespace edgeconv {

std::optional<DimExpr> exact_quotient(const DimExpr& a, const DimExpr& b) {
  if (b == DimExpr(1)) return a;
  if (b == DimExpr(0)) return {};
  const DimExpr q = a.floor_div(b);
  if (q * b != a) return {};
  for (const auto& term : q.terms())
    for (const auto& f : term.factors)
      if (f->kind != DimExpr::Atom::Kind::kSymbol) return {};
  return q;
}

ViewLayout ViewLayout::identity(const Graph& g, ValueId source) {
  ViewLayout l;
  l.source = source;
  l.source_shape = *g.value(source).shape;
  l.first.assign(l.source_shape.size(), DimExpr(0));
  for (size_t i = 0; i < l.source_shape.size(); ++i) {
    l.axes.emplace_back();
    if (l.source_shape[i] != DimExpr(1)) l.axes.back().push_back({static_cast<int>(i), 1, l.source_shape[i]});
  }
  return l;
}

std::vector<Atom> ViewLayout::flat() const {
  std::vector<Atom> all;
  for (const auto& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
  return all;
}

std::vector<Atom> merge_atoms(const std::vector<Atom>& atoms) {
  std::vector<Atom> merged;
  for (const Atom& a : atoms) {
    if (a.size == DimExpr(1)) continue;
    if (!merged.empty() && merged.back().axis == a.axis && merged.back().stride == a.stride * a.size) {
      merged.back().stride = a.stride;
      merged.back().size = merged.back().size * a.size;
    } else {
      merged.push_back(a);
    }
  }
  return merged;
}

bool is_view(OpKind k) { return only_reshapes(k) || k == OpKind::kTranspose; }

namespace {

// Distributes pieces over new axes of the given sizes, cutting pieces where an axis ends inside one.
std::optional<std::vector<std::vector<Atom>>> regroup(std::vector<Atom> atoms, const Shape& sizes) {
  std::vector<std::vector<Atom>> axes;
  std::reverse(atoms.begin(), atoms.end());  // back() is the next piece
  for (const DimExpr& size : sizes) {
    std::vector<Atom> axis;
    DimExpr left = size;
    while (left != DimExpr(1)) {
      if (atoms.empty()) return {};
      const Atom next = atoms.back();
      atoms.pop_back();
      if (const auto rest = exact_quotient(left, next.size)) {
        axis.push_back(next);
        left = *rest;
      } else if (const auto inner = exact_quotient(next.size, left)) {
        axis.push_back({next.axis, next.stride * *inner, left});
        atoms.push_back({next.axis, next.stride, *inner});
        left = 1;
      } else {
        return {};
      }
    }
    axes.push_back(std::move(axis));
  }
  if (!atoms.empty()) return {};
  return axes;
}

// Keeps `count` entries from `start` on along an axis that is one piece of the source.
bool select(ViewLayout& l, size_t axis, const DimExpr& start, const DimExpr& count) {
  std::vector<Atom>& pieces = l.axes[axis];
  pieces = merge_atoms(pieces);
  if (pieces.size() != 1) return start == DimExpr(0) && pieces.empty() && count == DimExpr(1);
  Atom& a = pieces[0];
  l.first[static_cast<size_t>(a.axis)] = l.first[static_cast<size_t>(a.axis)] + start * a.stride;
  a.size = count;
  if (count == DimExpr(1)) pieces.clear();
  return true;
}

std::optional<ViewLayout> apply_selection(const Graph& g, ViewLayout l, const Node& n, ValueId output) {
  const Shape& in = *g.value(n.in(0)).shape;
  if (n.kind == OpKind::kGather) {
    const auto index = g.value(n.in(1)).constant;
    if (!index || index->elements() != 1 || index->rank() > 1 || !is_integer(index->dtype())) return {};
    const size_t axis = axis_index(n.as<AxisAttrs>().axis, in.size());
    const int64_t i = index->to_int64()[0];
    const DimExpr start = i < 0 ? in[axis] + i : DimExpr(i);
    if (const auto c = start.constant(); c && *c < 0) return {};
    if (!select(l, axis, start, 1)) return {};
    if (index->rank() == 0) l.axes.erase(l.axes.begin() + static_cast<std::ptrdiff_t>(axis));
    return l;
  }
  if (n.kind == OpKind::kSplit) {
    const size_t axis = axis_index(n.as<SplitAttrs>().axis, in.size());
    DimExpr start = 0;
    for (ValueId o : n.outputs) {
      if (o == kNone || !g.value(o).shape) return {};
      const DimExpr size = (*g.value(o).shape)[axis];
      if (o == output) return select(l, axis, start, size) ? std::optional(l) : std::nullopt;
      start = start + size;
    }
    return {};
  }
  // Slice with constant non-negative starts and step 1.
  const Shape& out = *g.value(output).shape;
  const auto& starts = g.value(n.in(1)).constant;
  if (!starts) return {};
  std::vector<int64_t> axes, steps;
  if (n.in(3) != kNone) {
    if (!g.value(n.in(3)).constant) return {};
    axes = g.value(n.in(3)).constant->to_int64();
  }
  if (n.in(4) != kNone) {
    if (!g.value(n.in(4)).constant) return {};
    steps = g.value(n.in(4)).constant->to_int64();
  }
  const std::vector<int64_t> first = starts->to_int64();
  for (size_t i = 0; i < first.size(); ++i) {
    const size_t axis = axes.empty() ? i : axis_index(axes[i], in.size());
    if ((!steps.empty() && steps[i] != 1) || out[axis] == DimExpr(0)) return {};
    if (in[axis] == out[axis]) continue;
    DimExpr start = first[i] < 0 ? in[axis] + first[i] : DimExpr(first[i]);
    // ONNX clamps a start before the first element; with a symbolic size that cannot be decided here.
    if (const auto c = start.constant(); c && *c < 0) start = 0;
    if (first[i] < 0 && !start.constant()) return {};
    if (!select(l, axis, start, out[axis])) return {};
  }
  return l;
}

}  // namespace

std::optional<ViewLayout> apply_view(const Graph& g, const ViewLayout& in, const Node& n, ValueId output, bool selections) {
  if (!g.value(output).shape || !g.value(n.in(0)).shape) return {};
  if (is_view(n.kind)) {
    ViewLayout out = in;
    if (n.kind == OpKind::kTranspose) {
      const auto& perm = n.as<TransposeAttrs>().perm;
      for (size_t i = 0; i < out.axes.size(); ++i)
        out.axes[i] = in.axes[perm.empty() ? out.axes.size() - 1 - i : static_cast<size_t>(perm[i])];
      return out;
    }
    auto axes = regroup(in.flat(), *g.value(output).shape);
    if (!axes) axes = regroup(merge_atoms(in.flat()), *g.value(output).shape);
    if (!axes) return {};
    out.axes = std::move(*axes);
    return out;
  }
  if (!selections || (n.kind != OpKind::kGather && n.kind != OpKind::kSplit && n.kind != OpKind::kSlice)) return {};
  return apply_selection(g, in, n, output);
}

namespace {

// The factor, if n multiplies or divides its first or second operand by a constant scalar.
std::optional<std::pair<ValueId, float>> scalar_factor(const Graph& g, const Node& n) {
  if (n.kind != OpKind::kBinary) return {};
  const auto kind = n.as<BinaryAttrs>().kind;
  if (kind != ert::params::binary::kMul && kind != ert::params::binary::kDiv) return {};
  const auto right = scalar_constant(g, n.in(1)), left = scalar_constant(g, n.in(0));
  if (right && g.value(n.in(0)).shape == g.value(n.outputs[0]).shape)
    return std::pair(n.in(0), kind == ert::params::binary::kMul ? *right : 1.0f / *right);
  if (left && kind == ert::params::binary::kMul && g.value(n.in(1)).shape == g.value(n.outputs[0]).shape)
    return std::pair(n.in(1), *left);
  return {};
}

struct Link {
  const Node* node;
  ValueId input, output;
  float factor;
};

}  // namespace

ViewLayout trace_view(const Graph& g, ValueId v, bool selections, float* scale) {
  // The longest chain of views behind v that the algebra can express, applied from its start.
  std::vector<Link> chain;
  for (ValueId at = v; chain.size() < 64;) {
    const Node* p = g.producer(at);
    if (!p || p->dead) break;
    const bool candidate = is_view(p->kind) ||
                           (selections && (p->kind == OpKind::kGather || p->kind == OpKind::kSplit || p->kind == OpKind::kSlice));
    const auto factor = scale ? scalar_factor(g, *p) : std::nullopt;
    if (!candidate && !factor) break;
    const ValueId input = factor ? factor->first : p->in(0);
    if (input == kNone || !g.value(input).shape) break;
    chain.push_back({p, input, at, factor ? factor->second : 1.0f});
    at = input;
  }
  for (size_t length = chain.size(); length > 0; --length) {
    std::optional<ViewLayout> l = ViewLayout::identity(g, chain[length - 1].input);
    float product = 1;
    for (size_t i = length; i-- > 0 && l;) {
      product *= chain[i].factor;
      if (chain[i].node->kind != OpKind::kBinary) l = apply_view(g, *l, *chain[i].node, chain[i].output, selections);
    }
    if (!l) continue;
    if (scale) *scale *= product;
    return *l;
  }
  return ViewLayout::identity(g, v);
}

bool keeps_order(const ViewLayout& l) {
  const auto flat = merge_atoms(l.flat());
  for (size_t i = 1; i < flat.size(); ++i)
    if (flat[i].axis <= flat[i - 1].axis) return false;
  return true;
}

void build_view(Graph& g, ValueId source, const ViewLayout& l, ValueId out, const Origin& origin) {
  const Shape shape = *g.value(out).shape;
  if (keeps_order(l)) {
    redefine(g, out, OpKind::kReshape, {source, shape_operand(g, origin.node, shape)}, ReshapeAttrs{true}, origin);
    return;
  }
  const std::vector<Atom> wanted = merge_atoms(l.flat());
  std::vector<size_t> order(wanted.size());  // order[i]: which wanted piece is the i-th of the source
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (wanted[a].axis != wanted[b].axis) return wanted[a].axis < wanted[b].axis;
    return exact_quotient(wanted[a].stride, wanted[b].stride).has_value() && wanted[a].stride != wanted[b].stride;
  });
  const int last = static_cast<int>(l.source_shape.size()) - 1;
  const DimExpr width = g.value(source).shape->back();
  const auto size_of = [&](const Atom& a) { return a.axis == last && a.size == l.source_shape.back() ? width : a.size; };
  Shape pieces, permuted;
  for (size_t i : order) pieces.push_back(size_of(wanted[i]));
  std::vector<int64_t> perm(wanted.size());
  for (size_t i = 0; i < order.size(); ++i) perm[order[i]] = static_cast<int64_t>(i);
  for (const Atom& a : wanted) permuted.push_back(size_of(a));
  const DType dtype = g.value(source).dtype;
  ValueId v = source;
  if (*g.value(source).shape != pieces) {
    v = g.add_node(OpKind::kReshape, {source, shape_operand(g, origin.node, pieces)}, ReshapeAttrs{true}, origin);
    g.value(v).dtype = dtype;
    g.value(v).shape = pieces;
  }
  if (permuted == shape) {
    redefine(g, out, OpKind::kTranspose, {v}, TransposeAttrs{perm}, origin);
    return;
  }
  const ValueId t = g.add_node(OpKind::kTranspose, {v}, TransposeAttrs{perm}, origin);
  g.value(t).dtype = dtype;
  g.value(t).shape = permuted;
  redefine(g, out, OpKind::kReshape, {t, shape_operand(g, origin.node, shape)}, ReshapeAttrs{true}, origin);
}

}  // namespace edgeconv
