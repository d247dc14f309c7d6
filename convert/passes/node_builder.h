// The base of builders that write several nodes in place of one: these share its origin and its type of float.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/passes/match.h"

namespace edgeconv {

class NodeBuilder {
 public:
  // g outlives the builder.
  NodeBuilder(Graph& g, Origin origin, DType dtype) : g_(g), origin_(std::move(origin)), dtype_(dtype) {}
  // In place of n, which may move: its origin, and the type of its first input.
  NodeBuilder(Graph& g, const Node& n) : NodeBuilder(g, n.origin, g.value(n.in(0)).dtype) {}

  // A node whose type and shape are left to inference.
  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
    return g_.add_node(kind, std::move(inputs), std::move(attrs), origin_);
  }
  // One of which they are known; kUndefined stands for the builder's type.
  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs, Shape shape, DType t = DType::kUndefined) {
    const ValueId v = add(kind, std::move(inputs), std::move(attrs));
    g_.value(v).dtype = t == DType::kUndefined ? dtype_ : t;
    g_.value(v).shape = std::move(shape);
    return v;
  }
  ValueId ints(const std::vector<int64_t>& v) { return g_.add_constant(origin_.node + "/ints", Tensor::ints(v)); }
  // In fp32, whatever the builder's type.
  ValueId floats(std::vector<int64_t> dims, const std::vector<float>& v) {
    return g_.add_constant(origin_.node + "/table", Tensor::of<float>(DType::kFloat, std::move(dims), v));
  }
  // In the builder's type.
  ValueId weights(std::vector<int64_t> dims, const std::vector<float>& v) {
    return g_.add_constant(origin_.node + "/weight", Tensor::of<float>(DType::kFloat, std::move(dims), v).cast(dtype_));
  }
  // A scalar of type int64.
  ValueId number(const DimExpr& d) {
    if (d.constant()) return g_.add_constant(origin_.node + "/int", Tensor::scalar(*d.constant()));
    const ValueId v = g_.add_value(origin_.node + "/int", DType::kInt64, Shape{});
    g_.value(v).elements = std::vector<DimExpr>{d};
    return v;
  }
  // 0 .. count - 1, of type int64.
  ValueId positions(const DimExpr& count) {
    return add(OpKind::kRange, {number(DimExpr(0)), number(count), number(DimExpr(1))}, {}, {count}, DType::kInt64);
  }
  ValueId sizes_of(Shape shape) { return shape_operand(g_, origin_.node, std::move(shape)); }

 protected:
  Graph& g_;
  const Origin origin_;
  const DType dtype_;
};

}  // namespace edgeconv
