// Positions of a kernel that meet nothing but padding, whatever the output, are not computed: at 10 x 10 pixels a 3 x 3 kernel of dilation 12 is
// one of 1 x 1. So are the branches of atrous pyramids at small sizes (Chen et al., Rethinking Atrous Convolution for Semantic Image
// Segmentation, 2017, section 3.3), and the deep layers of dilated networks over short windows.
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// Positions [first, last) of the kernel along one axis.
struct Met {
  int64_t first, last;
};

// One spatial axis of a Conv.
struct Taps {
  int64_t in, out, kernel, stride, dilation, before, behind;

  // Whether a multiple of the stride, of an output, lies where the position reads the input.
  bool meets(int64_t position) const {
    const int64_t begin = before - position * dilation;
    const int64_t first = begin > 0 ? (begin + stride - 1) / stride : 0;
    return first < out && first * stride < begin + in;
  }
};

// Those that meet the input, between the first and the last one; all where none does, or where what is left would begin behind the input's first
// element: padding is never negative.
Met met(const Taps& a) {
  Met m{0, a.kernel};
  while (m.first < m.last && !a.meets(m.first)) ++m.first;
  while (m.first < m.last && !a.meets(m.last - 1)) --m.last;
  const bool possible = m.first < m.last && a.before >= m.first * a.dilation && a.behind >= (a.kernel - m.last) * a.dilation;
  return possible ? m : Met{0, a.kernel};
}

int64_t value_or(const std::vector<int64_t>& values, size_t i, int64_t otherwise) { return i < values.size() ? values[i] : otherwise; }

// Of weights [M, C, kernel..].
Tensor with_met(const Tensor& weights, const std::vector<Met>& axes) {
  std::vector<int64_t> dims = weights.dims();
  const int64_t filters = dims[0] * dims[1];
  const std::vector<float> from = weights.to_float();
  std::vector<float> to;
  int64_t positions = 1;
  for (size_t i = 0; i < axes.size(); ++i) positions *= dims[2 + i] = axes[i].last - axes[i].first;
  for (int64_t f = 0; f < filters; ++f) {
    for (int64_t p = 0; p < positions; ++p) {
      int64_t rest = p, offset = 0, step = 1;
      for (size_t i = axes.size(); i-- > 0;) {
        offset += (axes[i].first + rest % dims[2 + i]) * step;
        rest /= dims[2 + i];
        step *= weights.dims()[2 + i];
      }
      to.push_back(from[static_cast<size_t>(f * (weights.elements() / filters) + offset)]);
    }
  }
  return Tensor::of<float>(DType::kFloat, dims, to);
}

bool drop_unmet_taps(Graph& g, NodeId id) {
  const Node n = g.node(id);
  ConvAttrs a = n.as<ConvAttrs>();
  const Value &x = g.value(n.in(0)), &w = g.value(n.in(1)), &y = g.value(n.outputs[0]);
  if (!w.constant || w.dtype != DType::kFloat || w.constant->elements() == 0 || !x.shape || !y.shape || a.auto_pad != "NOTSET") return false;
  const std::vector<int64_t> kernel = w.constant->dims();
  if (kernel.size() < 3 || x.shape->size() != kernel.size() || y.shape->size() != kernel.size()) return false;
  const size_t spatial = kernel.size() - 2;
  std::vector<Met> axes;
  bool drops = false;
  a.pads.resize(2 * spatial, 0);
  for (size_t i = 0; i < spatial; ++i) {
    const auto in = (*x.shape)[2 + i].constant(), out = (*y.shape)[2 + i].constant();
    axes.push_back({0, kernel[2 + i]});
    const int64_t dilation = value_or(a.dilations, i, 1);
    if (!in || !out || a.pads[i] + a.pads[spatial + i] == 0) continue;
    axes.back() = met({*in, *out, kernel[2 + i], value_or(a.strides, i, 1), dilation, a.pads[i], a.pads[spatial + i]});
    drops |= axes.back().last - axes.back().first < kernel[2 + i];
    a.pads[i] -= axes.back().first * dilation;
    a.pads[spatial + i] -= (kernel[2 + i] - axes.back().last) * dilation;
  }
  if (!drops) return false;
  const Tensor less = with_met(*w.constant, axes);
  a.kernel.assign(less.dims().begin() + 2, less.dims().end());
  std::vector<ValueId> inputs = n.inputs;
  inputs[1] = g.add_constant(n.origin.node + "/met", less);
  redefine(g, n.outputs[0], OpKind::kConv, std::move(inputs), std::move(a), n.origin);
  return true;
}

}  // namespace

int pass_drop_unmet_taps(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kConv, [&](NodeId id) { return drop_unmet_taps(g, id); });
}

}  // namespace edgeconv
