// A Slice before a constant Pad becomes negative padding: tokens shifted by one position (MobileBERT's trigram input) are then
// never an empty tensor, not even for one token. A Concat with a fill becomes a Pad for the same reason.
#include "convert/passes/fuse_pad.h"

#include "convert/passes/match.h"

namespace edgeconv {

namespace {

constexpr int kConstantMode = ert::params::pad::kConstant;

// The contents of an integer operand.
std::optional<std::vector<DimExpr>> integers(const Graph& g, ValueId v) {
  if (v == kNone) return {};
  if (g.value(v).elements) return g.value(v).elements;
  if (!g.value(v).constant || !is_integer(g.value(v).dtype)) return {};
  std::vector<DimExpr> all;
  for (int64_t i : g.value(v).constant->to_int64()) all.emplace_back(i);
  return all;
}

// The same, one number per axis, 0 where the node names none. part: which half of a list with two numbers per axis.
std::optional<std::vector<DimExpr>> per_axis(const Graph& g, ValueId numbers, ValueId axes, size_t rank, size_t part) {
  const auto all = integers(g, numbers), named = integers(g, axes);
  if (!all || (axes != kNone && !named)) return {};
  const size_t count = named ? named->size() : part == 0 ? std::min(all->size(), rank) : rank;
  std::vector<DimExpr> result(rank, DimExpr(0));
  for (size_t i = 0; i < count; ++i) {
    const auto axis = named ? (*named)[i].constant() : std::optional<int64_t>(static_cast<int64_t>(i));
    if (!axis || part * count + i >= all->size()) return {};
    const int64_t at = *axis < 0 ? *axis + static_cast<int64_t>(rank) : *axis;
    if (at < 0 || at >= static_cast<int64_t>(rank)) return {};
    result[static_cast<size_t>(at)] = (*all)[part * count + i];
  }
  return result;
}

bool steps_of_one(const Graph& g, const Node& slice) {
  const auto steps =
      slice.in(4) == kNone ? std::optional<std::vector<DimExpr>>{std::vector<DimExpr>{}} : integers(g, slice.in(4));
  if (!steps) return false;
  for (const DimExpr& s : *steps)
    if (s != DimExpr(1)) return false;
  return true;
}

bool fuse_pad_node(Graph& g, const Node pad) {
  const Node* slice = producer_of_kind(g, pad.in(0), OpKind::kSlice);
  if (!slice || pad.as<PadAttrs>().mode != kConstantMode || !steps_of_one(g, *slice)) return false;
  if (!g.value(slice->in(0)).shape || !g.value(pad.in(0)).shape) return false;
  const Shape whole = *g.value(slice->in(0)).shape, part = *g.value(pad.in(0)).shape;
  const auto start = per_axis(g, slice->in(1), slice->in(3), whole.size(), 0);
  const auto before = per_axis(g, pad.in(1), pad.in(3), whole.size(), 0),
             after = per_axis(g, pad.in(1), pad.in(3), whole.size(), 1);
  if (!start || !before || !after) return false;
  std::vector<DimExpr> pads(2 * whole.size(), DimExpr(0));
  for (size_t i = 0; i < whole.size(); ++i) {
    const auto first = (*start)[i].constant();
    if (!first || *first < 0) return false;
    const DimExpr cut = whole[i] - DimExpr(*first) - part[i];
    // An end that is both cut and padded must keep the fill in place of what was cut.
    if ((*first != 0 && (*before)[i] != DimExpr(0)) || (cut != DimExpr(0) && (*after)[i] != DimExpr(0))) return false;
    pads[i] = (*before)[i] - DimExpr(*first);
    pads[whole.size() + i] = (*after)[i] - cut;
  }
  const ValueId numbers = shape_operand(g, pad.origin.node + "/pads", pads);
  std::vector<ValueId> inputs{slice->in(0), numbers};
  if (pad.in(2) != kNone) inputs.push_back(pad.in(2));
  redefine(g, pad.outputs[0], OpKind::kPad, inputs, pad.attrs, pad.origin);
  return true;
}

bool fuse_fill(Graph& g, const Node concat) {
  const auto fill = padding_input(g, concat);
  if (!fill) return false;
  const ValueId x = concat.in(1 - *fill);
  const Shape& filled = *g.value(concat.in(*fill)).shape;
  const size_t rank = filled.size();
  const int64_t axis = concat.as<AxisAttrs>().axis;
  const size_t at = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
  std::vector<DimExpr> pads(2 * rank, DimExpr(0));
  pads[*fill == 0 ? at : rank + at] = filled[at];
  const Tensor value = g.producer(concat.in(*fill))->as<FillAttrs>().value.reshaped({});
  const ValueId numbers = shape_operand(g, concat.origin.node + "/pads", pads),
                content = g.add_constant(concat.origin.node + "/fill", value);
  redefine(g, concat.outputs[0], OpKind::kPad, {x, numbers, content}, PadAttrs{kConstantMode}, concat.origin);
  return true;
}

}  // namespace

std::optional<size_t> padding_input(const Graph& g, const Node& concat) {
  if (concat.kind != OpKind::kConcat || concat.inputs.size() != 2) return {};
  for (size_t i = 0; i < 2; ++i) {
    if (concat.in(0) == kNone || concat.in(1) == kNone || concat.in(0) == concat.in(1)) return {};
    const Value &fill = g.value(concat.in(i)), &x = g.value(concat.in(1 - i));
    const Node* made = g.producer(concat.in(i));
    if (!made || made->kind != OpKind::kConstantOfShape || !fill.shape || !x.shape || fill.elements || x.elements) continue;
    const int64_t rank = fill.rank(), axis = concat.as<AxisAttrs>().axis;
    if (rank < 1 || x.rank() != rank || axis < -rank || axis >= rank || fill.dtype != x.dtype) continue;
    if (!(*fill.shape)[static_cast<size_t>(axis < 0 ? axis + rank : axis)].is_constant()) return i;
  }
  return {};
}

int pass_fuse_pad(Graph& g, Diagnostics&) {
  int fused = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead) continue;
    if (g.nodes[i].kind == OpKind::kPad) fused += fuse_pad_node(g, g.nodes[i]);
    if (g.nodes[i].kind == OpKind::kConcat) fused += fuse_fill(g, g.nodes[i]);
  }
  return fused;
}

}  // namespace edgeconv
