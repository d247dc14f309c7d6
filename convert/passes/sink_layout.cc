// Convolutions compute channels last and stand between two Transposes. Those that lead back to channels first move towards the outputs, past
// everything that does the same on another order of axes, until they meet the Transpose of the next convolution and cancel
// (simplify_views). What the Linears and convolutions then read next are activations, sums and pools, which can become part of them. A value that
// a convolution already turns, as the input of the graph, serves in that order where it meets what a convolution left (a residual sum).
#include <algorithm>
#include <functional>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"
#include "convert/program/channels_first.h"

namespace edgeconv {

namespace {

// Channels last out of channels first: 0, 2, 3, .., 1
std::vector<int64_t> channels_last(size_t rank) {
  std::vector<int64_t> perm{0};
  for (size_t i = 2; i < rank; ++i) perm.push_back(static_cast<int64_t>(i));
  perm.push_back(1);
  return perm;
}

// Channels first out of channels last: 0, rank - 1, 1, 2, ..
std::vector<int64_t> channels_first(size_t rank) {
  std::vector<int64_t> perm{0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 1; i + 1 < rank; ++i) perm.push_back(static_cast<int64_t>(i));
  return perm;
}

class LayoutSinker {
 public:
  // users: the readers of the values that were there before the pass.
  LayoutSinker(Graph& g, const Users& users, size_t index) : g_(g), users_(users), n_(g.nodes[index]) {}

  // True if the node now computes channels last, and what it made has a Transpose behind it.
  bool sink() {
    if (n_.outputs.empty() || n_.in(0) == kNone) return false;
    switch (n_.kind) {
      case OpKind::kUnary:
      case OpKind::kCast: return turned(n_.in(0)) && replace({source(n_.in(0))}, n_.attrs);
      case OpKind::kBinary:
      case OpKind::kWhere: return sink_elementwise();
      case OpKind::kConcat: return sink_concat();
      case OpKind::kSoftmax:
      case OpKind::kLogSoftmax:
        return turned(n_.in(0)) && replace({source(n_.in(0))}, AxisAttrs{last_axis(n_.as<AxisAttrs>().axis)});
      case OpKind::kGather: return sink_gather();
      case OpKind::kReduce: return sink_reduce();
      case OpKind::kPad: return sink_pad();
      case OpKind::kSlice: return sink_slice();
      case OpKind::kSplit: return sink_split();
      case OpKind::kSqueeze:
      case OpKind::kUnsqueeze: return sink_unit_axes();
      default: return false;
    }
  }

 private:
  // v is a Transpose that a convolution left, of the rank that this node works in.
  bool turned(ValueId v) {
    const Node* p = producer_of_kind(g_, v, OpKind::kTranspose);
    if (!p || !p->as<TransposeAttrs>().layout || !g_.value(p->in(0)).shape) return false;
    const size_t rank = p->as<TransposeAttrs>().perm.size();
    if ((rank_ != 0 && rank != rank_) || p->as<TransposeAttrs>().perm != channels_first(rank)) return false;
    rank_ = rank;
    return true;
  }
  ValueId source(ValueId v) const { return g_.producer(v)->in(0); }
  // v as a Transpose for a convolution gives it channels last; kNone where there is none. It costs nothing to read it twice, but that of an image
  // goes where nothing else reads it (channels_first.h).
  ValueId copy_of(ValueId v) const {
    const auto& shape = g_.value(v).shape;
    if (static_cast<size_t>(v) >= users_.size() || !shape || shape->size() != rank_) return kNone;
    const auto channels = (*shape)[1].constant();
    if (channels && *channels <= kMostPlanes) return kNone;
    for (NodeId id : users_[static_cast<size_t>(v)]) {
      const Node& user = g_.node(id);
      if (!user.dead && user.kind == OpKind::kTranspose && user.as<TransposeAttrs>().perm == channels_last(rank_) && g_.value(user.outputs[0]).shape)
        return user.outputs[0];
    }
    return kNone;
  }
  // An operand of a node of which another one is turned: channels last already, or kNone.
  ValueId last(ValueId v) { return turned(v) ? source(v) : copy_of(v); }
  bool any_turned() {
    return std::any_of(n_.inputs.begin(), n_.inputs.end(), [&](ValueId v) { return turned(v); });
  }
  // Where axis `a` of the node's operand lies channels last.
  int64_t last_axis(int64_t a) const {
    return channels_first(rank_)[axis_index(a, rank_)];
  }

  // An operand that costs nothing to turn: a constant, or one that has a size along one axis besides the batch at most.
  bool cheap(ValueId v) const {
    const Value& value = g_.value(v);
    if (value.constant) return value.constant->dims().size() <= rank_;
    if (!value.shape || value.shape->size() != rank_) return false;
    return std::count_if(value.shape->begin() + 1, value.shape->end(), [](const DimExpr& d) { return d != DimExpr(1); }) <= 1;
  }
  ValueId turn(ValueId v) {
    if (scalar_constant(g_, v)) return v;
    if (g_.value(v).constant) {
      const Tensor t = *g_.value(v).constant;
      std::vector<int64_t> dims(rank_ - t.dims().size(), 1);
      dims.insert(dims.end(), t.dims().begin(), t.dims().end());
      v = g_.add_constant(n_.origin.node + "/last", t.reshaped(dims));
    }
    const std::vector<int64_t> perm = channels_last(rank_);
    Shape shape;
    for (int64_t p : perm) shape.push_back((*g_.value(v).shape)[static_cast<size_t>(p)]);
    const DType dtype = g_.value(v).dtype;
    const ValueId last = g_.add_node(OpKind::kTranspose, {v}, TransposeAttrs{perm}, n_.origin);
    g_.value(last).dtype = dtype;
    g_.value(last).shape = std::move(shape);
    return last;
  }

  bool replace(std::vector<ValueId> inputs, Attributes attrs) {
    for (ValueId out : n_.outputs)
      if (out != kNone && (!g_.value(out).shape || g_.value(out).shape->size() != rank_ || g_.value(out).elements)) return false;
    const std::vector<int64_t> perm = channels_first(rank_);
    std::vector<ValueId> made;
    for (ValueId out : n_.outputs) {
      made.push_back(kNone);
      if (out == kNone) continue;
      Shape last(rank_);
      for (size_t i = 0; i < rank_; ++i) last[static_cast<size_t>(perm[i])] = (*g_.value(out).shape)[i];
      made.back() = g_.add_value(g_.value(out).name + "/last", g_.value(out).dtype, std::move(last));
    }
    g_.add_node_with_outputs(n_.kind, std::move(inputs), made, std::move(attrs), n_.origin);
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i] != kNone) redefine(g_, n_.outputs[i], OpKind::kTranspose, {made[i]}, TransposeAttrs{perm, true}, n_.origin);
    return true;
  }

  bool sink_elementwise() {
    if (!any_turned()) return false;
    for (ValueId v : n_.inputs)
      if (last(v) == kNone && !cheap(v)) return false;
    if (!g_.value(n_.outputs[0]).shape || g_.value(n_.outputs[0]).shape->size() != rank_) return false;
    std::vector<ValueId> inputs;
    for (ValueId v : n_.inputs) {
      const ValueId turned_already = last(v);
      inputs.push_back(turned_already == kNone ? turn(v) : turned_already);
    }
    return replace(std::move(inputs), n_.attrs);
  }

  bool sink_concat() {
    if (!any_turned()) return false;
    std::vector<ValueId> inputs;
    for (ValueId v : n_.inputs) {
      inputs.push_back(last(v));
      if (inputs.back() == kNone) return false;
    }
    return replace(std::move(inputs), AxisAttrs{last_axis(n_.as<AxisAttrs>().axis)});
  }

  std::optional<std::vector<int64_t>> constant_ints(size_t input) const {
    const ValueId v = n_.in(input);
    if (v == kNone || !g_.value(v).constant) return {};
    return g_.value(v).constant->to_int64();
  }
  ValueId ints(const std::vector<int64_t>& v) { return g_.add_constant(n_.origin.node + "/ints", Tensor::ints(v)); }
  // The axes operand of a Slice or Pad, or all axes where there is none, as they lie channels last.
  std::optional<std::vector<int64_t>> last_axes(size_t input) const {
    std::vector<int64_t> axes;
    if (n_.in(input) == kNone) {
      for (size_t i = 0; i < rank_; ++i) axes.push_back(static_cast<int64_t>(i));
    } else if (auto given = constant_ints(input)) {
      axes = std::move(*given);
    } else {
      return {};
    }
    for (int64_t& a : axes) a = last_axis(a);
    return axes;
  }
  // The inputs with those axes, and x turned back.
  std::vector<ValueId> with_axes(size_t input, const std::vector<int64_t>& axes) {
    std::vector<ValueId> inputs = n_.inputs;
    if (inputs.size() <= input) inputs.resize(input + 1, kNone);
    inputs[0] = source(n_.in(0));
    inputs[input] = ints(axes);
    return inputs;
  }
  bool sink_pad() {
    if (!turned(n_.in(0))) return false;
    const auto axes = last_axes(3);
    return axes && replace(with_axes(3, *axes), n_.attrs);
  }
  // Symbolic starts would need as many of them as there are axes: those of all axes stay.
  bool sink_slice() {
    if (!turned(n_.in(0)) || n_.in(3) == kNone) return false;
    const auto axes = last_axes(3);
    return axes && replace(with_axes(3, *axes), n_.attrs);
  }

  bool sink_split() {
    if (!turned(n_.in(0))) return false;
    SplitAttrs a = n_.as<SplitAttrs>();
    a.axis = last_axis(a.axis);
    std::vector<ValueId> inputs = n_.inputs;
    inputs[0] = source(n_.in(0));
    return replace(std::move(inputs), a);
  }
  // Rows of an axis, as a Resize picks them.
  bool sink_gather() {
    if (!turned(n_.in(0)) || g_.value(n_.in(1)).rank() != 1) return false;
    return replace({source(n_.in(0)), n_.in(1)}, AxisAttrs{last_axis(n_.as<AxisAttrs>().axis)});
  }

  bool sink_reduce() {
    if (!turned(n_.in(0))) return false;
    ReduceAttrs a = n_.as<ReduceAttrs>();
    if (n_.in(1) != kNone) {
      const auto axes = constant_ints(1);
      if (!axes) return false;
      a.axes = *axes;
    }
    if (a.axes.empty()) return false;
    for (int64_t& axis : a.axes) axis = last_axis(axis);
    if (a.keep_dims) return replace({source(n_.in(0))}, a);
    // Without the reduced axes the others must stand in the same order, or be few enough to turn.
    std::vector<int64_t> left;
    for (int64_t axis : channels_first(rank_))
      if (std::find(a.axes.begin(), a.axes.end(), axis) == a.axes.end()) left.push_back(axis);
    const ValueId out = n_.outputs[0], x = source(n_.in(0));
    if (!g_.value(out).shape) return false;
    if (std::is_sorted(left.begin(), left.end())) {
      redefine(g_, out, OpKind::kReduce, {x}, a, n_.origin);
      return true;
    }
    return false;
  }

  // Convolutions of frames in frameworks that only have those of pictures: an axis of one row comes before them and goes behind.
  bool sink_unit_axes() {
    const ValueId out = n_.outputs[0];
    if (n_.in(1) != kNone || !turned(n_.in(0)) || !g_.value(out).shape || g_.value(out).elements) return false;
    const size_t made = g_.value(out).shape->size(), counted = std::max(rank_, made);
    std::vector<int64_t> axes = n_.as<AxesAttrs>().axes;
    for (int64_t& a : axes) {
      a = from_front(a, static_cast<int64_t>(counted));
      if (a < 2) return false;
      --a;  // in front of the channels
    }
    if (axes.empty() || made < 3) return false;
    const std::vector<int64_t> perm = channels_first(made);
    Shape last(made);
    for (size_t i = 0; i < made; ++i) last[static_cast<size_t>(perm[i])] = (*g_.value(out).shape)[i];
    const ValueId x = source(n_.in(0)), y = g_.add_value(g_.value(out).name + "/last", g_.value(out).dtype, std::move(last));
    g_.add_node_with_outputs(n_.kind, {x}, {y}, AxesAttrs{axes}, n_.origin);
    redefine(g_, out, OpKind::kTranspose, {y}, TransposeAttrs{perm, true}, n_.origin);
    return true;
  }

  Graph& g_;
  const Users& users_;
  const Node n_;  // a copy: adding nodes moves them
  size_t rank_ = 0;
};

}  // namespace

int pass_sink_layout(Graph& g, Diagnostics&) {
  int sunk = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!g.nodes[i].dead) sunk += LayoutSinker(g, users, i).sink();
  return sunk;
}

}  // namespace edgeconv
