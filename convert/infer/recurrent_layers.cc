// See recurrent_layers.h.
#include "convert/infer/recurrent_layers.h"

#include "convert/infer/kept_steps.h"

namespace edgeconv {
namespace {

class LayerWriter {
 public:
  LayerWriter(Graph& g, NodeId n, const RecurrentLayers& of) : g_(g), n_(n), origin_(g.node(n).origin), of_(of) {}

  void write() {
    if (of_.mask) {
      const ValueId sizes = g_.add_value(origin_.node + "/sizes", DType::kInt64, Shape{2});
      g_.value(sizes).elements = Shape{of_.steps, of_.batch};
      const ValueId mask = add(OpKind::kReshape, {by_rounds(*of_.mask), sizes}, ReshapeAttrs{});
      kept_.emplace(g_, origin_, mask, of_.steps, of_.batch);
    }
    for (const RecurrentLayers::Layer& l : of_.layers) write(l);
    std::vector<ValueId> results;
    for (const RecurrentLayers::Result& r : of_.results) results.push_back(result(r));
    const std::vector<ValueId> outputs = g_.node(n_).outputs;
    g_.node(n_).dead = true;
    for (size_t o = 0; o < outputs.size(); ++o)
      if (results[o] != kNone) g_.add_node_with_outputs(OpKind::kIdentity, {results[o]}, {outputs[o]}, {}, origin_);
  }

 private:
  struct Written {
    ValueId steps, h, c;
  };

  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs = {}) {
    return g_.add_node(kind, std::move(inputs), std::move(attrs), origin_);
  }
  ValueId ints(const std::vector<int64_t>& v) { return g_.add_constant(origin_.node + "/ints", Tensor::ints(v)); }
  ValueId unsqueezed(ValueId v) { return add(OpKind::kUnsqueeze, {v, ints({0})}, AxesAttrs{{0}}); }
  ValueId squeezed(ValueId v, int64_t axis) { return add(OpKind::kSqueeze, {v, ints({axis})}, AxesAttrs{{axis}}); }
  ValueId number(const DimExpr& d) {
    const ValueId v = g_.add_value(origin_.node + "/rounds", DType::kInt64, Shape{});
    g_.value(v).elements = std::vector<DimExpr>{d};
    return v;
  }

  // With the rounds as its first axis, in their order.
  ValueId by_rounds(const ScannedTensor& s) {
    ValueId v = s.whole;
    if (s.axis != 0) {
      std::vector<int64_t> perm{s.axis};
      for (int64_t a = 0; a < g_.value(s.whole).rank(); ++a)
        if (a != s.axis) perm.push_back(a);
      v = add(OpKind::kTranspose, {v}, TransposeAttrs{perm});
    }
    if (s.backward) v = add(OpKind::kSlice, {v, ints({-1}), ints({INT64_MIN}), ints({0}), ints({-1})});
    return v;
  }

  ValueId steps_of(const RecurrentLayers::Input& from) {
    if (from.layer) return written_[*from.layer].steps;
    const ValueId x = by_rounds(from.scanned);
    return kept_ ? kept_->first(x) : x;
  }

  void write(const RecurrentLayers::Layer& l) {
    std::vector<ValueId> parts;
    for (const RecurrentLayers::Input& from : l.inputs) parts.push_back(steps_of(from));
    const auto constant = [&](const char* what, const Tensor& t) { return g_.add_constant(origin_.node + what, t); };
    std::vector<ValueId> inputs{parts.size() == 1 ? parts[0] : add(OpKind::kConcat, parts, AxisAttrs{2}),
                                constant("/W", l.w),
                                constant("/R", l.r),
                                constant("/B", l.b),
                                kept_ ? kept_->lengths() : kNone,
                                unsqueezed(l.h)};
    std::vector<ValueId> outputs{g_.add_value(origin_.node + "/Y"), g_.add_value(origin_.node + "/Y_h")};
    if (l.c != kNone) {
      inputs.push_back(unsqueezed(l.c));
      outputs.push_back(g_.add_value(origin_.node + "/Y_c"));
    }
    g_.add_node_with_outputs(OpKind::kRnn, inputs, outputs, l.attrs, origin_);
    written_.push_back({squeezed(outputs[0], 1), squeezed(outputs[1], 0), l.c != kNone ? squeezed(outputs[2], 0) : kNone});
  }

  ValueId result(const RecurrentLayers::Result& r) {
    using R = RecurrentLayers::Result;
    switch (r.what) {
      case R::kNotRead: return kNone;
      case R::kValue: return r.value;
      case R::kNumber: return add(OpKind::kCast, {number(r.number)}, CastAttrs{g_.value(r.value).dtype});
      case R::kLastH: return written_[r.layer].h;
      case R::kLastC: return written_[r.layer].c;
      case R::kLastOutput: return add(OpKind::kGather, {before_and(r), number(of_.steps)}, AxisAttrs{0});
      case R::kSteps: return steps(r);
      case R::kStepsOrZero: return kept_->or_zero(steps(r));
    }
    return kNone;
  }

  ValueId steps(const RecurrentLayers::Result& r) {
    const ValueId y = written_[r.layer].steps;
    return kept_ ? kept_->placed(y, r.value) : y;
  }

  ValueId before_and(const RecurrentLayers::Result& r) {
    const ValueId y = steps(r);
    return add(OpKind::kConcat, {unsqueezed(r.value), y}, AxisAttrs{0});
  }

  Graph& g_;
  const NodeId n_;
  const Origin origin_;
  const RecurrentLayers& of_;
  std::optional<KeptSteps> kept_;
  std::vector<Written> written_;  // of each layer
};

}  // namespace

void write_recurrent_layers(Graph& g, NodeId n, const RecurrentLayers& of) { LayerWriter(g, n, of).write(); }

}  // namespace edgeconv
