// Conv becomes a Linear over its patches (DESIGN 2), in as many spatial axes as it has: channels last, one shifted copy per
// kernel position, Concat of them along the channels, Linear, channels first again. The Linear then has smoothing and the
// precision ladder, and the layout changes meet those of neighbours and cancel. A kernel that tiles its input without overlap
// (patch embeddings) needs no copies; a depthwise kernel is a weighted sum of its copies.
#include <algorithm>

#include "convert/passes/match.h"
#include "convert/passes/sliding_window.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int64_t kMostPositions = 1024;

// Builds nodes that share an origin; values are [N, spatial.., C].
class ConvBuilder {
 public:
  ConvBuilder(Graph& g, const Node& n, Window w) : g_(g), origin_(n.origin), w_(std::move(w)) {}

  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
    return g_.add_node(kind, std::move(inputs), std::move(attrs), origin_);
  }
  ValueId ints(const std::vector<int64_t>& v) { return g_.add_constant(origin_.node + "/ints", Tensor::ints(v)); }
  ValueId floats(std::vector<int64_t> dims, const std::vector<float>& v) {
    return g_.add_constant(origin_.node + "/weight", Tensor::of<float>(DType::kFloat, std::move(dims), v));
  }

  ValueId channels_last(ValueId x) {
    std::vector<int64_t> perm{0};
    for (size_t i = 0; i < w_.axes(); ++i) perm.push_back(static_cast<int64_t>(i) + 2);
    perm.push_back(1);
    return add(OpKind::kTranspose, {x}, TransposeAttrs{perm});
  }
  std::vector<int64_t> channels_first() const {
    std::vector<int64_t> perm{0, static_cast<int64_t>(w_.axes()) + 1};
    for (size_t i = 0; i < w_.axes(); ++i) perm.push_back(static_cast<int64_t>(i) + 1);
    return perm;
  }
  // The inputs that position `index` of the kernel meets, for all windows: the padding minus what lies before and behind it
  // (a negative pad crops), then every stride-th. A crop has the same size for every position, whatever the size of the input.
  ValueId slice(ValueId x, int64_t index) {
    std::vector<int64_t> before(w_.axes() + 2, 0), behind = before, starts, ends, axes;
    for (size_t i = w_.axes(); i-- > 0;) {
      const int64_t at = index % w_.kernel[i];
      index /= w_.kernel[i];
      before[i + 1] = w_.begin[i] - at * w_.dilations[i];
      behind[i + 1] = w_.end[i] - (w_.kernel[i] - 1 - at) * w_.dilations[i];
    }
    for (size_t i = 0; i < w_.axes(); ++i) {
      starts.push_back(0);
      ends.push_back(INT64_MAX);
      axes.push_back(static_cast<int64_t>(i) + 1);
    }
    before.insert(before.end(), behind.begin(), behind.end());
    const auto all = [](const std::vector<int64_t>& v, int64_t value) {
      return std::all_of(v.begin(), v.end(), [&](int64_t e) { return e == value; });
    };
    if (!all(before, 0)) x = add(OpKind::kPad, {x, ints(before)}, PadAttrs{});
    return all(w_.strides, 1) ? x : add(OpKind::kSlice, {x, ints(starts), ints(ends), ints(axes), ints(w_.strides)}, {});
  }
  // [N, windows.., positions * C] where windows touch without overlap: only the order of axes changes.
  ValueId tiles(ValueId x, const Shape& sizes, int64_t channels) {
    const int64_t axes = static_cast<int64_t>(w_.axes());
    std::vector<int64_t> split{0}, perm{0}, joined{0};
    for (int64_t i = 0; i < axes; ++i) {
      const int64_t k = w_.kernel[static_cast<size_t>(i)], windows = *sizes[static_cast<size_t>(i) + 2].constant() / k;
      split.insert(split.end(), {windows, k});
      perm.push_back(1 + 2 * i);
      joined.push_back(windows);
    }
    for (int64_t i = 0; i < axes; ++i) perm.push_back(2 + 2 * i);
    perm.push_back(2 * axes + 1);
    split.push_back(channels);
    joined.push_back(w_.positions() * channels);
    const ValueId apart = add(OpKind::kReshape, {x, ints(split)}, ReshapeAttrs{});
    return add(OpKind::kReshape, {add(OpKind::kTranspose, {apart}, TransposeAttrs{perm}), ints(joined)}, ReshapeAttrs{});
  }
  bool tiles_input(const Shape& sizes) const {
    for (size_t i = 0; i < w_.axes(); ++i) {
      const auto size = sizes[i + 2].constant();
      if (!size || *size % w_.kernel[i] != 0 || w_.strides[i] != w_.kernel[i] || w_.dilations[i] != 1 || w_.begin[i] != 0 ||
          w_.end[i] != 0)
        return false;
    }
    return true;
  }
  ValueId patches(ValueId x) {
    if (w_.positions() == 1) return slice(x, 0);
    std::vector<ValueId> parts;
    for (int64_t p = 0; p < w_.positions(); ++p) parts.push_back(slice(x, p));
    return add(OpKind::kConcat, parts, AxisAttrs{static_cast<int64_t>(w_.axes()) + 1});
  }
  // Columns of one group out of [.., positions * C]: [.., positions * group_channels].
  ValueId group_patches(ValueId patches, int64_t channels, int64_t first, int64_t count) {
    const int64_t axis = static_cast<int64_t>(w_.axes()) + 2;
    std::vector<int64_t> apart(w_.axes() + 1, 0), joined = apart;
    apart.insert(apart.end(), {w_.positions(), channels});
    joined.push_back(w_.positions() * count);
    const ValueId split = add(OpKind::kReshape, {patches, ints(apart)}, ReshapeAttrs{});
    const ValueId part = add(OpKind::kSlice, {split, ints({first}), ints({first + count}), ints({axis}), ints({1})}, {});
    return add(OpKind::kReshape, {part, ints(joined)}, ReshapeAttrs{});
  }
  const Window& window() const { return w_; }

 private:
  Graph& g_;
  Origin origin_;
  Window w_;
};

// Filters [first, first + count) of weight [M, C / group, positions] as a matrix [positions * C / group, count].
std::vector<float> filter_matrix(const Tensor& weight, int64_t positions, int64_t first, int64_t count) {
  const int64_t channels = weight.dims()[1];
  const auto w = weight.as<float>();
  std::vector<float> matrix(static_cast<size_t>(positions * channels * count));
  for (int64_t m = 0; m < count; ++m)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < positions; ++p)
        matrix[static_cast<size_t>((p * channels + c) * count + m)] =
            w[static_cast<size_t>(((first + m) * channels + c) * positions + p)];
  return matrix;
}

// One channel each: a sum of products, one per kernel position.
ValueId depthwise(ConvBuilder& b, ValueId x, const Tensor& weight, ValueId bias) {
  const int64_t channels = weight.dims()[0], positions = b.window().positions();
  ValueId sum = kNone;
  for (int64_t p = 0; p < positions; ++p) {
    std::vector<float> w;
    for (int64_t c = 0; c < channels; ++c) w.push_back(weight.as<float>()[static_cast<size_t>(c * positions + p)]);
    const ValueId product = b.add(OpKind::kBinary, {b.slice(x, p), b.floats({channels}, w)}, BinaryAttrs{binary::kMul});
    sum = sum == kNone ? product : b.add(OpKind::kBinary, {sum, product}, BinaryAttrs{binary::kAdd});
  }
  return bias == kNone ? sum : b.add(OpKind::kBinary, {sum, bias}, BinaryAttrs{binary::kAdd});
}

ValueId grouped(ConvBuilder& b, ValueId patches, const Tensor& weight, int64_t groups, const std::optional<Tensor>& bias) {
  const int64_t filters = weight.dims()[0] / groups, channels = weight.dims()[1], positions = b.window().positions();
  std::vector<ValueId> parts;
  for (int64_t k = 0; k < groups; ++k) {
    const ValueId x = groups == 1 ? patches : b.group_patches(patches, channels * groups, k * channels, channels);
    const ValueId w = b.floats({positions * channels, filters}, filter_matrix(weight, positions, k * filters, filters));
    ValueId own_bias = kNone;
    if (bias)
      own_bias = b.floats({filters}, {bias->as<float>().begin() + k * filters, bias->as<float>().begin() + (k + 1) * filters});
    parts.push_back(b.add(OpKind::kLinear, {x, w, own_bias}, LinearAttrs{}));
  }
  return parts.size() == 1 ? parts[0] : b.add(OpKind::kConcat, parts, AxisAttrs{static_cast<int64_t>(b.window().axes()) + 1});
}

bool decompose(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto& a = n.as<ConvAttrs>();
  const ValueId bias = n.in(2);
  if (!g.value(n.in(0)).shape || g.value(n.in(0)).dtype != DType::kFloat || !g.value(n.in(1)).constant ||
      (bias != kNone && !g.value(bias).constant))
    return false;
  const Shape sizes = *g.value(n.in(0)).shape;
  const Tensor weight = g.value(n.in(1)).constant->cast(DType::kFloat).aligned();
  if (sizes.size() < 3 || weight.dims().size() != sizes.size() || a.group < 1 || weight.dims()[0] % a.group != 0) return false;
  const auto window = plan_window(a, sizes, {weight.dims().begin() + 2, weight.dims().end()});
  if (!window || window->positions() < 1 || window->positions() > kMostPositions) return false;
  std::optional<Tensor> bias_values;
  if (bias != kNone) bias_values = g.value(bias).constant->cast(DType::kFloat).aligned();

  ConvBuilder b(g, n, *window);
  const bool one_channel_each = a.group > 1 && weight.dims()[1] == 1 && weight.dims()[0] == a.group;
  const int64_t channels = weight.dims()[1] * a.group;
  const ValueId x = b.channels_last(n.in(0));
  ValueId y;
  if (one_channel_each)
    y = depthwise(b, x, weight, bias);
  else
    y = grouped(b, b.tiles_input(sizes) ? b.tiles(x, sizes, channels) : b.patches(x), weight, a.group, bias_values);
  redefine(g, n.outputs[0], OpKind::kTranspose, {y}, TransposeAttrs{b.channels_first()}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_conv(Graph& g, Diagnostics&) {
  int made = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!g.nodes[i].dead && g.nodes[i].kind == OpKind::kConv) made += decompose(g, static_cast<NodeId>(i));
  return made;
}

}  // namespace edgeconv
