// Expands move towards the outputs, past everything that would broadcast anyway, until an operator broadcasts for free:
// exporters expand (or tile) masks to [batch, 1, sequence, sequence] or to the hidden size before doing arithmetic on them.
#include "convert/ir/axis.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

const Node* expand_of(const Graph& g, ValueId v) {
  const Node* p = producer_of_kind(g, v, OpKind::kExpand);
  return p && g.value(p->in(0)).shape && g.value(v).shape ? p : nullptr;
}

// Makes Expand(v) the new definition of `out`, whose shape is known.
void expand_into(Graph& g, ValueId v, ValueId out, const Origin& origin) {
  const ValueId shape = shape_operand(g, origin.node, *g.value(out).shape);
  redefine(g, out, OpKind::kExpand, {v, shape}, {}, origin);
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 0; i < from.size(); ++i) {
    const DimExpr& f = from[from.size() - 1 - i];
    if (f != to[to.size() - 1 - i] && f != DimExpr(1)) return false;
  }
  return true;
}

// Elementwise with several operands: an Expand is dropped when the others alone give the full output shape.
bool drop_redundant(Graph& g, Node& n) {
  const Shape& out = *g.value(n.outputs[0]).shape;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    const Node* e = expand_of(g, n.in(i));
    if (!e) continue;
    Shape without;
    bool first = true;
    for (size_t j = 0; j < n.inputs.size(); ++j) {
      const ValueId v = j == i ? e->in(0) : n.in(j);
      if (!g.value(v).shape) return false;
      const auto joined = first ? std::optional<Shape>(*g.value(v).shape) : broadcast_shapes(without, *g.value(v).shape);
      if (!joined) return false;
      without = *joined;
      first = false;
    }
    if (without != out) continue;
    n.inputs[i] = e->in(0);
    return true;
  }
  return false;
}

// f(Expand(x), constants...) = Expand(f(x, constants...)).
bool sink(Graph& g, size_t index) {
  const Node n = g.nodes[index];
  size_t at = n.inputs.size();
  const Node* e = nullptr;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    const Node* p = expand_of(g, n.in(i));
    if (p && (!e || p->in(0) == e->in(0))) {
      e = p;
      at = i;
    } else if (!g.value(n.in(i)).constant) {
      return false;
    }
  }
  if (at == n.inputs.size()) return false;
  const Shape to = *g.value(n.outputs[0]).shape;
  Shape from = *g.value(e->in(0)).shape;
  std::vector<ValueId> inputs = n.inputs;
  for (ValueId& v : inputs) {
    if (expand_of(g, v)) v = e->in(0);
    const auto joined = broadcast_shapes(from, *g.value(v).shape);
    if (!joined) return false;
    from = *joined;
  }
  if (!broadcasts_to(from, to) || from == to) return false;
  const ValueId small = g.add_node(n.kind, inputs, n.attrs, n.origin);
  g.value(small).dtype = g.value(n.outputs[0]).dtype;
  g.value(small).shape = from;
  expand_into(g, small, n.outputs[0], n.origin);
  return true;
}

// Reduce over axes that were not expanded: reduce first.
bool sink_reduce(Graph& g, size_t index) {
  const Node n = g.nodes[index];
  const Node* e = expand_of(g, n.in(0));
  if (!e) return false;
  const Shape from = *g.value(e->in(0)).shape, to = *g.value(n.in(0)).shape;
  const auto& a = n.as<ReduceAttrs>();
  if (from.size() != to.size() || a.axes.empty()) return false;
  std::vector<char> reduced(to.size(), 0);
  for (int64_t axis : a.axes) {
    const size_t i = axis_index(axis, to.size());
    if (from[i] != to[i]) return false;
    reduced[i] = 1;
  }
  const ValueId small = g.add_node(OpKind::kReduce, {e->in(0)}, n.attrs, n.origin);
  Shape shape;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!reduced[i])
      shape.push_back(from[i]);
    else if (a.keep_dims)
      shape.push_back(1);
  }
  g.value(small).dtype = g.value(n.outputs[0]).dtype;
  g.value(small).shape = shape;
  expand_into(g, small, n.outputs[0], n.origin);
  return true;
}

// A Tile repeats axes whole: of one entry that is what Expand does.
bool tile_as_expand(Graph& g, size_t index) {
  const Node n = g.nodes[index];
  if (!g.value(n.in(0)).shape) return false;
  const Shape from = *g.value(n.in(0)).shape, to = *g.value(n.outputs[0]).shape;
  if (from.size() != to.size() || !broadcasts_to(from, to)) return false;
  expand_into(g, n.in(0), n.outputs[0], n.origin);
  return true;
}

}  // namespace

int pass_sink_expand(Graph& g, Diagnostics&) {
  int changed = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].outputs.size() != 1 || !g.value(g.nodes[i].outputs[0]).shape ||
        g.value(g.nodes[i].outputs[0]).elements)
      continue;
    switch (g.nodes[i].kind) {
      case OpKind::kBinary:
      case OpKind::kWhere: changed += drop_redundant(g, g.nodes[i]) || sink(g, i); break;
      case OpKind::kUnary:
      case OpKind::kCast: changed += sink(g, i); break;
      case OpKind::kReduce: changed += sink_reduce(g, i); break;
      case OpKind::kTile: changed += tile_as_expand(g, i); break;
      default: break;
    }
  }
  return changed;
}

}  // namespace edgeconv
