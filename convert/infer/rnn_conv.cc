// Inference of recurrent layers, convolutions and pools.
#include "convert/infer/dispatch.h"

namespace edgeconv {

void infer_rnn(NodeInference& c) {
  const RnnAttrs& a = c.node().as<RnnAttrs>();
  if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3) return c.invalid("x, W and R need rank 3");
  if (!is_float(c.dtype(0))) return c.invalid("its input is " + std::string(dtype_name(c.dtype(0))), "x is a float tensor");
  const Shape x = c.shape(0);
  const DimExpr sequence = x[a.layout ? 1 : 0], batch = x[a.layout ? 0 : 1], directions(a.direction == "bidirectional" ? 2 : 1);
  const DimExpr hidden = a.hidden > 0 ? DimExpr(a.hidden) : c.shape(2)[2];
  if (!c.unify(x[2], c.shape(1)[2], "input size of " + a.kind)) return;
  if (!c.unify(hidden, c.shape(2)[2], "hidden size of " + a.kind)) return;
  if (c.has(4) && c.rank(4) == 1 && !c.unify(batch, c.shape(4)[0], "sequence_lens of " + a.kind)) return;
  for (const size_t state : {5, 6})
    if (c.has(state) && c.rank(state) == 3 && !c.unify(batch, c.shape(state)[a.layout ? 0 : 1], "initial state of " + a.kind))
      return;
  const DType t = c.dtype(0);
  c.set(0, t, a.layout ? Shape{batch, sequence, directions, hidden} : Shape{sequence, directions, batch, hidden});
  const Shape state = a.layout ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  c.set(1, t, state);
  if (a.kind == "LSTM") c.set(2, t, state);
}

void infer_recurrence(NodeInference& c) {
  const RnnAttrs& a = c.node().as<RnnAttrs>();
  if (c.rank(0) != 3 || c.rank(1) != 3)
    return c.problem("products and weights need rank 3", "this is a fault of the split_rnn pass");
  const Shape p = c.shape(0);
  const DimExpr directions = c.shape(1)[0], hidden = c.shape(1)[2];
  if (c.has(3) && c.rank(3) == 1 && !c.unify(p[1], c.shape(3)[0], "sequence_lens of " + a.kind)) return;
  c.set(0, c.dtype(0), Shape{p[0], p[1], directions * hidden});
  const Shape state{directions, p[1], hidden};
  c.set(1, c.dtype(0), state);
  if (a.kind == "LSTM") c.set(2, c.dtype(0), state);
}

namespace {

// Size of the result along spatial axis i.
DimExpr window_count(const ConvAttrs& a, size_t i, size_t spatial, const DimExpr& size, int64_t kernel) {
  const int64_t stride = i < a.strides.size() ? a.strides[i] : 1, dilation = i < a.dilations.size() ? a.dilations[i] : 1;
  const int64_t reach = dilation * (kernel - 1) + 1;
  if (a.auto_pad == "SAME_UPPER" || a.auto_pad == "SAME_LOWER") return (size + DimExpr(stride - 1)).floor_div(DimExpr(stride));
  int64_t pad = 0;
  if (a.auto_pad != "VALID" && a.pads.size() == 2 * spatial) pad = a.pads[i] + a.pads[i + spatial];
  const DimExpr span = size + DimExpr(pad - reach);
  if (!a.ceil_mode) return span.floor_div(DimExpr(stride)) + DimExpr(1);
  DimExpr n = (span + DimExpr(stride - 1)).floor_div(DimExpr(stride)) + DimExpr(1);
  // The last window must start inside the input or its leading padding.
  if (const auto count = n.constant(); count && size.constant()) {
    const int64_t lead = a.auto_pad != "VALID" && a.pads.size() == 2 * spatial ? a.pads[i] : 0;
    if ((*count - 1) * stride >= *size.constant() + lead) n = n - DimExpr(1);
  }
  return n;
}

bool spatial_shape(NodeInference& c, const ConvAttrs& a, const std::vector<int64_t>& kernel, Shape& out) {
  const size_t spatial = c.shape(0).size() - 2;
  for (size_t i = 0; i < spatial; ++i) {
    const DimExpr n = window_count(a, i, spatial, c.shape(0)[i + 2], kernel[i]);
    if (n.constant() && *n.constant() <= 0) {
      c.problem("the kernel is larger than the padded input", "give the dim a larger maximum, or check the file");
      return false;
    }
    c.needs_positive(n);
    out.push_back(n);
  }
  return true;
}

}  // namespace

namespace {

std::optional<Shape> conv_shape(NodeInference& c) {
  const ConvAttrs& a = c.node().as<ConvAttrs>();
  const Shape x = c.shape(0), w = c.shape(1);
  if (x.size() < 3 || w.size() != x.size()) {
    c.invalid("x and weights need equal rank of at least 3");
    return {};
  }
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < w.size(); ++i) {
    if (!w[i].constant()) {
      c.problem("the kernel size is not constant", "export with constant weights");
      return {};
    }
    kernel.push_back(*w[i].constant());
  }
  if (!c.unify(x[1], w[1] * DimExpr(a.group), "channels of a Conv")) return {};
  Shape out{x[0], w[0]};
  return spatial_shape(c, a, kernel, out) ? std::optional(out) : std::nullopt;
}

}  // namespace

void infer_conv(NodeInference& c) {
  if (auto shape = conv_shape(c)) c.set(0, c.dtype(0), std::move(*shape));
}

void infer_conv_integer(NodeInference& c) {
  if (auto shape = conv_shape(c)) c.set(0, DType::kInt32, std::move(*shape));
}

void infer_pool(NodeInference& c) {
  const ConvAttrs& a = c.node().as<ConvAttrs>();
  if (c.rank(0) < 3 || a.kernel.size() + 2 != c.shape(0).size()) return c.invalid("the kernel does not fit the rank");
  Shape out{c.shape(0)[0], c.shape(0)[1]};
  if (!spatial_shape(c, a, a.kernel, out)) return;
  c.set(0, c.dtype(0), out);
  if (c.node().outputs.size() > 1) c.set(1, DType::kInt64, out);
}

}  // namespace edgeconv
