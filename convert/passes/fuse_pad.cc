// A Slice before a constant Pad becomes negative padding: tokens shifted by one position (MobileBERT's trigram input) are then
// never an empty tensor, not even for one token. A Concat with a fill becomes a Pad for the same reason.
#include "convert/passes/fuse_pad.h"

#include "convert/ir/axis.h"
#include "convert/passes/match.h"
#include "convert/passes/per_axis.h"

namespace edgeconv {

namespace {

constexpr int kConstantMode = ert::params::pad::kConstant;

bool fuse_pad_node(Graph& g, const Node pad) {
  const Node* slice = producer_of_kind(g, pad.in(0), OpKind::kSlice);
  if (!slice || pad.as<PadAttrs>().mode != kConstantMode) return false;
  const auto crop = crop_of(g, *slice);
  if (!crop) return false;
  const size_t rank = crop->front.size();
  const auto before = per_axis(g, pad.in(1), pad.in(3), rank, 0), after = per_axis(g, pad.in(1), pad.in(3), rank, 1);
  if (!before || !after) return false;
  std::vector<DimExpr> pads(2 * rank, DimExpr(0));
  for (size_t i = 0; i < rank; ++i) {
    // An end that is both cut and padded must keep the fill in place of what was cut.
    if (crop->front[i] != 0 && (*before)[i] != DimExpr(0)) return false;
    if (crop->behind[i] != DimExpr(0) && (*after)[i] != DimExpr(0)) return false;
    pads[i] = (*before)[i] - DimExpr(crop->front[i]);
    pads[rank + i] = (*after)[i] - crop->behind[i];
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
  const size_t at = axis_index(concat.as<AxisAttrs>().axis, rank);
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
    if (!(*fill.shape)[axis_index(axis, fill.shape->size())].is_constant()) return i;
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
