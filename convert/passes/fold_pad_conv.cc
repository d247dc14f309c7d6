// Zeros that a Pad puts around the input of a convolution are padding of the convolution, which writes none: causal convolutions
// (F.pad, padding="causal") and ZeroPadding2D.
#include "convert/passes/match.h"
#include "convert/passes/per_axis.h"
#include "convert/passes/view_layout.h"

namespace edgeconv {

namespace {

struct Padding {
  std::vector<int64_t> before, behind;  // per axis
};

// nullopt where the Pad does anything else than zeros around its input.
std::optional<Padding> zeros_around(const Graph& g, const Node& pad) {
  if (pad.as<PadAttrs>().mode != ert::params::pad::kConstant || !g.value(pad.in(0)).shape) return {};
  if (pad.in(2) != kNone && scalar_constant(g, pad.in(2)) != 0.0f) return {};
  const size_t rank = g.value(pad.in(0)).shape->size();
  const auto before = per_axis(g, pad.in(1), pad.in(3), rank, 0), behind = per_axis(g, pad.in(1), pad.in(3), rank, 1);
  if (!before || !behind) return {};
  Padding p;
  for (size_t axis = 0; axis < rank; ++axis) {
    const auto front = (*before)[axis].constant(), back = (*behind)[axis].constant();
    if (!front || !back || *front < 0 || *back < 0) return {};
    p.before.push_back(*front);
    p.behind.push_back(*back);
  }
  return p;
}

// A convolution's input [batch, channels, spatial..] that is a view of what a Pad gives, as a view of the Pad's input.
struct Unpadded {
  ViewLayout view;
  Shape shape;
  std::vector<int64_t> pads;  // of the spatial axes: all before, then all behind
};

std::optional<Unpadded> without_pad(const Graph& g, ValueId x) {
  Unpadded u{trace_view(g, x, false), *g.value(x).shape, {}};
  const Node* pad = producer_of_kind(g, u.view.source, OpKind::kPad);
  const auto padding = pad ? zeros_around(g, *pad) : std::nullopt;
  if (!padding) return {};
  const size_t spatial = u.shape.size() - 2;
  u.pads.assign(2 * spatial, 0);
  const Shape whole = u.view.source_shape;
  u.view.source = pad->in(0);
  u.view.source_shape = *g.value(pad->in(0)).shape;
  for (size_t s = 0; s < whole.size(); ++s) {
    if (padding->before[s] == 0 && padding->behind[s] == 0) continue;
    // The axis must be a spatial one of the convolution, as it is.
    const Atom all{static_cast<int>(s), 1, whole[s]};
    size_t axis = 2;
    while (axis < u.shape.size() && merge_atoms(u.view.axes[axis]) != std::vector<Atom>{all}) ++axis;
    if (axis == u.shape.size()) return {};
    u.shape[axis] = u.view.source_shape[s];
    u.view.axes[axis] = {{static_cast<int>(s), 1, u.view.source_shape[s]}};
    u.pads[axis - 2] = padding->before[s];
    u.pads[axis - 2 + spatial] = padding->behind[s];
  }
  return u;
}

}  // namespace

int pass_fold_pad_conv(Graph& g, Diagnostics&) {
  int folded = 0;
  const size_t count = g.nodes.size();
  for (size_t k = 0; k < count; ++k) {
    const Node n = g.nodes[k];
    if (n.dead || n.kind != OpKind::kConv || !g.value(n.in(1)).constant || !g.value(n.in(0)).shape) continue;
    ConvAttrs a = n.as<ConvAttrs>();
    const std::vector<int64_t>& kernel = g.value(n.in(1)).constant->dims();
    const size_t spatial = kernel.size() - 2;
    if (kernel.size() < 3 || g.value(n.in(0)).shape->size() != kernel.size() || (a.auto_pad != "NOTSET" && a.auto_pad != "VALID")) continue;
    auto u = without_pad(g, n.in(0));
    if (!u) continue;
    bool within = true;  // no window lies in the padding alone
    for (size_t i = 0; i < u->pads.size(); ++i) {
      if (a.auto_pad == "NOTSET" && !a.pads.empty()) u->pads[i] += a.pads[i];
      within &= u->pads[i] <= (kernel[i % spatial + 2] - 1) * (a.dilations.empty() ? 1 : a.dilations[i % spatial]);
    }
    if (!within) continue;
    a.pads = u->pads;
    a.auto_pad = "NOTSET";
    ValueId x = u->view.source;
    if (!keeps_order(u->view) || u->shape != u->view.source_shape) {
      x = add_float_node(g, OpKind::kIdentity, {x}, {}, n.origin, u->shape);
      build_view(g, u->view.source, u->view, x, n.origin);
    }
    g.nodes[k].attrs = std::move(a);
    g.nodes[k].inputs[0] = x;
    ++folded;
  }
  return folded;
}

}  // namespace edgeconv
