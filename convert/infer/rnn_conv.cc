// Inference of recurrent layers, convolutions and pools.
#include <algorithm>

#include "convert/infer/dispatch.h"
#include "convert/interp/transposed_axis.h"

namespace edgeconv {

namespace {

bool has_shape(NodeInference& c, size_t input, const Shape& wanted, const std::string& what) {
  if (!c.has(input)) return true;
  const Shape own = c.shape(input);
  if (own.size() != wanted.size()) {
    c.invalid("'" + c.input_name(input) + "' has rank " + std::to_string(own.size()) + " where " + what + " needs " + std::to_string(wanted.size()));
    return false;
  }
  for (size_t i = 0; i < own.size(); ++i)
    if (!c.unify(wanted[i], own[i], what)) return false;
  return true;
}

bool lengths_fit(NodeInference& c, const DimExpr& sequence) {
  const auto lengths = c.ints(4);
  if (!lengths || !sequence.constant()) return true;
  for (const int64_t n : *lengths) {
    if (n >= 0 && n <= *sequence.constant()) continue;
    c.invalid("a length of " + std::to_string(n) + " for " + sequence.str() + " steps");
    return false;
  }
  return true;
}

}  // namespace

void infer_rnn(NodeInference& c) {
  const RnnAttrs& a = c.node().as<RnnAttrs>();
  if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3) return c.invalid("x, W and R need rank 3");
  if (!is_float(c.dtype(0))) return c.invalid("its input is " + std::string(dtype_name(c.dtype(0))), "x is a float tensor");
  const Shape x = c.shape(0);
  const DimExpr sequence = x[a.layout ? 1 : 0], batch = x[a.layout ? 0 : 1], directions(a.direction == "bidirectional" ? 2 : 1);
  const DimExpr hidden = a.hidden > 0 ? DimExpr(a.hidden) : c.shape(2)[2];
  if (!c.unify(x[2], c.shape(1)[2], "input size of " + a.kind)) return;
  if (!c.unify(hidden, c.shape(2)[2], "hidden size of " + a.kind)) return;
  const DimExpr gates = hidden * DimExpr(a.kind == "LSTM" ? 4 : a.kind == "GRU" ? 3 : 1);
  const Shape state = a.layout ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  if (!has_shape(c, 1, {directions, gates, x[2]}, "W of " + a.kind) || !has_shape(c, 2, {directions, gates, hidden}, "R of " + a.kind) ||
      !has_shape(c, 3, {directions, gates * DimExpr(2)}, "B of " + a.kind) || !has_shape(c, 4, {batch}, "sequence_lens of " + a.kind) ||
      !lengths_fit(c, sequence) || !has_shape(c, 5, state, "an initial state of " + a.kind) ||
      !has_shape(c, 6, state, "an initial state of " + a.kind) || !has_shape(c, 7, {directions, hidden * DimExpr(3)}, "P of " + a.kind))
    return;
  const DType t = c.dtype(0);
  c.set(0, t, a.layout ? Shape{batch, sequence, directions, hidden} : Shape{sequence, directions, batch, hidden});
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
  const bool padded = a.auto_pad != "VALID" && a.pads.size() == 2 * spatial;
  const int64_t lead = padded ? a.pads[i] : 0, trail = padded ? a.pads[i + spatial] : 0;
  const DimExpr span = size + DimExpr(lead + trail - reach);
  if (!a.ceil_mode) return span.floor_div(DimExpr(stride)) + DimExpr(1);
  // The last window must start inside the input or its leading padding, and of what could start behind them that decides.
  if (trail + stride > reach) return (size + DimExpr(lead + stride - 1)).floor_div(DimExpr(stride));
  return (span + DimExpr(stride - 1)).floor_div(DimExpr(stride)) + DimExpr(1);
}

bool spatial_shape(NodeInference& c, const ConvAttrs& a, const std::vector<int64_t>& kernel, Shape& out) {
  const size_t spatial = c.shape(0).size() - 2;
  const auto fits = [](const std::vector<int64_t>& v, size_t n) { return v.empty() || v.size() == n; };
  const bool padded = a.auto_pad.empty() || a.auto_pad == "NOTSET";
  if (!fits(a.strides, spatial) || !fits(a.dilations, spatial) || (padded && !fits(a.pads, 2 * spatial))) {
    c.invalid("strides, dilations or pads do not fit the rank");
    return false;
  }
  for (size_t i = 0; i < spatial; ++i) {
    if (kernel[i] < 1) {
      c.invalid("its kernel has size " + std::to_string(kernel[i]) + " along an axis");
      return false;
    }
    const DimExpr n = window_count(a, i, spatial, c.shape(0)[i + 2], kernel[i]);
    if (n.constant() && *n.constant() <= 0) {
      c.invalid("the kernel is larger than the padded input", "where --fix gave the input its size, give it a larger one");
      return false;
    }
    if (n.constant() && *n.constant() > INT32_MAX) {
      c.invalid("its padding makes a result of " + std::to_string(*n.constant()) + " elements along one axis");
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
  if (!a.kernel.empty() && a.kernel != kernel) {
    c.invalid("kernel_shape is not that of its weights");
    return {};
  }
  if (w[0].constant() && *w[0].constant() % a.group != 0) {
    c.invalid("its " + std::to_string(*w[0].constant()) + " filters do not divide into " + std::to_string(a.group) + " groups");
    return {};
  }
  if (!c.unify(x[1], w[1] * DimExpr(a.group), "channels of a Conv")) return {};
  Shape out{x[0], w[0]};
  return spatial_shape(c, a, kernel, out) ? std::optional(out) : std::nullopt;
}

}  // namespace

namespace {

// What reads a bias takes a number for each filter from it.
bool bias_fits(NodeInference& c, const DimExpr& filters, const std::string& op) {
  if (!c.has(2)) return true;
  if (c.rank(2) != 1) {
    c.invalid("its bias has " + std::to_string(c.rank(2)) + " axes, and needs one");
    return false;
  }
  const DimExpr numbers = c.shape(2)[0];
  if (numbers == DimExpr(0)) {  // for unify an empty tensor is no fault of the file
    c.invalid("its bias is empty");
    return false;
  }
  return c.unify(numbers, filters, "bias of a " + op);
}

}  // namespace

void infer_conv(NodeInference& c) {
  if (auto shape = conv_shape(c); shape && bias_fits(c, (*shape)[1], "Conv")) c.set(0, c.dtype(0), std::move(*shape));
}

namespace {

// Appends how often the window fits along each axis of x [N, spatial.., C].
void append_windows(NodeInference& c, const WindowAttrs& w, const Shape& x, Shape& out) {
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    const int64_t reach = w.dilations[i] * (w.kernel[i] - 1) + 1;
    const DimExpr span = x[i + 1] + DimExpr(w.begin[i] + w.end[i] - reach);
    out.push_back(span.floor_div(DimExpr(w.strides[i])) + DimExpr(1));
    c.needs_positive(out.back());
  }
}

}  // namespace

void infer_depthwise_conv(NodeInference& c) {
  const WindowAttrs& w = c.node().as<DepthwiseConvAttrs>().window;
  const Shape x = c.shape(0);
  if (x.size() != w.kernel.size() + 2 || c.rank(1) != 2)
    return c.problem("DepthwiseConv needs x and weights of its kernel", "this is a fault of a pass");
  if (!c.unify(x.back(), c.shape(1)[1], "channels of a DepthwiseConv")) return;
  Shape out{x[0]};
  append_windows(c, w, x, out);
  out.push_back(x.back());
  c.set(0, c.dtype(0), std::move(out));
}

void infer_patches(NodeInference& c) {
  const PatchesAttrs& a = c.node().as<PatchesAttrs>();
  const Shape x = c.shape(0);
  const size_t axes = a.window.kernel.size();
  if (axes < 1 || x.size() != axes + 2) return c.problem("Patches need a map of the window's rank", "this is a fault of a pass");
  Shape out{x[0]};
  append_windows(c, a.window, x, out);
  int64_t depth = a.channels;
  for (int64_t kernel : a.window.kernel) depth *= kernel;
  out.push_back(DimExpr(depth));
  c.set(0, c.dtype(0), std::move(out));
}

void infer_conv_integer(NodeInference& c) {
  if (auto shape = conv_shape(c)) c.set(0, DType::kInt32, std::move(*shape));
}

namespace {

// Attributes of a ConvTranspose that do not fit its weights; empty if all do.
std::string transposed_attributes_fault(const ConvTransposeAttrs& a, size_t axes, const std::vector<int64_t>& kernel) {
  const auto fits = [](const std::vector<int64_t>& v, size_t n) { return v.empty() || v.size() == n; };
  if (!fits(a.strides, axes) || !fits(a.dilations, axes) || !fits(a.output_padding, axes) || !fits(a.pads, 2 * axes))
    return "strides, dilations, pads or output_padding do not fit the rank";
  if (!fits(a.output_shape, axes)) return "output_shape does not fit the rank";
  if (!a.kernel.empty() && a.kernel != kernel) return "kernel_shape is not that of its weights";
  for (const int64_t size : kernel)
    if (size < 1) return "its kernel has size " + std::to_string(size) + " along an axis";
  for (size_t i = 0; i < a.output_padding.size(); ++i)
    if (a.output_padding[i] >= std::max(i < a.strides.size() ? a.strides[i] : 1, i < a.dilations.size() ? a.dilations[i] : 1))
      return "output_padding " + std::to_string(a.output_padding[i]) + " is not less than the stride";
  return {};
}

}  // namespace

void infer_conv_transpose(NodeInference& c) {
  const ConvTransposeAttrs a = c.node().as<ConvTransposeAttrs>();
  const Shape x = c.shape(0), w = c.shape(1);
  if (x.size() < 3 || w.size() != x.size()) return c.invalid("x and weights need equal rank of at least 3");
  const size_t axes = x.size() - 2;
  std::vector<int64_t> kernel;
  for (size_t i = 0; i < axes; ++i) {
    if (!w[i + 2].constant()) return c.problem("the kernel size is not constant", "export with constant weights");
    kernel.push_back(*w[i + 2].constant());
  }
  if (const std::string fault = transposed_attributes_fault(a, axes, kernel); !fault.empty()) return c.invalid(fault);
  if (!c.unify(x[1], w[0], "channels of a ConvTranspose")) return;
  if (w[0].constant().value_or(0) % a.group != 0)
    return c.invalid("its channels do not divide into " + std::to_string(a.group) + " groups");
  const DimExpr filters = w[1] * DimExpr(a.group);
  if (!bias_fits(c, filters, "ConvTranspose")) return;
  Shape out{x[0], filters};
  for (size_t i = 0; i < axes; ++i) {
    const auto t = transposed_axis(a, i, axes, x[i + 2], kernel[i]);
    if (!t)
      return c.problem("its output_shape is fixed, but its input has the size " + x[i + 2].str(),
                       "export it with pads and output_padding instead of output_shape, or fix the dim with --fix");
    if (t->out.constant().value_or(1) < 1) return c.invalid("its pads leave nothing of the result");
    c.needs_positive(t->out);
    out.push_back(t->out);
  }
  c.set(0, c.dtype(0), std::move(out));
}

namespace {

// A window of nothing but padding has a sum and a mean of zeros that count, and no maximum.
bool windows_have_values(NodeInference& c, const ConvAttrs& a) {
  if (a.sum || a.count_include_pad) return true;
  const size_t spatial = a.kernel.size();
  if (!a.auto_pad.empty() && a.auto_pad != "NOTSET") return true;
  for (size_t i = 0; i < a.pads.size(); ++i) {
    const size_t axis = i % spatial;
    const int64_t dilation = axis < a.dilations.size() ? a.dilations[axis] : 1, reach = dilation * (a.kernel[axis] - 1) + 1;
    if (a.pads[i] < reach) continue;
    c.invalid("its padding of " + std::to_string(a.pads[i]) + " along an axis leaves windows of " + std::to_string(reach) +
              " nothing but padding");
    return false;
  }
  return true;
}

}  // namespace

void infer_pool(NodeInference& c) {
  const ConvAttrs& a = c.node().as<ConvAttrs>();
  if (c.rank(0) < 3 || a.kernel.size() + 2 != c.shape(0).size()) return c.invalid("the kernel does not fit the rank");
  Shape out{c.shape(0)[0], c.shape(0)[1]};
  if (!spatial_shape(c, a, a.kernel, out) || !windows_have_values(c, a)) return;
  c.set(0, c.dtype(0), out);
  if (c.node().outputs.size() > 1) c.set(1, DType::kInt64, out);
}

}  // namespace edgeconv
