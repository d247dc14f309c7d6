// Conv becomes a Linear over its patches, channels last: Patches, Linear, channels first again. The Linear then has smoothing and takes part
// in the mixed-precision search; the runtime has one op for the two (lower/nodes/matmul.cc). The layout changes meet those of neighbours and
// cancel. A kernel of one position is a Linear over the map as it is. Maps of the runtime have two spatial axes. Where there are more, the
// positions of the kernel along the first ones become channels, each a shifted copy of the map, and these axes part of the batch
// (leading_axes.h); where the kernel tiles the input, another order of axes does. A depthwise kernel is a sum of its copies' convolutions.
#include <algorithm>
#include <functional>
#include <numeric>

#include "convert/passes/leading_axes.h"
#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"
#include "convert/passes/sliding_window.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

// Of all Convs of a model that have more than a few: each is an op or several, and files of a kilobyte hold many large kernels.
constexpr int64_t kFewCopies = 16, kMostCopies = 1024;

int64_t positions_of(const std::vector<int64_t>& kernel) {
  return std::accumulate(kernel.begin(), kernel.end(), int64_t{1}, std::multiplies<>());
}

// Values are [N, spatial.., C].
class ConvBuilder : public NodeBuilder {
 public:
  ConvBuilder(Graph& g, const Node& n, WindowAttrs w) : NodeBuilder(g, n), w_(std::move(w)) {}

  ValueId channels_last(ValueId x) {
    std::vector<int64_t> perm{0};
    for (size_t i = 0; i < axis_count(); ++i) perm.push_back(static_cast<int64_t>(i) + 2);
    perm.push_back(1);
    return add(OpKind::kTranspose, {x}, TransposeAttrs{perm});
  }
  std::vector<int64_t> channels_first() const {
    std::vector<int64_t> perm{0, static_cast<int64_t>(axis_count()) + 1};
    for (size_t i = 0; i < axis_count(); ++i) perm.push_back(static_cast<int64_t>(i) + 1);
    return perm;
  }
  // [N, windows.., positions * C] where windows touch without overlap: only the order of axes changes. What is left over at the
  // end of an axis is cut off.
  ValueId tiles(ValueId x, const Shape& map, int64_t channels) {
    const int64_t axes = static_cast<int64_t>(axis_count());
    const DimExpr depth(channels);
    Shape split{map[0]}, joined = split, ends;
    std::vector<int64_t> perm{0}, starts, axis, steps;
    bool whole = true;
    for (int64_t i = 0; i < axes; ++i) {
      const DimExpr k(w_.kernel[static_cast<size_t>(i)]), &size = map[static_cast<size_t>(i) + 2], windows = size.floor_div(k);
      split.insert(split.end(), {windows, k});
      joined.push_back(windows);
      perm.push_back(1 + 2 * i);
      starts.push_back(0);
      ends.push_back(windows * k);
      axis.push_back(i + 1);
      steps.push_back(1);
      whole &= windows * k == size;
    }
    for (int64_t i = 0; i < axes; ++i) perm.push_back(2 + 2 * i);
    perm.push_back(2 * axes + 1);
    split.push_back(depth);
    joined.push_back(depth * DimExpr(positions()));
    if (!whole) x = add(OpKind::kSlice, {x, ints(starts), sizes_of(ends), ints(axis), ints(steps)}, {});
    const ValueId apart = add(OpKind::kReshape, {x, sizes_of(split)}, ReshapeAttrs{});
    return add(OpKind::kReshape, {add(OpKind::kTranspose, {apart}, TransposeAttrs{perm}), sizes_of(joined)}, ReshapeAttrs{});
  }
  bool tiles_input() const {
    for (size_t i = 0; i < axis_count(); ++i)
      if (w_.strides[i] != w_.kernel[i] || w_.dilations[i] != 1 || w_.begin[i] != 0 || w_.end[i] != 0) return false;
    return true;
  }
  bool is_one_op() const { return axis_count() <= ert::params::window::kMostAxes; }
  // A map of which the patches are the elements.
  bool is_pointwise() const {
    const auto all = [](const std::vector<int64_t>& v, int64_t value) {
      return std::all_of(v.begin(), v.end(), [&](int64_t e) { return e == value; });
    };
    return all(w_.kernel, 1) && all(w_.strides, 1) && all(w_.begin, 0) && all(w_.end, 0);
  }
  // Of the channels [first, first + count).
  ValueId patches(ValueId x, int64_t first, int64_t count) { return add(OpKind::kPatches, {x}, PatchesAttrs{w_, first, count}); }
  // Channel c as channels c * each .. of [N, spatial.., C].
  ValueId repeated(ValueId x, int64_t channels, int64_t each) {
    std::vector<int64_t> from;
    for (int64_t i = 0; i < channels * each; ++i) from.push_back(i / each);
    return add(OpKind::kGather, {x, ints(from)}, AxisAttrs{static_cast<int64_t>(axis_count()) + 1});
  }
  // Channels [first, first + count) of [N, spatial.., C].
  ValueId channels(ValueId x, int64_t first, int64_t count) {
    const int64_t axis = static_cast<int64_t>(axis_count()) + 1;
    return add(OpKind::kSlice, {x, ints({first}), ints({first + count}), ints({axis}), ints({1})}, {});
  }
  const WindowAttrs& window() const { return w_; }
  size_t axis_count() const { return w_.kernel.size(); }
  int64_t positions() const { return positions_of(w_.kernel); }

 private:
  WindowAttrs w_;
};

// Weights [M, C / group, positions] of a grouped convolution.
struct Filters {
  const Tensor& weight;
  int64_t groups, positions;

  int64_t channels() const { return weight.dims()[1]; }         // of one group
  int64_t count() const { return weight.dims()[0] / groups; }  // of one group
};

// How many groups become one Linear, at most. Panels of int8 weights are 16 columns wide whatever stands in them (N16K4), so that narrower groups share one with
// zeros for each other's channels: the same products, and fewer ops. Two panels in all are one Linear too, which needs no Concat. Only while rows are short: in fp32 and
// 12 bits zeros are weights like others, and of deep groups avx2 is slower together. They share a range, and what is not finite.
int64_t groups_of_one(const Filters& f) {
  constexpr int64_t kPanel = 16, kShallow = 256;
  const int64_t shallow = kShallow / std::max<int64_t>(f.channels() * f.positions, 1);
  if (f.groups * f.count() <= 2 * kPanel && f.groups <= shallow) return f.groups;
  int64_t joined = std::clamp<int64_t>(std::min(kPanel / std::max<int64_t>(f.count(), 1), shallow), 1, f.groups);
  while (f.groups % joined != 0) --joined;  // alike, so that the runtime has one op for all (program/conv_groups.cc)
  return joined;
}

// The filters of `count` groups from `first` on as a matrix [positions * channels of them, filters of them].
std::vector<float> filter_matrix(const Filters& f, int64_t first, int64_t count) {
  const int64_t own = f.channels(), channels = own * count, filters = f.count() * count;
  const auto w = f.weight.as<float>();
  std::vector<float> matrix(static_cast<size_t>(f.positions * channels * filters), 0.0f);
  for (int64_t m = 0; m < filters; ++m)
    for (int64_t c = 0; c < own; ++c)
      for (int64_t p = 0; p < f.positions; ++p)
        matrix[static_cast<size_t>((p * channels + m / f.count() * own + c) * filters + m)] =
            w[static_cast<size_t>(((first * f.count() + m) * own + c) * f.positions + p)];
  return matrix;
}

// `each` filters for each channel.
ValueId depthwise(ConvBuilder& b, ValueId x, const Tensor& weight, ValueId bias, int64_t each) {
  const int64_t channels = weight.dims()[0], positions = b.positions();
  const auto w = weight.as<float>();
  std::vector<float> by_position(w.size());
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t c = 0; c < channels; ++c)
      by_position[static_cast<size_t>(p * channels + c)] = w[static_cast<size_t>(c * positions + p)];
  if (each > 1) x = b.repeated(x, channels / each, each);
  return b.add(OpKind::kDepthwiseConv, {x, b.weights({positions, channels}, by_position), bias}, DepthwiseConvAttrs{b.window()});
}

// A Linear over the patches of each group's own channels, or of a few groups', so that memory holds the patches of these at a time.
ValueId grouped(ConvBuilder& b, ValueId x, const Shape& sizes, const Filters& f, const std::optional<Tensor>& bias) {
  const int64_t joined = groups_of_one(f);
  const bool whole = joined == f.groups;
  std::vector<ValueId> parts;
  for (int64_t k = 0; k < f.groups; k += joined) {
    const int64_t count = std::min(joined, f.groups - k), filters = f.count() * count, channels = f.channels() * count;
    const bool moved = !whole || !b.is_pointwise();
    const int64_t first = k * f.channels();
    ValueId patches = x;
    if (moved && b.is_one_op()) {
      patches = b.patches(x, first, channels);
    } else if (moved) {
      patches = b.tiles(whole ? x : b.channels(x, first, channels), sizes, channels);
    }
    const ValueId w = b.weights({f.positions * channels, filters}, filter_matrix(f, k, count));
    ValueId own_bias = kNone;
    if (bias) {
      const auto from = bias->as<float>().begin() + k * f.count();
      own_bias = b.weights({filters}, {from, from + filters});
    }
    parts.push_back(b.add(OpKind::kLinear, {patches, w, own_bias}, LinearAttrs{}));
  }
  return parts.size() == 1 ? parts[0] : b.add(OpKind::kConcat, parts, AxisAttrs{static_cast<int64_t>(b.axis_count()) + 1});
}

// Positions of a kernel [.., kernel..] along the axes before the last two.
int64_t copies_of(const std::vector<int64_t>& kernel) {
  constexpr size_t kInner = ert::params::window::kMostAxes;
  return positions_of({kernel.begin(), kernel.end() - static_cast<std::ptrdiff_t>(std::min(kInner, kernel.size()))});
}

// Of all Convs that have more than a few. These are done all or none: the pass runs again, and would do the others then.
int64_t many_copies(const Graph& g) {
  int64_t sum = 0;
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kConv || !g.value(n.in(1)).constant) continue;
    const std::vector<int64_t>& w = g.value(n.in(1)).constant->dims();
    const int64_t copies = w.size() > 2 ? copies_of({w.begin() + 2, w.end()}) : 1;
    if (copies > kFewCopies) sum += std::min(copies, kMostCopies + 1);
  }
  return sum;
}

bool can_be_done(const std::vector<int64_t>& kernel, int64_t of_model) {
  return positions_of(kernel) >= 1 && (copies_of(kernel) <= kFewCopies || of_model <= kMostCopies) &&
         std::all_of(kernel.begin(), kernel.end(), [](int64_t k) { return k <= ert::params::kMaxExactDepth; });
}

// Of a map [N, spatial.., C] of three spatial axes or more.
ValueId over_copies(LeadingAxes& lead, ConvBuilder& b, ValueId x, const Tensor& weight, ValueId bias, const std::optional<Tensor>& bias_values,
                    int64_t groups) {
  if (groups == 1 || weight.dims()[1] > 1) {
    const Tensor all = lead.weights_of_all(weight);
    return grouped(b, lead.as_channels(x, groups), {}, {all, groups, b.positions()}, bias_values);
  }
  ValueId sum = kNone;
  for (int64_t i = 0; i < lead.copies(); ++i) {
    const ValueId part = depthwise(b, lead.copy(x, i), lead.weights_of(weight, i), i == 0 ? bias : kNone, weight.dims()[0] / groups);
    sum = sum == kNone ? part : b.add(OpKind::kBinary, {sum, part}, BinaryAttrs{binary::kAdd});
  }
  return sum;
}

// x with padding of its own, where that depends on the size; sizes become those of the result.
ValueId padded_by_size(Graph& g, const Node& n, Window& w, Shape& sizes) {
  Shape pads(2 * sizes.size(), 0);
  for (size_t i = 0; i < w.axes(); ++i) {
    pads[i + 2] = w.begin[i];
    pads[i + 2 + sizes.size()] = w.end[i];
    sizes[i + 2] = sizes[i + 2] + w.begin[i] + w.end[i];
    w.begin[i] = w.end[i] = 0;
  }
  return g.add_node(OpKind::kPad, {n.in(0), shape_operand(g, n.origin.node, pads)}, PadAttrs{}, n.origin);
}

bool decompose_conv(Graph& g, NodeId id, int64_t copies) {
  const Node n = g.node(id);
  const auto& a = n.as<ConvAttrs>();
  const ValueId bias = n.in(2);
  if (!g.value(n.in(0)).shape || !is_float(g.value(n.in(0)).dtype) || !g.value(n.in(1)).constant ||
      (bias != kNone && !g.value(bias).constant))
    return false;
  if (!g.value(n.outputs[0]).shape) return false;
  Shape sizes = *g.value(n.in(0)).shape;
  const Tensor weight = g.value(n.in(1)).constant->cast(DType::kFloat).aligned();
  if (sizes.size() < 3 || weight.dims().size() != sizes.size() || a.group < 1 || weight.dims()[0] % a.group != 0) return false;
  Window window = plan_window(a, sizes, {weight.dims().begin() + 2, weight.dims().end()});
  if (!can_be_done(window.kernel, copies)) return false;
  std::optional<Tensor> bias_values;
  if (bias != kNone) bias_values = g.value(bias).constant->cast(DType::kFloat).aligned();

  const ValueId padded = with_fixed_padding(window) ? n.in(0) : padded_by_size(g, n, window, sizes);
  const WindowAttrs w = *with_fixed_padding(window);
  ConvBuilder b(g, n, w);
  const bool one_channel_each = a.group > 1 && weight.dims()[1] == 1;
  const ValueId x = b.channels_last(padded);
  ValueId y;
  if (!b.is_one_op() && (one_channel_each || !b.tiles_input())) {
    LeadingAxes lead(g, n, w, sizes, *g.value(n.outputs[0]).shape);
    ConvBuilder inner(g, n, lead.inner());
    y = lead.restored(over_copies(lead, inner, x, weight, bias, bias_values, a.group), weight.dims()[0]);
  } else if (one_channel_each) {
    y = depthwise(b, x, weight, bias, weight.dims()[0] / a.group);
  } else {
    y = grouped(b, x, sizes, {weight, a.group, b.positions()}, bias_values);
  }
  redefine(g, n.outputs[0], OpKind::kTranspose, {y}, TransposeAttrs{b.channels_first(), true}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_conv(Graph& g, Diagnostics&) {
  const int64_t copies = many_copies(g);
  return rewrite_each(g, OpKind::kConv, [&](NodeId id) { return decompose_conv(g, id, copies); });
}

}  // namespace edgeconv
