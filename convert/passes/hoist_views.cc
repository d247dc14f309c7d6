// A rearrangement of rows before a row-wise node is moved behind it: Linear(Transpose(x)) = Transpose(Linear(x)). The layout
// detours of nn.MultiheadAttention ([batch, sequence] to [sequence, batch] and back) then meet and cancel. Texts and tokens that
// were joined for a Gemm stay apart: heads are found as columns of [batch, sequence, width]. What a Linear or convolution can take into itself
// comes in front of a Reshape of its result: TensorFlow's convolutions of frames are such of pictures of one row.
#include "convert/passes/match.h"
#include "convert/passes/view_layout.h"

namespace edgeconv {

namespace {

bool row_wise(const Node& n) {
  return n.kind == OpKind::kLinear || n.kind == OpKind::kUnary ||
         (n.kind == OpKind::kNorm && n.in(1) == kNone && n.outputs.size() == 1);
}

// The recurrent layer wants its products step by step: turning its input is cheaper than turning the wider products.
bool feeds_recurrence(const Graph& g, const Users& users, ValueId v) {
  const Node* next = sole_user(g, users, v);
  return next && next->kind == OpKind::kRecurrence;
}

// The last axis of the view is the last axis of the source, whole.
bool keeps_last_axis(const ViewLayout& l) {
  if (l.axes.empty() || l.source_shape.empty()) return false;
  const auto last = merge_atoms(l.axes.back());
  return last.size() == 1 && last[0] == Atom{static_cast<int>(l.source_shape.size()) - 1, 1, l.source_shape.back()};
}

// [batch, sequence, width] as [batch * sequence, width].
bool joins_rows(const Graph& g, const Node& n, const ViewLayout& l) {
  return n.kind == OpKind::kLinear && l.source_shape.size() == 3 && g.value(n.in(0)).rank() == 2;
}

// An activation or a factor or term of each column, behind a Reshape of what can take it into itself.
bool can_be_fused(const Graph& g, const Users& users, const Node& n, const ViewLayout& l) {
  const Node* p = g.producer(l.source);
  const bool takes = p && !p->dead && (p->kind == OpKind::kLinear || p->kind == OpKind::kDepthwiseConv);
  return (n.kind == OpKind::kUnary || n.kind == OpKind::kBinary) && takes && sole_user(g, users, l.source);
}

// The operand of a Binary that is not a constant for each column, or for all.
std::optional<size_t> operand_with_constant(const Graph& g, const Node& n) {
  for (size_t i = 0; n.kind == OpKind::kBinary && i < 2; ++i) {
    const auto& c = g.value(n.in(1 - i)).constant;
    const Value& x = g.value(n.in(i));
    if (!c || x.constant || !x.shape || x.shape->empty() || !is_float(x.dtype)) continue;
    if (c->elements() == 1 || (c->dims().back() == c->elements() && DimExpr(c->elements()) == x.shape->back())) return i;
  }
  return {};
}

}  // namespace

int pass_hoist_views(Graph& g, Diagnostics&) {
  int changed = 0;
  const size_t count = g.nodes.size();
  const Users users = g.users();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead) continue;
    const auto operand = row_wise(g.nodes[i]) ? std::optional<size_t>(0) : operand_with_constant(g, g.nodes[i]);
    if (!operand) continue;
    const Node n = g.nodes[i];
    const ValueId x = n.in(*operand), out = n.outputs[0];
    if (!g.value(x).shape || !g.value(out).shape || g.value(out).elements || feeds_recurrence(g, users, out)) continue;
    if (n.kind == OpKind::kBinary && g.value(x).shape != g.value(out).shape) continue;
    const ViewLayout l = trace_view(g, x, false);
    if (l.source == x || !keeps_last_axis(l)) continue;
    const bool rearranges = !keeps_order(l) && n.kind != OpKind::kBinary;
    if (!rearranges && !joins_rows(g, n, l) && !can_be_fused(g, users, n, l)) continue;
    std::vector<ValueId> inputs = n.inputs;
    inputs[*operand] = l.source;
    if (n.kind == OpKind::kBinary) {
      const Tensor c = *g.value(n.in(1 - *operand)).constant;
      inputs[1 - *operand] = g.add_constant(n.origin.node + "/columns", c.reshaped({c.elements()}));
    }
    Shape shape = l.source_shape;
    shape.back() = g.value(out).shape->back();
    const ValueId before = g.add_node(n.kind, inputs, n.attrs, n.origin);
    g.value(before).dtype = g.value(out).dtype;
    g.value(before).shape = shape;
    build_view(g, before, l, out, n.origin);
    ++changed;
  }
  return changed;
}

}  // namespace edgeconv
