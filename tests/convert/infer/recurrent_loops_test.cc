// Loops that are recurrent layers become Rnn nodes that compute the same; what only looks like one is unrolled, and computes the same too.
// More than 300 lines, because it is one list of ways to write three layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/infer/changed_bodies.h"
#include "tests/convert/infer/loop_builder.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
using edgeconv::testing::S;
using ert::kernels::Unary;
namespace binary = ert::params::binary;
namespace unary = ert::params::unary;

// Of 5 steps of 3 sequences. Masks have holes; the second sequence has no step.
std::vector<Tensor> inputs_of(const Graph& g) {
  std::vector<Tensor> inputs;
  uint32_t random = 99;
  for (const ValueId v : g.inputs) {
    std::vector<int64_t> dims;
    for (const DimExpr& d : *g.value(v).shape) dims.push_back(d.evaluate({{"batch", 3}, {"seq", 5}}).value());
    Tensor t(DType::kFloat, dims);
    for (float& e : t.mut<float>()) e = static_cast<float>((random = random * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.0f;
    if (g.value(v).dtype == DType::kBool) {
      Tensor mask(DType::kBool, dims);
      for (int64_t i = 0; i < 15; ++i)
        mask.mut<uint8_t>()[static_cast<size_t>(i)] = i % 3 != 1 && i != 3 && i != 6 && i != 12 && i != 2;
      t = mask;
    }
    inputs.push_back(t);
  }
  return inputs;
}

void expect_near(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  ASSERT_EQ(before.size(), after.size());
  for (size_t o = 0; o < before.size(); ++o) {
    ASSERT_EQ(before[o].dims(), after[o].dims());
    const std::vector<float> a = before[o].to_float(), b = after[o].to_float();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-6f) << "output " << o << ", element " << i;
  }
}

// Replaced by this many layers; 0: unrolled, for at most 6 steps.
void expect_layers(LoopBuilder& loop, int layers, const std::string& kind = "") {
  Graph g = loop.graph();
  const std::vector<Tensor> inputs = inputs_of(g);
  const std::vector<Tensor> before = interpret(g, inputs);
  bodies_keep_changes(g, inputs);
  if (layers == 0) g.most_dims["seq"] = 6;
  Diagnostics d;
  infer(g, d);
  ASSERT_TRUE(d.ok()) << g.dump();
  int found = 0;
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    EXPECT_NE(n.kind, OpKind::kLoop);
    if (n.kind != OpKind::kRnn) continue;
    ++found;
    EXPECT_TRUE(kind.empty() || n.as<RnnAttrs>().kind == kind);
  }
  EXPECT_EQ(found, layers);
  EXPECT_EQ(g.unrolled_dims.empty(), layers > 0);
  expect_near(before, interpret(g, inputs));
}

void simple(LoopBuilder& l, Unary kind) { l.next = l.scans = {l.act(kind, l.sums(1))}; }

TEST(RecurrentLoop, SimpleRnn) {
  for (const Unary kind : {Unary::kTanh, Unary::kRelu, Unary::kSigmoid}) {
    LoopBuilder l({kHidden});
    simple(l, kind);
    expect_layers(l, 1, "RNN");
  }
}

// TensorFlow Lite: as often as there are numbers, until the condition says no. The size of its rounds had left 64 bits, and the file was refused.
TEST(RecurrentLoop, OnlyTheConditionEndsIt) {
  for (const bool constant : {true, false}) {
    LoopBuilder l({kHidden});
    simple(l, Unary::kTanh);
    Graph g = l.graph();
    const ValueId most = g.add_constant("most", Tensor::scalar(INT64_MAX)), five = g.add_constant("five", Tensor::scalar(int64_t{5}));
    Node& loop = *g.producer(g.outputs[0]);
    Graph body = *loop.as<SubgraphAttrs>().bodies[0];
    const ValueId four = body.add_constant("four", Tensor::scalar(int64_t{4}));
    body.outputs[0] = body.add_node(OpKind::kBinary, {body.inputs[0], four}, BinaryAttrs{binary::kLess}, Origin{});
    loop.as<SubgraphAttrs>().bodies[0] = std::make_shared<Graph>(std::move(body));
    loop.inputs[0] = five;
    const std::vector<Tensor> inputs = inputs_of(g), before = interpret(g, inputs);
    loop.inputs[0] = constant ? most : kNone;
    Diagnostics d;
    infer(g, d);
    for (const Node& n : g.nodes) EXPECT_TRUE(n.dead || n.kind != OpKind::kLoop);
    expect_near(before, interpret(g, inputs));
  }
}

// tf2onnx of a Keras LSTM whose mask is not needed: a while without a count, whose steps and size are handed from round to round. PyPI's
// credsweeper has six and was refused: "the number of iterations of a Loop is not known".
TEST(RecurrentLoop, AWhileOverTheStepsOfItsInput) {
  for (const int64_t left_out : {0, 1}) {
    LoopBuilder l({kHidden, kHidden});
    const ValueId ones = l.body.node(OpKind::kConstantOfShape, {l.body.node(OpKind::kShape, {l.states[0]}, ShapeAttrs{})},
                                     FillAttrs{Tensor::of<float>(DType::kFloat, {1}, {1.0f})});
    const ValueId old = std::exchange(l.states[0], l.mul(l.states[0], ones));
    l.lstm();
    l.states[0] = old;
    const ValueId size = l.outer.node(OpKind::kGather, {l.outer.node(OpKind::kShape, {l.x}, ShapeAttrs{}), l.outer.scalar(int64_t{0})},
                                      AxisAttrs{0});
    const ValueId time = l.body.g.add_value("time", DType::kInt64, Shape{}), most = l.body.g.add_value("most", DType::kInt64, Shape{});
    const ValueId later = l.body.node(OpKind::kBinary, {time, l.body.scalar(int64_t{1})}, BinaryAttrs{binary::kAdd});
    const ValueId again =
        l.body.node(OpKind::kBinary,
                    {l.body.node(OpKind::kCast, {later}, CastAttrs{DType::kFloat}), l.body.node(OpKind::kCast, {most}, CastAttrs{DType::kFloat})},
                    BinaryAttrs{binary::kLess});
    l.states.insert(l.states.end(), {time, most});
    l.starts.insert(l.starts.end(), {l.outer.scalar(left_out), size});
    l.next.insert(l.next.end(), {later, l.body.node(OpKind::kIdentity, {most})});
    Graph g = l.graph();
    Node& loop = *g.producer(g.outputs[0]);
    const std::vector<Tensor> inputs = inputs_of(g);
    const std::vector<Tensor> before = interpret(g, inputs);
    Graph body = *loop.as<SubgraphAttrs>().bodies[0];
    body.outputs[0] = again;
    loop.as<SubgraphAttrs>().bodies[0] = std::make_shared<Graph>(std::move(body));
    loop.inputs[0] = kNone;
    Diagnostics d;
    infer(g, d);
    const auto is = [&](OpKind kind) {
      return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const Node& n) { return !n.dead && n.kind == kind; });
    };
    // One step fewer than there are is none where there is one.
    EXPECT_EQ(is(OpKind::kLoop), left_out != 0);
    EXPECT_EQ(is(OpKind::kRnn), left_out == 0);
    if (!left_out) expect_near(before, interpret(g, inputs));
  }
}

TEST(RecurrentLoop, Lstm) {
  LoopBuilder l({kHidden, kHidden});
  l.lstm();
  expect_layers(l, 1, "LSTM");
}

// r * (h R + b), or (r * h) R; (1 - z) * n + z * h, or n + z * (h - n), or h - z * (h - n).
TEST(RecurrentLoop, GruOfBothFormsHoweverItsStepIsWritten) {
  for (const bool reset_after : {true, false})
    for (const int written : {0, 1, 2}) {
      SCOPED_TRACE(std::to_string(reset_after) + std::to_string(written));
      LoopBuilder l({kHidden});
      const ValueId h = l.states[0], in = l.add(l.product(l.step, kIn, 3 * kHidden), l.weights({3 * kHidden}));
      const ValueId both = l.add(l.product(h, kHidden, 3 * kHidden), l.weights({3 * kHidden}));
      const auto g = l.split(in, 3);
      const ValueId z = l.sigmoid(l.add(g[0], l.slice(both, 0, kHidden))),
                    r = l.sigmoid(l.add(l.slice(both, kHidden, 2 * kHidden), g[1]));
      const ValueId recurrent =
          reset_after ? l.mul(l.slice(both, 2 * kHidden, 3 * kHidden), r) : l.product(l.mul(r, h), kHidden, kHidden);
      const ValueId n = l.tanh(l.add(recurrent, g[2]));
      if (written == 0) l.next = {l.add(l.mul(l.one_less(z), n), l.mul(h, z))};
      if (written == 1) l.next = {l.add(n, l.mul(z, l.sub(h, n)))};
      if (written == 2) l.next = {l.sub(h, l.mul(l.sub(h, n), z))};
      l.scans = l.next;
      expect_layers(l, 1, "GRU");
    }
}

// One product of [x, h]; products outside the loop; products and biases that are scaled and negated.
TEST(RecurrentLoop, ProductsHoweverTheyAreWritten) {
  for (const int written : {0, 1, 2}) {
    SCOPED_TRACE(written);
    LoopBuilder l({kHidden}, written == 1 ? kHidden : kIn);
    const ValueId h = l.states[0];
    ValueId sum = kNone;
    if (written == 0) {
      const ValueId all = l.body.node(OpKind::kConcat, {h, l.step}, AxisAttrs{1});
      sum = l.add(l.product(all, kIn + kHidden, kHidden), l.weights({1, kHidden}));
    } else if (written == 1) {
      sum = l.add(l.step, l.product(h, kHidden, kHidden));
    } else {
      const ValueId negated = l.body.node(OpKind::kUnary, {l.product(h, kHidden, kHidden)}, UnaryAttrs{unary::kNeg, 0});
      sum = l.sub(l.mul(l.product(l.step, kIn, kHidden), l.body.scalar(0.5f)), l.sub(l.weights({kHidden}), negated));
    }
    l.next = l.scans = {l.tanh(sum)};
    expect_layers(l, 1);
  }
}

// A product and a bias for each gate; the recurrent ones are put together and split again.
TEST(RecurrentLoop, LstmWithOneProductForEachGate) {
  LoopBuilder l({kHidden, kHidden});
  std::vector<ValueId> recurrent, gates;
  for (int i = 0; i < 4; ++i) recurrent.push_back(l.product(l.states[0], kHidden, kHidden));
  const auto parts = l.split(l.body.node(OpKind::kConcat, recurrent, AxisAttrs{1}), 4);
  for (const ValueId part : parts) gates.push_back(l.add(part, l.add(l.product(l.step, kIn, kHidden), l.weights({kHidden}))));
  l.next = {kNone, l.add(l.mul(l.tanh(gates[2]), l.sigmoid(gates[0])), l.mul(l.states[1], l.sigmoid(gates[1])))};
  l.next[0] = l.mul(l.tanh(l.next[1]), l.sigmoid(gates[3]));
  l.scans = {l.next[0]};
  expect_layers(l, 1, "LSTM");
}

enum class Left { kHeld, kZero };

// A state of a step that is left out stays; its output is the one before, which is carried too, or zero. Keras writes selections as sums.
TEST(RecurrentLoop, MaskOfStepsHoweverItIsWritten) {
  for (const bool arithmetic : {false, true})
    for (const Left left : {Left::kHeld, Left::kZero})
      for (const bool negated : {false, true}) {
        SCOPED_TRACE(std::to_string(arithmetic) + std::to_string(left == Left::kHeld) + std::to_string(negated));
        LoopBuilder l({kHidden, kHidden, kHidden});
        const ValueId mask = l.outer.input("mask", DType::kBool, {S, B, 1});
        const ValueId part = l.part(mask, DType::kBool, {S, B, 1});
        const ValueId other = l.body.node(OpKind::kUnary, {part}, UnaryAttrs{unary::kNot, 0});
        const auto number = [&](ValueId v) { return l.body.node(OpKind::kCast, {v}, CastAttrs{DType::kFloat}); };
        const auto select = [&](ValueId now, ValueId before) {
          if (arithmetic)
            return l.add(l.mul(number(part), now), l.mul(before, negated ? l.one_less(number(part)) : number(other)));
          return negated ? l.body.node(OpKind::kWhere, {other, before, now}) : l.body.node(OpKind::kWhere, {part, now, before});
        };
        l.lstm();
        const ValueId y = select(l.next[0], left == Left::kHeld ? l.states[2] : l.body.scalar(0.0f));
        l.next = {select(l.next[0], l.states[0]), select(l.next[1], l.states[1]), y};
        l.scans = {y};
        if (left == Left::kZero) l.next[2] = select(l.next[0], l.states[2]);
        expect_layers(l, 1, "LSTM");
      }
}

// The first one's output is what the second reads.
TEST(RecurrentLoop, CellsThatReadEachOther) {
  LoopBuilder l({kHidden, kHidden, 2});
  l.lstm();
  const ValueId second = l.add(l.product(l.states[2], 2, 2), l.product(l.next[0], kHidden, 2));
  l.next.push_back(l.tanh(second));
  l.scans = {l.next[2], l.next[0]};
  expect_layers(l, 2);
}

// The last step first, as a Scan reads with scan_input_directions.
TEST(RecurrentLoop, StepsFromTheLastOne) {
  LoopBuilder l({kHidden});
  const ValueId sizes = l.outer.node(OpKind::kShape, {l.x}, ShapeAttrs{});
  const ValueId last =
      l.outer.node(OpKind::kBinary,
                   {l.outer.node(OpKind::kGather, {sizes, l.outer.scalar(int64_t{0})}, AxisAttrs{0}), l.outer.scalar(int64_t{1})},
                   BinaryAttrs{binary::kSub});
  const ValueId at = l.sub(l.capture(last, DType::kInt64, {}), l.index);
  l.step = l.body.node(OpKind::kGather, {l.captured[0], at}, AxisAttrs{0});
  simple(l, Unary::kTanh);
  expect_layers(l, 1);
}

using Change = std::function<void(LoopBuilder&)>;

// Each is a small change of a recurrent layer.
TEST(RecurrentLoop, NearMissesAreUnrolledAndRight) {
  const std::vector<std::pair<const char*, Change>> changes = {
      {"another activation", [](LoopBuilder& l) { simple(l, Unary::kSoftplus); }},
      {"a state that is used twice", [](LoopBuilder& l) { l.next = l.scans = {l.add(l.tanh(l.sums(1)), l.states[0])}; }},
      {"a state that is squared",
       [](LoopBuilder& l) { l.next = l.scans = {l.tanh(l.add(l.sums(1), l.mul(l.states[0], l.states[0])))}; }},
      {"a result that is no state",
       [](LoopBuilder& l) {
         simple(l, Unary::kTanh);
         l.scans = {l.mul(l.next[0], l.body.scalar(2.0f))};
       }},
      {"another step for another gate",
       [](LoopBuilder& l) {
         const ValueId first = l.body.node(OpKind::kGather, {l.captured[0], l.body.scalar(int64_t{0})}, AxisAttrs{0});
         l.next = l.scans = {l.tanh(l.add(l.sums(1), l.product(first, kIn, kHidden)))};
       }},
      {"a bias for each sequence",
       [](LoopBuilder& l) {
         const ValueId bias = l.capture(l.outer.input("bias", DType::kFloat, {B, kHidden}), DType::kFloat, {B, kHidden});
         l.next = l.scans = {l.tanh(l.add(l.sums(1), bias))};
       }},
      {"a GRU whose parts do not add up to one",
       [](LoopBuilder& l) {
         const auto g = l.split(l.sums(3), 3);
         const ValueId z = l.sigmoid(g[0]), n = l.tanh(g[2]);
         l.next = l.scans = {l.add(l.mul(z, n), l.mul(z, l.states[0]))};
       }},
      {"a GRU without a reset gate", [](LoopBuilder& l) {
         const auto g = l.split(l.sums(2), 2);
         const ValueId z = l.sigmoid(g[0]), n = l.tanh(g[1]);
         l.next = l.scans = {l.add(l.mul(l.one_less(z), n), l.mul(z, l.states[0]))};
       }}};
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    LoopBuilder l({kHidden});
    change(l);
    expect_layers(l, 0);
  }
}

TEST(RecurrentLoop, NearMissesOfAnLstmAreUnrolledAndRight) {
  const std::vector<std::pair<const char*, Change>> changes = {
      {"a cell state that is shown", [](LoopBuilder& l) { l.scans = {l.next[1]}; }},
      {"another output activation",
       [](LoopBuilder& l) { l.next[0] = l.scans[0] = l.mul(l.sigmoid(l.sums(1)), l.act(Unary::kSoftplus, l.next[1])); }},
      {"a cell state that is used twice", [](LoopBuilder& l) { l.next[1] = l.add(l.next[1], l.states[1]); }},
      {"an output of the cell state before",
       [](LoopBuilder& l) { l.next[0] = l.scans[0] = l.mul(l.sigmoid(l.sums(1)), l.tanh(l.states[1])); }},
      {"gates with different activations",
       [](LoopBuilder& l) { l.next[0] = l.scans[0] = l.mul(l.act(Unary::kRelu, l.sums(1)), l.tanh(l.next[1])); }}};
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    LoopBuilder l({kHidden, kHidden});
    l.lstm();
    change(l);
    expect_layers(l, 0);
  }
}

// Only one of the two states, or the results alone, are left as they were; or each by a mask of its own.
TEST(RecurrentLoop, NearMissesOfAMaskAreUnrolledAndRight) {
  for (const int which : {0, 1, 2, 3}) {
    SCOPED_TRACE(which);
    LoopBuilder l({kHidden, kHidden});
    const auto mask = [&](const char* name, Shape shape) {
      const Shape copy = shape;
      return l.part(l.outer.input(name, DType::kBool, std::move(shape)), DType::kBool, copy);
    };
    const ValueId part = mask("mask", {S, B, which == 3 ? DimExpr(kHidden) : DimExpr(1)});
    const auto select = [&](ValueId m, ValueId now, ValueId before) { return l.body.node(OpKind::kWhere, {m, now, before}); };
    l.lstm();
    const ValueId h = l.next[0], c = l.next[1];
    l.next = {select(part, h, l.states[0]),
              which == 0 ? c : select(which == 1 ? mask("other", {S, B, 1}) : part, c, l.states[1])};
    l.scans = {which == 2 ? h : l.next[0]};
    expect_layers(l, 0);
  }
}

}  // namespace
}  // namespace edgeconv_test
