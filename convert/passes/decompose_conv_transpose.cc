// ConvTranspose becomes a Conv with the filters of all phases, whose results are woven together. With stride s, element q * s + r of the
// result, r being its phase, is a sum over few neighbours of element q of the input, so one Conv with s * M filters computes all phases of
// element q. No work is lost where the kernel is a multiple of the stride; what stands out over the result is cut off.
#include <algorithm>
#include <functional>
#include <numeric>

#include "convert/interp/transposed_axis.h"
#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

// Strides far above the kernel leave most phases without any weight.
constexpr double kMostPhaseGrowth = 16, kMostPhaseWeights = 4e6;

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// An axis as a Conv of stride 1: taps, padding (negative: cropped), and what of the woven phases is the result.
struct PhaseAxis {
  TransposedAxis axis;
  int64_t taps, spread;               // of the Conv: its kernel and its dilation
  int64_t pad_begin, pad_end, first;  // first: of the woven elements
  DimExpr positions;                  // of the Conv
  bool cropped;

  // Which tap of the transposed kernel meets tap `at` of the Conv in this phase; -1: none.
  int64_t source(int64_t at, int64_t phase) const {
    const int64_t distance = (taps - 1 - at) * spread * axis.stride + phase, k = distance / axis.dilation;
    return distance % axis.dilation == 0 && k < axis.kernel ? k : -1;
  }
};

std::optional<PhaseAxis> phase_axis(const TransposedAxis& t, const DimExpr& size) {
  // The result is begin .. begin + out of the uncut one: how far it reaches beyond size * stride does not depend on the size.
  const auto beyond = (DimExpr(t.begin) + t.out - size * DimExpr(t.stride)).constant();
  if (!beyond) return {};
  const int64_t first = floor_div(t.begin, t.stride), reach = (t.kernel - 1) * t.dilation / t.stride;
  const bool one_phase = t.stride == 1;  // a dilated kernel stays one
  PhaseAxis p{t,
              one_phase ? t.kernel : reach + 1,
              one_phase ? t.dilation : 1,
              reach - first,
              -floor_div(-*beyond, t.stride),
              t.begin - first * t.stride,
              DimExpr(),
              false};
  p.positions = size + DimExpr(p.pad_begin + p.pad_end - reach);
  p.cropped = p.first != 0 || p.positions * DimExpr(t.stride) != t.out;
  return p;
}

int64_t product(const std::vector<int64_t>& v) { return std::accumulate(v.begin(), v.end(), int64_t{1}, std::multiplies<>()); }

class PhaseBuilder : public NodeBuilder {
 public:
  PhaseBuilder(Graph& g, const Node& n, std::vector<PhaseAxis> axes, const Shape& x)
      : NodeBuilder(g, n), input_(n.in(0)), axes_(std::move(axes)), x_(x) {
    for (const PhaseAxis& a : axes_) {
      taps_.push_back(a.taps);
      strides_.push_back(a.axis.stride);
      kernel_.push_back(a.axis.kernel);
    }
  }

  int64_t phases() const { return product(strides_); }

  // [N, positions.., groups * phases * filters], from weights [C, M / groups, kernel..]
  ValueId conv(const Tensor& weight, const std::optional<Tensor>& bias, int64_t groups) {
    const int64_t phases = this->phases(), channels = weight.dims()[0] / groups, filters = weight.dims()[1],
                  taps = product(taps_), kernel = product(kernel_);
    std::vector<float> w(static_cast<size_t>(groups * phases * filters * channels * taps), 0), b;
    const auto from = weight.as<float>();
    size_t to = 0;
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t phase = 0; phase < phases; ++phase) {
        const std::vector<int64_t> sources = sources_of_taps(phase);
        for (int64_t m = 0; m < filters; ++m) {
          if (bias) b.push_back(bias->as<float>()[static_cast<size_t>(g * filters + m)]);
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t tap = 0; tap < taps; ++tap, ++to)
              if (const int64_t k = sources[static_cast<size_t>(tap)]; k >= 0)
                w[to] = from[static_cast<size_t>(((g * channels + c) * filters + m) * kernel + k)];
        }
      }
    }
    const int64_t all = groups * phases * filters;
    std::vector<int64_t> dims{all, channels}, pads;
    dims.insert(dims.end(), taps_.begin(), taps_.end());
    for (const PhaseAxis& a : axes_) pads.push_back(a.pad_begin);
    for (const PhaseAxis& a : axes_) pads.push_back(a.pad_end);
    ConvAttrs attrs;
    attrs.pads = pads;
    for (const PhaseAxis& a : axes_) attrs.dilations.push_back(a.spread);
    attrs.group = groups;
    Shape shape{x_[0], DimExpr(all)};
    for (const PhaseAxis& a : axes_) shape.push_back(a.positions);
    const ValueId y = add(OpKind::kConv, {input_, weights(dims, w), bias ? weights({all}, b) : kNone}, attrs, shape);
    return channels_last(y, shape);
  }

  // The same with one channel for each group: a sum of products, for all phases at once. [N, positions.., phases * channels]
  ValueId depthwise(const Tensor& weight, const std::optional<Tensor>& bias) {
    const int64_t channels = weight.dims()[0], kernel = product(kernel_);
    Shape one{x_[0]};
    for (const PhaseAxis& a : axes_) one.push_back(a.positions);
    Shape all = one, flat = one;
    one.insert(one.end(), {DimExpr(1), DimExpr(channels)});
    all.insert(all.end(), {DimExpr(phases()), DimExpr(channels)});
    flat.emplace_back(phases() * channels);
    const ValueId x = channels_last(input_, x_);
    ValueId sum = kNone;
    for (int64_t tap = 0; tap < product(taps_); ++tap) {
      std::vector<float> w;
      for (int64_t phase = 0; phase < phases(); ++phase) {
        const int64_t k = sources_of_taps(phase)[static_cast<size_t>(tap)];
        for (int64_t c = 0; c < channels; ++c) w.push_back(k < 0 ? 0 : weight.as<float>()[static_cast<size_t>(c * kernel + k)]);
      }
      const ValueId own = add(OpKind::kReshape, {shifted(x, tap), sizes_of(one)}, ReshapeAttrs{}, one);
      const ValueId part = add(OpKind::kBinary, {own, weights({phases(), channels}, w)}, BinaryAttrs{binary::kMul}, all);
      sum = sum == kNone ? part : add(OpKind::kBinary, {sum, part}, BinaryAttrs{binary::kAdd}, all);
    }
    if (bias) {
      const std::vector<float> b(bias->as<float>().begin(), bias->as<float>().end());
      sum = add(OpKind::kBinary, {sum, weights({channels}, b)}, BinaryAttrs{binary::kAdd}, all);
    }
    return add(OpKind::kReshape, {sum, sizes_of(flat)}, ReshapeAttrs{}, flat);
  }

  ValueId applied(ValueId v, const Attributes& function, const Origin& origin) {
    const Shape shape = *g_.value(v).shape;
    const ValueId y = g_.add_node(OpKind::kUnary, {v}, function, origin);
    g_.value(y).dtype = dtype_;
    g_.value(y).shape = shape;
    return y;
  }

  // The output [N, groups * filters, positions * stride..] from v [N, positions.., groups * phases * filters]. Phases are woven and what stands
  // out is cut off with the channels last, where a Conv computes and the next one reads: in one dimension weaving moves nothing.
  void finish(ValueId v, int64_t groups, int64_t filters, ValueId output) {
    std::vector<int64_t> first{0, static_cast<int64_t>(axes_.size()) + 1};
    Shape shape{x_[0]};
    for (const PhaseAxis& a : axes_) {
      first.push_back(static_cast<int64_t>(first.size()) - 1);
      shape.push_back(a.positions * DimExpr(a.axis.stride));
    }
    shape.emplace_back(groups * filters);
    if (phases() > 1) v = add(OpKind::kReshape, {woven(v, groups, filters), sizes_of(shape)}, ReshapeAttrs{}, shape);
    redefine(g_, output, OpKind::kTranspose, {cropped(v, shape)}, TransposeAttrs{first, true}, origin_);
  }

 private:
  ValueId moved(ValueId v, const Shape& shape, const std::vector<int64_t>& perm) {
    Shape result;
    for (const int64_t a : perm) result.push_back(shape[static_cast<size_t>(a)]);
    return add(OpKind::kTranspose, {v}, TransposeAttrs{perm}, result);
  }
  ValueId turned(ValueId v, const Shape& split, const std::vector<int64_t>& perm) {
    return moved(add(OpKind::kReshape, {v, sizes_of(split)}, ReshapeAttrs{}, split), split, perm);
  }
  // Every phase behind its axis, of [N, positions.., groups, phases.., filters]: the runtime has 8 axes, so of three in groups the last goes first.
  ValueId woven(ValueId v, int64_t groups, int64_t filters) {
    const auto axes = static_cast<int64_t>(axes_.size());
    const bool many = 3 + 2 * axes > 8, own_groups = groups > 1 || !many;
    Shape split{x_[0]};
    for (const PhaseAxis& a : axes_) split.push_back(a.positions);
    int64_t rest = axes;  // to weave
    if (many && own_groups) {
      const int64_t last = strides_.back();
      Shape one = split;
      one.insert(one.end(), {DimExpr(groups), DimExpr(phases() / last), DimExpr(last), DimExpr(filters)});
      std::vector<int64_t> perm;
      for (int64_t i = 0; i <= axes; ++i) perm.push_back(i);
      perm.insert(perm.end(), {axes + 3, axes + 1, axes + 2, axes + 4});
      v = turned(v, one, perm);
      split.back() = split.back() * DimExpr(last);
      --rest;
    }
    if (own_groups) split.emplace_back(groups);
    const auto phase = static_cast<int64_t>(split.size());
    std::vector<int64_t> perm{0};
    for (int64_t i = 0; i < rest; ++i) {
      split.emplace_back(strides_[static_cast<size_t>(i)]);
      perm.insert(perm.end(), {1 + i, phase + i});
    }
    for (int64_t i = rest; i < axes; ++i) perm.push_back(1 + i);
    if (own_groups) perm.push_back(1 + axes);
    perm.push_back(static_cast<int64_t>(split.size()));
    split.emplace_back(filters);
    return turned(v, split, perm);
  }
  ValueId cropped(ValueId v, Shape shape) {
    Shape ends;
    std::vector<int64_t> starts, along, steps;
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (!axes_[i].cropped) continue;
      starts.push_back(axes_[i].first);
      ends.push_back(DimExpr(axes_[i].first) + axes_[i].axis.out);
      along.push_back(static_cast<int64_t>(i) + 1);
      steps.push_back(1);
      shape[i + 1] = axes_[i].axis.out;
    }
    if (along.empty()) return v;
    return add(OpKind::kSlice, {v, ints(starts), sizes_of(ends), ints(along), ints(steps)}, {}, shape);
  }
  ValueId channels_last(ValueId v, const Shape& shape) {
    std::vector<int64_t> perm(shape.size(), 1);
    perm[0] = 0;
    for (size_t i = 2; i < shape.size(); ++i) perm[i - 1] = static_cast<int64_t>(i);
    return moved(v, shape, perm);
  }
  // The elements of x [N, size.., C] that a tap of the Conv meets, at all positions.
  ValueId shifted(ValueId x, int64_t tap) {
    Shape shape{x_[0]};
    std::vector<int64_t> before(axes_.size() + 2, 0), behind = before;
    for (size_t i = axes_.size(); i-- > 0; tap /= taps_[i]) {
      before[i + 1] = axes_[i].pad_begin - tap % taps_[i] * axes_[i].spread;
      behind[i + 1] = axes_[i].pad_end - (taps_[i] - 1 - tap % taps_[i]) * axes_[i].spread;
    }
    for (const PhaseAxis& a : axes_) shape.push_back(a.positions);
    shape.push_back(x_[1]);
    before.insert(before.end(), behind.begin(), behind.end());
    return add(OpKind::kPad, {x, ints(before)}, PadAttrs{}, shape);
  }
  // For every tap of the Conv, row-major, the tap of the transposed kernel that it has in this phase, or -1.
  std::vector<int64_t> sources_of_taps(int64_t phase) const {
    std::vector<int64_t> phase_of(axes_.size());
    for (size_t i = axes_.size(); i-- > 0; phase /= strides_[i]) phase_of[i] = phase % strides_[i];
    std::vector<int64_t> sources;
    for (int64_t tap = 0; tap < product(taps_); ++tap) {
      int64_t rest = tap, source = 0, place = 1;
      for (size_t i = axes_.size(); i-- > 0; rest /= taps_[i], place *= kernel_[i]) {
        const int64_t k = axes_[i].source(rest % taps_[i], phase_of[i]);
        source = source < 0 || k < 0 ? -1 : source + k * place;
      }
      sources.push_back(source);
    }
    return sources;
  }

  ValueId input_;
  std::vector<PhaseAxis> axes_;
  Shape x_;
  std::vector<int64_t> taps_, strides_, kernel_;
};

bool decompose_conv_transpose(Graph& g, const Users& users, NodeId id) {
  const Node n = g.node(id);
  const auto& a = n.as<ConvTransposeAttrs>();
  const ValueId bias = n.in(2);
  const Value& x = g.value(n.in(0));
  if (!x.shape || !is_float(x.dtype) || !g.value(n.in(1)).constant || (bias != kNone && !g.value(bias).constant)) return false;
  const Shape sizes = *x.shape;
  const Tensor weight = g.value(n.in(1)).constant->cast(DType::kFloat).aligned();
  if (sizes.size() < 3 || weight.dims().size() != sizes.size() || a.group < 1 || weight.dims()[0] % a.group != 0 ||
      weight.elements() == 0)
    return false;
  std::vector<PhaseAxis> axes;
  double growth = 1;
  for (size_t i = 0; i + 2 < sizes.size(); ++i) {
    auto t = transposed_axis(a, i, sizes.size() - 2, sizes[i + 2], weight.dims()[i + 2]);
    if (t && sizes[i + 2] == DimExpr(1)) t->stride = 1;  // between what?
    const auto p = t ? phase_axis(*t, sizes[i + 2]) : std::nullopt;
    if (!p) return false;
    axes.push_back(*p);
    growth *= static_cast<double>(p->taps) * static_cast<double>(p->axis.stride) / static_cast<double>(p->axis.kernel);
  }
  if (growth > kMostPhaseGrowth && growth * static_cast<double>(weight.elements()) > kMostPhaseWeights) return false;
  std::optional<Tensor> bias_values;
  if (bias != kNone) bias_values = g.value(bias).constant->cast(DType::kFloat).aligned();

  PhaseBuilder b(g, n, std::move(axes), sizes);
  const int64_t filters = weight.dims()[1];
  const bool depthwise = a.group > 1 && filters == 1 && weight.dims()[0] == a.group;
  ValueId v = depthwise ? b.depthwise(weight, bias_values) : b.conv(weight, bias_values, a.group), output = n.outputs[0];
  // An elementwise function of the result goes to the product, where it costs no change of layout and may be an activation.
  if (const Node* reader = sole_user(g, users, output);
      reader && reader->kind == OpKind::kUnary && is_float(g.value(reader->outputs[0]).dtype)) {
    const Attributes function = reader->attrs;
    const Origin origin = reader->origin;
    output = reader->outputs[0];
    v = b.applied(v, function, origin);
    g.node(id).dead = true;
  }
  b.finish(v, depthwise ? 1 : a.group, depthwise ? a.group : filters, output);
  return true;
}

}  // namespace

int pass_decompose_conv_transpose(Graph& g, Diagnostics&) {
  const Users users = g.users();
  return rewrite_each(g, OpKind::kConvTranspose, [&](NodeId id) { return decompose_conv_transpose(g, users, id); });
}

}  // namespace edgeconv
