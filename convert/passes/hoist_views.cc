// A rearrangement of rows before a row-wise node is moved behind it: Linear(Transpose(x)) = Transpose(Linear(x)). The layout
// detours of nn.MultiheadAttention ([batch, sequence] to [sequence, batch] and back) then meet and cancel. Texts and tokens that
// were joined for a Gemm stay apart: heads are found as columns of [batch, sequence, width].
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

}  // namespace

int pass_hoist_views(Graph& g, Diagnostics&) {
  int changed = 0;
  const size_t count = g.nodes.size();
  const Users users = g.users();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || !row_wise(g.nodes[i])) continue;
    const Node n = g.nodes[i];
    const ValueId out = n.outputs[0];
    if (!g.value(n.in(0)).shape || !g.value(out).shape || g.value(out).elements || feeds_recurrence(g, users, out)) continue;
    const ViewLayout l = trace_view(g, n.in(0), false);
    if (l.source == n.in(0) || !keeps_last_axis(l) || (keeps_order(l) && !joins_rows(g, n, l))) continue;
    std::vector<ValueId> inputs = n.inputs;
    inputs[0] = l.source;
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
