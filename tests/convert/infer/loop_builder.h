// A graph with one Loop over the steps of a sequence, which a test fills: for loops that are recurrent layers, and for those that only look so.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "convert/ir/graph.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {

constexpr int64_t kIn = 3, kHidden = 4;

struct LoopBuilder {
  using ValueId = edgeconv::ValueId;
  using DType = edgeconv::DType;
  using OpKind = edgeconv::OpKind;
  using Shape = edgeconv::Shape;
  using Unary = ert::kernels::Unary;
  using Binary = ert::params::binary::Kind;

  GraphBuilder outer, body;
  ValueId x, index, step;                  // of outer, of body: the round, and x of the round
  std::vector<ValueId> starts, states;     // of outer, of body
  std::vector<ValueId> outside, captured;  // what the body reads besides, outside and in it
  std::vector<ValueId> next, scans;        // results of the body
  uint32_t random = 7;

  explicit LoopBuilder(std::vector<int64_t> columns, int64_t x_columns = kIn) {
    using edgeconv::testing::B;
    using edgeconv::testing::S;
    x = outer.input("x", DType::kFloat, {S, B, x_columns});
    index = body.input("i", DType::kInt64, {});
    body.input("go", DType::kBool, {});
    for (const int64_t n : columns) {
      starts.push_back(outer.input("start", DType::kFloat, {B, n}));
      states.push_back(body.input("state", DType::kFloat, {B, n}));
    }
    step = part(x, DType::kFloat, {S, B, x_columns});
  }

  ValueId capture(ValueId v, DType t, Shape shape) {
    outside.push_back(v);
    captured.push_back(body.input("captured", t, std::move(shape)));
    return captured.back();
  }
  // Of an outer value, what belongs to the round.
  ValueId part(ValueId v, DType t, Shape shape) {
    return body.node(OpKind::kGather, {capture(v, t, std::move(shape)), index}, edgeconv::AxisAttrs{0});
  }

  ValueId weights(std::vector<int64_t> dims) {
    std::vector<float> v(static_cast<size_t>(dims[0] * (dims.size() > 1 ? dims[1] : 1)));
    for (float& e : v) e = static_cast<float>((random = random * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.0f;
    return body.floats(std::move(dims), v);
  }
  ValueId op(Binary kind, ValueId a, ValueId b) { return body.node(OpKind::kBinary, {a, b}, edgeconv::BinaryAttrs{kind}); }
  ValueId add(ValueId a, ValueId b) { return op(ert::params::binary::kAdd, a, b); }
  ValueId sub(ValueId a, ValueId b) { return op(ert::params::binary::kSub, a, b); }
  ValueId mul(ValueId a, ValueId b) { return op(ert::params::binary::kMul, a, b); }
  ValueId one_less(ValueId v) { return sub(body.scalar(1.0f), v); }
  ValueId act(Unary kind, ValueId v) { return body.node(OpKind::kUnary, {v}, edgeconv::UnaryAttrs{static_cast<int>(kind), 0}); }
  ValueId sigmoid(ValueId v) { return act(Unary::kSigmoid, v); }
  ValueId tanh(ValueId v) { return act(Unary::kTanh, v); }
  ValueId product(ValueId v, int64_t rows, int64_t columns) { return body.node(OpKind::kMatMul, {v, weights({rows, columns})}); }
  // x W + h R + b
  ValueId sums(int64_t gates) {
    const int64_t n = gates * kHidden;
    return add(weights({n}), add(product(step, kIn, n), product(states[0], kHidden, n)));
  }
  ValueId slice(ValueId v, int64_t from, int64_t to) {
    return body.node(OpKind::kSlice, {v, body.ints({0, from}), body.ints({INT32_MAX, to}), body.ints({0, 1})});
  }
  std::vector<ValueId> split(ValueId v, size_t parts) {
    return body.nodes(OpKind::kSplit, {v}, parts, edgeconv::SplitAttrs{1, {}, 0});
  }

  // LSTM of keras: i f g o. Its second state is c.
  void lstm() {
    const auto g = split(sums(4), 4);
    next = {edgeconv::kNone, add(mul(sigmoid(g[1]), states[1]), mul(sigmoid(g[0]), tanh(g[2])))};
    next[0] = mul(sigmoid(g[3]), tanh(next[1]));
    scans = {next[0]};
  }

  edgeconv::Graph graph() {
    edgeconv::SubgraphAttrs a;
    body.output(body.node(OpKind::kIdentity, {body.g.inputs[1]}));
    for (const ValueId v : next) body.output(v);
    for (const ValueId v : scans) body.output(v);
    // Captures stand behind the states.
    std::vector<ValueId> inputs(body.g.inputs.begin(), body.g.inputs.begin() + 2);
    inputs.insert(inputs.end(), states.begin(), states.end());
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    body.g.inputs = inputs;
    a.bodies.push_back(std::make_shared<edgeconv::Graph>(body.g));
    a.carried = static_cast<int64_t>(states.size());
    const ValueId sizes = outer.node(OpKind::kShape, {x}, edgeconv::ShapeAttrs{});
    std::vector<ValueId> in{outer.node(OpKind::kGather, {sizes, outer.scalar(int64_t{0})}, edgeconv::AxisAttrs{0}),
                            edgeconv::kNone};
    in.insert(in.end(), starts.begin(), starts.end());
    in.insert(in.end(), outside.begin(), outside.end());
    for (const ValueId v : outer.nodes(OpKind::kLoop, in, states.size() + scans.size(), a)) outer.output(v);
    return outer.g;
  }
};

}  // namespace edgeconv_test
