// The vocabulary of the pattern passes: looking at constants and neighbours of a node.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/axis.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

using Users = std::vector<std::vector<NodeId>>;

// The value of a constant with one element, whatever its rank.
inline std::optional<float> scalar_constant(const Graph& g, ValueId v) {
  if (v == kNone || !g.value(v).constant || g.value(v).constant->elements() != 1) return {};
  return g.value(v).constant->to_float()[0];
}

inline bool near(std::optional<float> v, float want, float tolerance = 1e-3f) {
  return v && std::fabs(*v - want) <= tolerance * std::fmax(1.0f, std::fabs(want));
}

// How many uses v has; many where it came after they were counted, of which nothing is known.
inline size_t use_count(const Users& users, ValueId v) {
  constexpr size_t kMany = SIZE_MAX;
  return static_cast<size_t>(v) < users.size() ? users[static_cast<size_t>(v)].size() : kMany;
}

// The node's only reader, when v has exactly one use and is not a graph output.
inline const Node* sole_user(const Graph& g, const Users& users, ValueId v) {
  return use_count(users, v) == 1 && !g.is_output(v) ? &g.node(users[static_cast<size_t>(v)][0]) : nullptr;
}

inline const Node* producer_of_kind(const Graph& g, ValueId v, OpKind kind) {
  const Node* p = v == kNone ? nullptr : g.producer(v);
  return p && p->kind == kind && !p->dead ? p : nullptr;
}

inline const Node* unary_producer(const Graph& g, ValueId v, int kind) {
  const Node* p = producer_of_kind(g, v, OpKind::kUnary);
  return p && p->as<UnaryAttrs>().kind == kind ? p : nullptr;
}

inline const Node* binary_producer(const Graph& g, ValueId v, ert::params::binary::Kind kind) {
  const Node* p = producer_of_kind(g, v, OpKind::kBinary);
  return p && p->as<BinaryAttrs>().kind == kind ? p : nullptr;
}

// A reduction over exactly the last axis.
inline bool reduces_last_axis(const Graph& g, const Node& n) {
  if (n.kind != OpKind::kReduce) return false;
  const auto& axes = n.as<ReduceAttrs>().axes;
  const int rank = g.value(n.in(0)).rank();
  return rank > 0 && axes.size() == 1 && is_last_axis(axes[0], rank);
}

// For a commutative node with one operand `known`: the other one. kNone if known is not an operand.
inline ValueId other_operand(const Node& n, ValueId known) {
  return n.in(0) == known ? n.in(1) : n.in(1) == known ? n.in(0) : kNone;
}

inline NodeId id_of(const Graph& g, const Node& n) { return static_cast<NodeId>(&n - g.nodes.data()); }

// The output of a new node, of float type and this shape.
inline ValueId add_float_node(Graph& g, OpKind kind, std::vector<ValueId> inputs, Attributes attrs, const Origin& origin,
                              Shape shape) {
  const ValueId v = g.add_node(kind, std::move(inputs), std::move(attrs), origin);
  g.value(v).dtype = DType::kFloat;
  g.value(v).shape = std::move(shape);
  return v;
}

// An integer tensor that holds the sizes of `shape`: a constant, or symbolic contents that the interpreter and lowering
// evaluate for the dims at hand. For the shape operand of Reshape and Expand. `shape` is a copy: it may be that of a value of g, which
// moves when this adds one.
inline ValueId shape_operand(Graph& g, const std::string& name, Shape shape) {
  if (is_static(shape)) {
    std::vector<int64_t> sizes;
    for (const DimExpr& d : shape) sizes.push_back(*d.constant());
    return g.add_constant(name + "/shape", Tensor::ints(sizes));
  }
  const ValueId v = g.add_value(name + "/shape", DType::kInt64, Shape{static_cast<int64_t>(shape.size())});
  g.value(v).elements = std::move(shape);
  return v;
}

// Makes `v` the output of a new node instead of its producer's. Everything that reads v now reads the new node.
inline void redefine(Graph& g, ValueId v, OpKind kind, std::vector<ValueId> inputs, Attributes attrs, const Origin& origin) {
  Node* old = g.producer(v);
  for (ValueId& o : old->outputs)
    if (o == v) o = kNone;
  bool any = false;
  for (ValueId o : old->outputs) any |= o != kNone;
  if (!any) old->dead = true;
  g.value(v).producer = kNone;
  g.add_node_with_outputs(kind, std::move(inputs), {v}, std::move(attrs), origin);
}

// Offers rewrite(node) every node of the kind but those that it adds. Returns how many it says it rewrote.
template <class Rewrite>
int rewrite_each(Graph& g, OpKind kind, Rewrite&& rewrite) {
  int done = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!g.nodes[i].dead && g.nodes[i].kind == kind) done += rewrite(static_cast<NodeId>(i));
  return done;
}

// A Linear that stands for itself and the node that reads it.
struct FusedLinear {
  std::vector<ValueId> inputs;
  LinearAttrs attrs;
};

// Offers fuse(linear, reader, users) every Linear without activation whose product one node of `kind` reads and nothing else;
// what it returns replaces both. Returns how many.
template <class Fuse>
int fuse_reader_of_linear(Graph& g, OpKind kind, Fuse&& fuse) {
  int fused = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kLinear || g.nodes[i].as<LinearAttrs>().activation >= 0) continue;
    const Node n = g.nodes[i];
    const Node* reader = sole_user(g, users, n.outputs[0]);
    if (!reader || reader->kind != kind) continue;
    const ValueId out = reader->outputs[0];
    const std::optional<FusedLinear> both = fuse(n, *reader, users);
    if (!both) continue;
    g.nodes[i].dead = true;
    redefine(g, out, OpKind::kLinear, both->inputs, both->attrs, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
