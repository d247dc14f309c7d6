// What a Slice cuts off the ends of a convolution's result is not computed: it becomes less padding of a Conv, or more of a
// ConvTranspose. So causal convolutions of PyTorch are written: padding on both sides, and the end cut off ("Chomp1d" of Bai et al., An
// Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence Modeling, 2018; the decoder of EnCodec). At large
// dilations most of what was computed was cut.
#include <algorithm>

#include "convert/passes/match.h"
#include "convert/passes/per_axis.h"

namespace edgeconv {

namespace {

// Without the padding that makes what is cut, or nullopt.
std::optional<Attributes> cropped(const Node& n, const Crop& crop) {
  const bool transposed = n.kind == OpKind::kConvTranspose;
  const size_t spatial = crop.front.size() - 2;
  std::vector<int64_t> pads, strides;
  if (transposed) {
    const ConvTransposeAttrs& a = n.as<ConvTransposeAttrs>();
    if (a.auto_pad != "NOTSET" || !a.output_shape.empty()) return {};
    pads = a.pads;
  } else {
    const ConvAttrs& a = n.as<ConvAttrs>();
    if (a.auto_pad != "NOTSET") return {};
    pads = a.pads;
    strides = a.strides;
  }
  pads.resize(2 * spatial, 0);
  strides.resize(spatial, 1);
  for (size_t axis = 0; axis < spatial + 2; ++axis) {
    const auto behind = crop.behind[axis].constant();
    if (!behind || *behind < 0 || (axis < 2 && (*behind != 0 || crop.front[axis] != 0))) return {};
    if (axis < 2) continue;
    const size_t i = axis - 2;
    const int64_t step = transposed ? -1 : strides[i];
    pads[i] -= crop.front[axis] * step;
    pads[spatial + i] -= *behind * step;
    if (pads[i] < 0 || pads[spatial + i] < 0) return {};
  }
  if (transposed) {
    ConvTransposeAttrs a = n.as<ConvTransposeAttrs>();
    a.pads = std::move(pads);
    return a;
  }
  ConvAttrs a = n.as<ConvAttrs>();
  a.pads = std::move(pads);
  return a;
}

bool is_empty(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const DimExpr& d) { return d == DimExpr(0); });
}

}  // namespace

int pass_fold_conv_slice(Graph& g, Diagnostics&) {
  int folded = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t k = 0; k < count; ++k) {
    if (g.nodes[k].dead || (g.nodes[k].kind != OpKind::kConv && g.nodes[k].kind != OpKind::kConvTranspose)) continue;
    const Node n = g.nodes[k];
    const Node* slice = sole_user(g, users, n.outputs[0]);
    if (!slice || slice->kind != OpKind::kSlice || slice->in(0) != n.outputs[0]) continue;
    const auto crop = crop_of(g, *slice);
    if (!crop || crop->front.size() < 3 || is_empty(*g.value(slice->outputs[0]).shape)) continue;
    const auto attrs = cropped(n, *crop);
    if (!attrs) continue;
    g.nodes[k].dead = true;
    redefine(g, slice->outputs[0], n.kind, n.inputs, *attrs, n.origin);
    ++folded;
  }
  return folded;
}

}  // namespace edgeconv
