// Multiplications and additions of constants around convolutions, per channel or of one number for all, fold into their weights: batch norms behind
// depthwise kernels, and the affine layers that mobile networks have behind every activation. Of maps only ([N, H, W, C]).
#include <algorithm>

#include "convert/passes/live_users.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int64_t kMostChannels = 1 << 20;  // weights have a number for each of more only where a file says so without bringing them

// y = x * factor or x + term, per channel of a map with channels last.
struct Affine {
  ValueId x = kNone;
  bool mul = false;
  std::vector<float> by;  // one per channel

  static std::optional<Affine> of(const Graph& g, const Node& n) {
    if (n.kind != OpKind::kBinary || n.dead) return {};
    const auto kind = n.as<BinaryAttrs>().kind;
    if (kind != binary::kMul && kind != binary::kAdd) return {};
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const ValueId c = n.in(i), x = n.in(1 - i);
      const Value& out = g.value(n.outputs[0]);
      if (c == kNone || x == kNone || !g.value(c).constant || g.value(x).constant || !is_float(out.dtype) || !out.shape) continue;
      if (out.shape->size() != 4 || g.value(x).shape != out.shape || out.shape->back().constant().value_or(kMostChannels + 1) > kMostChannels) continue;
      const auto channels = static_cast<size_t>(*out.shape->back().constant());
      const Tensor& t = *g.value(c).constant;
      if (t.elements() != 1 &&
          (t.elements() != static_cast<int64_t>(channels) || t.dims().back() != static_cast<int64_t>(channels)))
        continue;
      Affine a{x, kind == binary::kMul, t.to_float()};
      a.by.resize(channels, a.by[0]);
      if (std::all_of(a.by.begin(), a.by.end(), [](float v) { return std::isfinite(v); })) return a;
    }
    return {};
  }
};

class AffineFolder {
 public:
  AffineFolder(Graph& g, const Users& users) : g_(g), users_(users) {}

  // A depthwise convolution and the affine node that alone reads it.
  bool behind_depthwise(const Node& n, const Node& reader) {
    const auto affine = Affine::of(g_, reader);
    if (n.as<DepthwiseConvAttrs>().activation != ert::params::depthwise_conv::kNoActivation || !affine ||
        affine->x != n.outputs[0])
      return false;
    const size_t channels = affine->by.size();
    std::vector<float> bias = n.in(2) == kNone ? std::vector<float>(channels, 0.0f) : g_.value(n.in(2)).constant->to_float();
    ValueId w = n.in(1);
    for (size_t c = 0; c < channels; ++c) bias[c] = affine->mul ? bias[c] * affine->by[c] : bias[c] + affine->by[c];
    if (affine->mul) w = scaled(w, affine->by, /*columns=*/true, n.origin);
    const std::vector<ValueId> inputs{n.in(0), w, floats(bias, n.origin)};
    const ValueId out = reader.outputs[0];
    redefine(g_, out, OpKind::kDepthwiseConv, inputs, n.attrs, n.origin);
    return true;
  }

  // A factor before a depthwise convolution, which alone reads it. (A term would have to end at the padding.)
  bool before_depthwise(const Node& affine_node, const Node& n) {
    const auto affine = Affine::of(g_, affine_node);
    if (!affine || !affine->mul || n.in(0) != affine_node.outputs[0]) return false;
    const ValueId w = scaled(n.in(1), affine->by, true, n.origin), out = n.outputs[0];
    redefine(g_, out, OpKind::kDepthwiseConv, {affine->x, w, n.in(2)}, n.attrs, n.origin);
    return true;
  }

  // The same before a Linear, where terms become part of the bias.
  bool before_linear(const Node& affine_node, const Node& n) {
    const auto affine = Affine::of(g_, affine_node);
    if (!affine || n.in(0) != affine_node.outputs[0] || !foldable(n)) return false;
    ValueId w = n.in(1), bias = n.in(2);
    if (affine->mul)
      w = scaled(w, affine->by, false, n.origin);
    else
      bias = with_terms(n, affine->by);
    const ValueId out = n.outputs[0];
    redefine(g_, out, OpKind::kLinear, {affine->x, w, bias}, n.attrs, n.origin);
    return true;
  }

  // A factor before the patches of a convolution: its padding stays zero.
  bool before_patches(const Node& affine_node, const Node& patches, const Node& n) {
    const auto affine = Affine::of(g_, affine_node);
    const auto& a = patches.as<PatchesAttrs>();
    if (!affine || !affine->mul || patches.in(0) != affine_node.outputs[0] || !foldable(n)) return false;
    const auto depth = static_cast<size_t>(g_.value(n.in(1)).constant->dims()[0]);
    std::vector<float> by(depth);
    for (size_t k = 0; k < depth; ++k)
      by[k] = affine->by[static_cast<size_t>(a.first_channel) + k % static_cast<size_t>(a.channels)];
    const ValueId w = scaled(n.in(1), by, false, n.origin), out = n.outputs[0];
    const Node reader = n;
    const ValueId x = g_.add_node(OpKind::kPatches, {affine->x}, a, patches.origin);
    g_.value(x).dtype = g_.value(patches.outputs[0]).dtype;
    g_.value(x).shape = g_.value(patches.outputs[0]).shape;
    redefine(g_, out, OpKind::kLinear, {x, w, reader.in(2)}, reader.attrs, reader.origin);
    return true;
  }

 private:
  bool foldable(const Node& n) const {
    return g_.value(n.in(1)).constant && !g_.value(n.in(1)).quantized && users_[static_cast<size_t>(n.in(1))].size() == 1 &&
           (n.in(2) == kNone || g_.value(n.in(2)).constant);
  }
  ValueId floats(const std::vector<float>& v, const Origin& origin) {
    return g_.add_constant(origin.node + "/affine", Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(v.size())}, v));
  }
  // Columns or rows of a matrix times a factor each.
  ValueId scaled(ValueId w, const std::vector<float>& by, bool columns, const Origin& origin) {
    const Tensor source = g_.value(w).constant->cast(DType::kFloat).aligned();
    const auto width = static_cast<size_t>(source.dims()[1]);
    Tensor t(DType::kFloat, source.dims());
    const auto src = source.as<float>();
    const auto dst = t.mut<float>();
    for (size_t i = 0; i < src.size(); ++i) dst[i] = src[i] * by[columns ? i % width : i / width];
    return g_.add_constant(origin.node + "/scaled", t);
  }
  ValueId with_terms(const Node& n, const std::vector<float>& terms) {
    const Tensor w = g_.value(n.in(1)).constant->cast(DType::kFloat).aligned();
    const auto width = static_cast<size_t>(w.dims()[1]);
    std::vector<double> sum(width, 0);
    for (size_t k = 0; k < terms.size(); ++k)
      for (size_t c = 0; c < width; ++c) sum[c] += static_cast<double>(terms[k]) * w.as<float>()[k * width + c];
    const std::vector<float> bias = n.in(2) == kNone ? std::vector<float>(width, 0.0f) : g_.value(n.in(2)).constant->to_float();
    std::vector<float> all(width);
    for (size_t c = 0; c < width; ++c) all[c] = static_cast<float>(sum[c] + bias[c]);
    return floats(all, n.origin);
  }

  Graph& g_;
  const Users& users_;
};

// Folds node i and its only reader, if they can be.
bool fold_with_reader(Graph& g, const Users& users, size_t i) {
  const Node n = g.nodes[i];
  if (n.dead || n.outputs.empty() || n.outputs[0] == kNone) return false;
  if (n.kind != OpKind::kDepthwiseConv && !Affine::of(g, n)) return false;
  AffineFolder f(g, users);
  const Node* next = sole_user(g, users, n.outputs[0]);
  if (!next || next->dead) return false;
  const Node reader = *next;
  const auto constant = [&](ValueId v) { return v == kNone || g.value(v).constant; };
  switch (reader.kind) {
    case OpKind::kBinary:
      return n.kind == OpKind::kDepthwiseConv && constant(n.in(1)) && constant(n.in(2)) && f.behind_depthwise(n, reader);
    case OpKind::kDepthwiseConv: return n.kind == OpKind::kBinary && constant(reader.in(1)) && f.before_depthwise(n, reader);
    case OpKind::kLinear: return n.kind == OpKind::kBinary && f.before_linear(n, reader);
    case OpKind::kPatches: {
      const Node* linear = n.kind == OpKind::kBinary ? sole_user(g, users, reader.outputs[0]) : nullptr;
      return linear && !linear->dead && linear->kind == OpKind::kLinear && f.before_patches(n, reader, Node(*linear));
    }
    default: return false;
  }
}

}  // namespace

int pass_fold_affine_conv(Graph& g, Diagnostics&) {
  int folded = 0;
  LiveUsers users(g);
  for (bool again = true; again;) {
    again = false;
    const size_t count = g.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      const bool folds = fold_with_reader(g, users.get(), i);
      users.update();
      if (!folds) continue;
      g.nodes[i].dead = true;
      users.remove(static_cast<NodeId>(i));
      ++folded;
      again = true;
    }
  }
  return folded;
}

}  // namespace edgeconv
