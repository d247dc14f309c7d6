// See graph_changes.h.
#include "tests/convert/passes/graph_changes.h"

#include <algorithm>
#include <vector>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

class Change {
 public:
  Change(Graph& g, uint64_t seed) : g_(g), state_(seed * 0x9e3779b97f4a7c15u + 0xd1b54a32d192ed03u) {}

  std::string run() {
    std::vector<NodeId> live;
    for (size_t i = 0; i < g_.nodes.size(); ++i)
      if (!g_.nodes[i].dead) live.push_back(static_cast<NodeId>(i));
    if (live.empty()) return "";
    const NodeId id = live[below(live.size())];
    const std::string where = "'" + g_.node(id).origin.node + "' (" + g_.node(id).origin.op_type + "): ";
    const std::string what = one(id);
    if (what.empty()) return "";
    for (const Node& n : g_.nodes)
      for (ValueId v : n.outputs)
        if (v != kNone && !n.dead) forget(v);
    return where + what;
  }

 private:
  size_t below(size_t n) {
    state_ ^= state_ >> 29;
    state_ *= 0xbf58476d1ce4e5b9u;
    state_ ^= state_ >> 32;
    return static_cast<size_t>(state_ % n);
  }
  int64_t small() { return static_cast<int64_t>(below(5)) - 2; }

  void forget(ValueId v) {
    g_.value(v).shape.reset();
    g_.value(v).elements.reset();
    g_.value(v).constant.reset();
    g_.value(v).dtype = DType::kUndefined;
  }

  std::string one(NodeId id) {
    switch (below(9)) {
      case 0:
      case 1: return constant(id);
      case 2: return constant_shape(id);
      case 3: return input_for_constant(id);
      case 4:
      case 5: return attribute(g_.node(id));
      case 6: return operand(id);
      case 7: return reader(id);
      default: return between(id);
    }
  }

  // An operand of the node that is a constant, or -1.
  int constant_operand(const Node& n) {
    std::vector<int> found;
    for (size_t i = 0; i < n.inputs.size(); ++i)
      if (n.inputs[i] != kNone && g_.value(n.inputs[i]).constant && g_.value(n.inputs[i]).constant->elements() > 0)
        found.push_back(static_cast<int>(i));
    return found.empty() ? -1 : found[below(found.size())];
  }

  void set_operand(NodeId id, int at, Tensor t) {
    const ValueId c = g_.add_constant("changed", std::move(t));
    g_.node(id).inputs[static_cast<size_t>(at)] = c;
  }

  std::string constant(NodeId id) {
    const int at = constant_operand(g_.node(id));
    if (at < 0) return "";
    const Tensor& was = *g_.value(g_.node(id).inputs[static_cast<size_t>(at)]).constant;
    if (!is_float(was.dtype())) {
      if (was.dtype() == DType::kString || was.dtype() == DType::kUndefined) return "";
      std::vector<int64_t> values = was.to_int64();
      int64_t& value = values[below(values.size())];
      value = static_cast<int64_t>(static_cast<uint64_t>(value) + (below(2) ? 1 : UINT64_MAX));  // the smallest and largest are there too
      set_operand(id, at, Tensor::of<int64_t>(DType::kInt64, was.dims(), values).cast(was.dtype()));
      return "an integer of operand " + std::to_string(at) + " is another one";
    }
    std::vector<float> values = was.to_float();
    const size_t kind = below(4);
    const float factor = kind == 0 ? -1.0f : kind == 1 ? 0.5f : 3.0f;
    if (kind < 3)
      for (float& v : values) v *= factor;
    else
      values[below(values.size())] += 0.25f;
    set_operand(id, at, Tensor::of<float>(DType::kFloat, was.dims(), values).cast(was.dtype()));
    return "floats of operand " + std::to_string(at) + (kind < 3 ? " times " + std::to_string(factor) : ": one has .25 more");
  }

  // One more axis of size 1, one less, a scalar as a list of one, or one number as many.
  std::string constant_shape(NodeId id) {
    const int at = constant_operand(g_.node(id));
    if (at < 0) return "";
    const Tensor& was = *g_.value(g_.node(id).inputs[static_cast<size_t>(at)]).constant;
    std::vector<int64_t> dims = was.dims();
    if (!is_float(was.dtype())) return "";
    if (!dims.empty() && dims.front() == 1 && below(2))
      dims.erase(dims.begin());
    else if (dims.size() < 4)
      dims.insert(dims.begin(), 1);
    else
      return "";
    set_operand(id, at, Tensor::of<float>(DType::kFloat, dims, was.to_float()).cast(was.dtype()));
    return "operand " + std::to_string(at) + " has rank " + std::to_string(dims.size());
  }

  // Not of a Linear: what passes make it of is constant.
  std::string input_for_constant(NodeId id) {
    if (g_.node(id).kind == OpKind::kLinear) return "";
    const int at = constant_operand(g_.node(id));
    if (at < 0) return "";
    const Tensor& was = *g_.value(g_.node(id).inputs[static_cast<size_t>(at)]).constant;
    if (!is_float(was.dtype()) || was.elements() > 4096) return "";
    Shape shape;
    for (int64_t d : was.dims()) shape.push_back(DimExpr(d));
    const ValueId v = g_.add_value("given", was.dtype(), shape);
    g_.inputs.push_back(v);
    g_.node(id).inputs[static_cast<size_t>(at)] = v;
    return "operand " + std::to_string(at) + " is an input of the model";
  }

  std::string attribute(Node& n) {
    if (auto* a = std::get_if<UnaryAttrs>(&n.attrs)) {
      static constexpr Unary kKinds[] = {Unary::kTanh, Unary::kSigmoid, Unary::kRelu, Unary::kErf};
      a->kind = static_cast<int>(kKinds[below(4)]);
    } else if (auto* b = std::get_if<BinaryAttrs>(&n.attrs)) {
      static constexpr binary::Kind kKinds[] = {binary::kAdd, binary::kSub, binary::kMul, binary::kMax};
      b->kind = kKinds[below(4)];
    } else if (auto* c = std::get_if<CastAttrs>(&n.attrs)) {
      static constexpr DType kTypes[] = {DType::kFloat, DType::kInt32, DType::kInt64, DType::kBool, DType::kFloat16};
      c->to = kTypes[below(5)];
    } else if (auto* x = std::get_if<AxisAttrs>(&n.attrs)) {
      x->axis = small();
    } else if (auto* t = std::get_if<TransposeAttrs>(&n.attrs)) {
      if (t->perm.size() < 2) return "";
      std::swap(t->perm[below(t->perm.size())], t->perm[below(t->perm.size())]);
    } else if (auto* r = std::get_if<ReduceAttrs>(&n.attrs)) {
      static constexpr reduce::Kind kKinds[] = {reduce::kMean, reduce::kSum, reduce::kMax};
      const size_t which = below(3);
      if (which == 0) r->kind = kKinds[below(3)];
      if (which == 1) r->keep_dims = !r->keep_dims;
      if (which == 2) r->axes = {small()};
    } else if (auto* m = std::get_if<NormAttrs>(&n.attrs)) {
      if (below(2)) m->rms = !m->rms;
      else m->axis = small();
    } else if (auto* k = std::get_if<ConvAttrs>(&n.attrs)) {
      auto* list = below(2) ? &k->pads : below(2) ? &k->strides : &k->dilations;
      if (list->empty()) return "";
      int64_t& v = (*list)[below(list->size())];
      v = v == 1 ? 2 : 1;
    } else if (auto* s = std::get_if<SplitAttrs>(&n.attrs)) {
      if (s->sizes.size() < 2) return "";
      ++s->sizes.front(), --s->sizes.back();
    } else if (auto* l = std::get_if<RnnAttrs>(&n.attrs)) {
      if (below(2)) l->clip = 0.5f;
      else l->linear_before_reset = !l->linear_before_reset;
    } else if (auto* z = std::get_if<ResizeAttrs>(&n.attrs)) {
      if (below(2)) z->mode = static_cast<ResizeAttrs::Mode>(below(3));
      else z->coordinates = static_cast<ResizeAttrs::Coordinates>(below(5));
    } else {
      return "";
    }
    return "another attribute";
  }

  // Operands change places, or one is another value that was computed before.
  std::string operand(NodeId id) {
    Node& n = g_.node(id);
    if (n.inputs.size() >= 2 && n.inputs[0] != kNone && n.inputs[1] != kNone && below(2)) {
      std::swap(n.inputs[0], n.inputs[1]);
      return "the first two operands change places";
    }
    if (n.inputs.empty() || n.inputs[0] == kNone) return "";
    std::vector<ValueId> before;
    for (NodeId i = 0; i < id; ++i)
      for (ValueId v : g_.node(i).outputs)
        if (v != kNone && !g_.node(i).dead && g_.value(v).shape && g_.value(v).shape == g_.value(n.inputs[0]).shape &&
            g_.value(v).dtype == g_.value(n.inputs[0]).dtype && v != n.inputs[0])
          before.push_back(v);
    if (before.empty()) return "";
    n.inputs[0] = before[below(before.size())];
    return "the first operand is another value";
  }

  std::string reader(NodeId id) {
    const Node& n = g_.node(id);
    if (n.outputs.empty() || n.outputs[0] == kNone || g_.is_output(n.outputs[0]) || g_.value(n.outputs[0]).constant) return "";
    g_.outputs.push_back(n.outputs[0]);
    return "its result is an output of the model";
  }

  std::string between(NodeId id) {
    const Node n = g_.node(id);
    if (n.inputs.empty() || n.inputs[0] == kNone || !is_float(g_.value(n.inputs[0]).dtype)) return "";
    const ValueId x = n.inputs[0];
    const int rank = g_.value(x).rank();
    ValueId v = kNone;
    switch (below(4)) {
      case 0: v = g_.add_node(OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(Unary::kRelu), 0}, n.origin); break;
      case 1: v = g_.add_node(OpKind::kIdentity, {x}, {}, n.origin); break;
      case 2: {
        const ValueId half = g_.add_constant("half", Tensor::scalar(0.5f).cast(g_.value(x).dtype));
        v = g_.add_node(OpKind::kBinary, {half, x}, BinaryAttrs{binary::kMul}, n.origin);
        break;
      }
      default: {
        if (rank < 2) return "";
        std::vector<int64_t> perm;
        for (int i = 0; i < rank; ++i) perm.push_back(i);
        std::swap(perm[static_cast<size_t>(rank) - 1], perm[static_cast<size_t>(rank) - 2]);
        v = g_.add_node(OpKind::kTranspose, {x}, TransposeAttrs{perm}, n.origin);
        if (below(2)) v = g_.add_node(OpKind::kTranspose, {v}, TransposeAttrs{perm}, n.origin);
      }
    }
    g_.node(id).inputs[0] = v;
    return "a node before it";
  }

  Graph& g_;
  uint64_t state_;
};

}  // namespace

std::string change_graph(Graph& g, uint64_t seed) { return Change(g, seed).run(); }

}  // namespace edgeconv::testing
