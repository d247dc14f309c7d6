// split_rnn: every kind of recurrent layer becomes a Linear and a Recurrence that compute the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

struct RnnCase {
  std::string kind, direction = "forward";
  bool bias = true, lengths = false, states = false, peepholes = false, layout = false, linear_before_reset = false;
};

RnnAttrs attrs_of(const RnnCase& c, int64_t hidden) {
  RnnAttrs a;
  a.kind = c.kind;
  a.hidden = hidden;
  a.direction = c.direction;
  a.layout = c.layout;
  a.linear_before_reset = c.linear_before_reset;
  const std::vector<std::string> one = a.kind == "LSTM"  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                       : a.kind == "GRU" ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                         : std::vector<std::string>{"Tanh"};
  for (int d = 0; d < (c.direction == "bidirectional" ? 2 : 1); ++d)
    a.activations.insert(a.activations.end(), one.begin(), one.end());
  return a;
}

GraphBuilder layer(const RnnCase& c) {
  constexpr int64_t kInput = 6, kHidden = 5;
  GraphBuilder b;
  const int64_t d = c.direction == "bidirectional" ? 2 : 1, g = (c.kind == "LSTM" ? 4 : c.kind == "GRU" ? 3 : 1) * kHidden;
  const ValueId x = b.input("x", c.layout ? Shape{B, S, kInput} : Shape{S, B, kInput});
  std::vector<ValueId> in{x, b.weights({d, g, kInput}), b.weights({d, g, kHidden}), c.bias ? b.weights({d, 2 * g}) : kNone,
                          c.lengths ? b.input("lengths", {B}, DType::kInt32) : kNone};
  const Shape state = c.layout ? Shape{B, d, kHidden} : Shape{d, B, kHidden};
  in.push_back(c.states ? b.input("h", state) : kNone);
  in.push_back(c.states && c.kind == "LSTM" ? b.input("c", state) : kNone);
  in.push_back(c.peepholes ? b.weights({d, 3 * kHidden}) : kNone);
  for (ValueId v : b.node_with_outputs(OpKind::kRnn, in, c.kind == "LSTM" ? 3 : 2, attrs_of(c, kHidden))) b.output(v);
  return b;
}

void expect_split(const RnnCase& c) {
  SCOPED_TRACE(c.kind + " " + c.direction);
  GraphBuilder b = layer(c);
  EXPECT_EQ(apply(b.g, {pass_split_rnn}), 1);
  EXPECT_EQ(count(b.g, OpKind::kRnn), 0);
  EXPECT_EQ(count(b.g, OpKind::kLinear), 1);
  EXPECT_EQ(count(b.g, OpKind::kRecurrence), 1);
}

TEST(SplitRnn, EveryKindAndDirection) {
  for (const char* kind : {"LSTM", "GRU", "RNN"})
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      expect_split({kind, direction});
      expect_split({kind, direction, false, true, true});
    }
}

TEST(SplitRnn, BatchFirstLayout) {
  for (const char* kind : {"LSTM", "GRU", "RNN"}) {
    RnnCase c{kind, "bidirectional", true, false, true};
    c.layout = true;
    expect_split(c);
  }
}

TEST(SplitRnn, PeepholesAndLateReset) {
  RnnCase lstm{"LSTM", "bidirectional"};
  lstm.peepholes = true;
  expect_split(lstm);
  RnnCase gru{"GRU", "bidirectional"};
  gru.linear_before_reset = true;
  expect_split(gru);
}

// The bias of the reset product is all that cannot move into the Linear.
TEST(SplitRnn, RecurrentBiasJoinsTheLinearWhereItMay) {
  for (bool late : {false, true}) {
    RnnCase c{"GRU"};
    c.linear_before_reset = late;
    GraphBuilder b = layer(c);
    apply(b.g, {pass_split_rnn});
    EXPECT_EQ(only(b.g, OpKind::kRecurrence).in(2) != kNone, late);
  }
}

// Torch hands zero states over, expanded to the batch.
TEST(SplitRnn, ZeroStatesAreDropped) {
  GraphBuilder b;
  const ValueId x = b.input("x", {S, B, 4});
  const ValueId sizes = b.g.add_value("sizes", DType::kInt64, Shape{3});
  b.g.value(sizes).elements = std::vector<DimExpr>{1, B, 3};
  const ValueId zero = b.node(OpKind::kExpand, {b.constant(Tensor::of<float>(DType::kFloat, {1, 1, 3}, {0, 0, 0})), sizes});
  b.output(b.node_with_outputs(OpKind::kRnn, {x, b.weights({1, 12, 4}), b.weights({1, 12, 3}), kNone, kNone, zero, zero}, 3,
                               attrs_of({"LSTM"}, 3))[0]);
  apply(b.g, {pass_split_rnn});
  EXPECT_EQ(only(b.g, OpKind::kRecurrence).in(4), kNone);
  EXPECT_EQ(only(b.g, OpKind::kRecurrence).in(5), kNone);
}

TEST(SplitRnn, ComputedWeightsStay) {
  GraphBuilder b;
  const ValueId x = b.input("x", {S, B, 4}), w = b.unary(Unary::kTanh, b.input("w", {1, 12, 4}));
  b.output(b.node_with_outputs(OpKind::kRnn, {x, w, b.weights({1, 12, 3})}, 3, attrs_of({"LSTM"}, 3))[0]);
  EXPECT_EQ(apply(b.g, {pass_split_rnn}), 0);
}

// Turning the input is cheaper than turning the products, which are four or eight times as wide.
TEST(SplitRnn, TransposeStaysBeforeTheLinear) {
  GraphBuilder b;
  const ValueId x = b.transpose(b.input("x", {B, S, 4}), {1, 0, 2});
  b.output(b.node_with_outputs(OpKind::kRnn, {x, b.weights({1, 12, 4}), b.weights({1, 12, 3})}, 3, attrs_of({"LSTM"}, 3))[1]);
  apply_all(b.g);
  const Node* before = b.g.producer(only(b.g, OpKind::kLinear).in(0));
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(before->kind, OpKind::kTranspose);
}

TEST(SplitRnn, IntegersOfTheFileFollowTheirWeights) {
  GraphBuilder b = layer({"LSTM", "bidirectional"});
  const Node rnn = *std::find_if(b.g.nodes.begin(), b.g.nodes.end(), [](const Node& n) { return n.kind == OpKind::kRnn; });
  Value& w = b.g.value(rnn.in(1));
  auto q = std::make_shared<QuantizedConstant>();
  q->scale = {0.25f, 0.5f};
  q->codes = Tensor(DType::kInt8, w.constant->dims());
  Tensor values(DType::kFloat, w.constant->dims());
  const auto codes = q->codes.mut<int8_t>();
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<int8_t>(i * 31 % 127);
    values.mut<float>()[i] = static_cast<float>(codes[i]) * q->scale[2 * i / codes.size()];
  }
  w.constant = std::move(values);
  w.quantized = q;
  apply(b.g, {pass_split_rnn});
  const Node linear =
      *std::find_if(b.g.nodes.begin(), b.g.nodes.end(), [](const Node& n) { return !n.dead && n.kind == OpKind::kLinear; });
  const Value& joined = b.g.value(linear.in(1));
  ASSERT_TRUE(joined.quantized);
  const std::vector<float> scale = column_scales(*joined.quantized);
  ASSERT_EQ(scale.size(), static_cast<size_t>(joined.constant->dims()[1]));
  const std::vector<float> want = joined.constant->to_float();
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(static_cast<float>(joined.quantized->codes.as<int8_t>()[i]) * scale[i % scale.size()], want[i]) << i;
}

}  // namespace

}  // namespace edgeconv::testing
