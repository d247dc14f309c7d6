// What a Slice cuts off the ends of a convolution's result is not computed: it becomes less padding of a Conv, or more of a
// ConvTranspose. So causal convolutions of PyTorch are written: padding on both sides, and the end cut off ("Chomp1d" of Bai et al., An
// Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence Modeling, 2018; the decoder of EnCodec). At large
// dilations most of what was computed was cut. A bias, factors of channels and activations may stand between.
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

constexpr int kMostBetween = 4;  // a bias, the factors of a normalization, an activation

// A convolution, and the nodes between it and a Slice, the first one first, that treat every position alike.
struct Cut {
  NodeId conv;
  std::vector<NodeId> between;
};

// Whether the node gives each position of its operand v one result, the same at every position of a kernel's axes.
bool is_per_position(const Graph& g, const Node& n, ValueId v) {
  if (n.outputs.size() != 1) return false;
  if (n.kind == OpKind::kUnary) return true;
  if (n.kind != OpKind::kBinary || n.in(0) == n.in(1)) return false;
  const Value& other = g.value(n.in(0) == v ? n.in(1) : n.in(0));
  const Value& y = g.value(n.outputs[0]);
  if (!other.constant || !y.shape || g.value(v).shape != y.shape) return false;
  const std::vector<int64_t>& dims = other.constant->dims();
  for (size_t behind = 1; behind <= dims.size() && behind + 2 <= y.shape->size(); ++behind)
    if (dims[dims.size() - behind] != 1) return false;
  return dims.size() <= y.shape->size();
}

std::optional<Cut> convolution_before(const Graph& g, const Users& users, ValueId v) {
  Cut cut{};
  for (int depth = 0; depth <= kMostBetween; ++depth) {
    const Node* p = g.producer(v);
    if (!p || p->dead || !sole_user(g, users, v)) return {};
    if (p->kind == OpKind::kConv || p->kind == OpKind::kConvTranspose) {
      cut.conv = id_of(g, *p);
      std::reverse(cut.between.begin(), cut.between.end());
      return cut;
    }
    const bool second = p->kind == OpKind::kBinary && g.value(p->in(0)).constant;
    v = p->in(second ? 1 : 0);
    if (v == kNone || !is_per_position(g, *p, v)) return {};
    cut.between.push_back(id_of(g, *p));
  }
  return {};
}

// The convolution with these attributes and what stood behind it, up to the Slice's output.
void without_slice(Graph& g, const Cut& cut, const Node& slice, Attributes attrs) {
  const ValueId out = slice.outputs[0];
  const Shape shape = *g.value(out).shape;
  const Node conv = g.node(cut.conv);
  const DType dtype = g.value(conv.outputs[0]).dtype;
  g.node(cut.conv).dead = true;
  if (cut.between.empty()) return redefine(g, out, conv.kind, conv.inputs, std::move(attrs), conv.origin);
  ValueId before = conv.outputs[0], v = g.add_node(conv.kind, conv.inputs, std::move(attrs), conv.origin);
  g.value(v).dtype = dtype;
  g.value(v).shape = shape;
  for (const NodeId id : cut.between) {
    const Node n = g.node(id);
    g.node(id).dead = true;
    std::vector<ValueId> inputs = n.inputs;
    std::replace(inputs.begin(), inputs.end(), before, v);
    before = n.outputs[0];
    if (id == cut.between.back()) return redefine(g, out, n.kind, std::move(inputs), n.attrs, n.origin);
    v = g.add_node(n.kind, std::move(inputs), n.attrs, n.origin);
    g.value(v).dtype = g.value(before).dtype;
    g.value(v).shape = shape;
  }
}

}  // namespace

int pass_fold_conv_slice(Graph& g, Diagnostics&) {
  int folded = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t k = 0; k < count; ++k) {
    if (g.nodes[k].dead || g.nodes[k].kind != OpKind::kSlice) continue;
    const Node slice = g.nodes[k];
    const auto cut = convolution_before(g, users, slice.in(0));
    if (!cut) continue;
    const auto crop = crop_of(g, slice);
    if (!crop || crop->front.size() < 3 || is_empty(*g.value(slice.outputs[0]).shape)) continue;
    auto attrs = cropped(g.node(cut->conv), *crop);
    if (!attrs) continue;
    without_slice(g, *cut, slice, std::move(*attrs));
    ++folded;
  }
  return folded;
}

}  // namespace edgeconv
