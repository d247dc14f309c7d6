// Lowering of recurrent layers: the blob computes what the interpreter computes, bit for bit in fp32 and closely in int8.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "convert/interp/interpreter.h"
#include "tests/convert/lower/run_lowered.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

// Two directions with hidden size 20 (gates do not fill whole panels), every optional operand that the kind has.
GraphBuilder layer(const std::string& kind, bool linear_before_reset) {
  GraphBuilder b;
  const int64_t hidden = 20, gates = kind == "LSTM" ? 4 : kind == "GRU" ? 3 : 1;
  RnnAttrs a;
  a.kind = kind;
  a.direction = "bidirectional";
  a.linear_before_reset = linear_before_reset;
  for (int d = 0; d < 2; ++d) {
    if (kind != "RNN") a.activations.push_back("Sigmoid");
    a.activations.push_back("Tanh");
    if (kind == "LSTM") a.activations.push_back("Tanh");
  }
  std::vector<ValueId> in{b.input("products", {S, B, 2 * gates * hidden}), b.weights({2, gates * hidden, hidden}),
                          linear_before_reset ? b.weights({2, gates * hidden}) : kNone, b.input("lengths", {B}, DType::kInt64),
                          b.input("h", {2, B, hidden})};
  if (kind == "LSTM") in.insert(in.end(), {b.input("c", {2, B, hidden}), b.weights({2, 3 * hidden})});
  for (ValueId v : b.node_with_outputs(OpKind::kRecurrence, in, kind == "LSTM" ? 3 : 2, a)) b.output(v);
  finish(b.g);
  return b;
}

void compare(const GraphBuilder& b, const LowerOptions& options, double least_cosine) {
  const auto inputs = random_inputs(b.g);
  const auto want = interpret(b.g, inputs, {Backend::kCanonical, {}}), got = run_lowered(b.g, inputs, options);
  ASSERT_EQ(got.size(), want.size());
  for (size_t o = 0; o < got.size(); ++o) {
    ASSERT_EQ(got[o].dims(), want[o].dims());
    const auto w = want[o].to_float(), r = got[o].to_float();
    if (least_cosine == 1) {
      EXPECT_EQ(r, w) << "output " << o;
      continue;
    }
    double ww = 0, rr = 0, wr = 0;
    for (size_t i = 0; i < w.size(); ++i) {
      ww += double{w[i]} * w[i];
      rr += double{r[i]} * r[i];
      wr += double{w[i]} * r[i];
    }
    EXPECT_GT(wr / std::sqrt(ww * rr), least_cosine) << "output " << o;
  }
}

TEST(LowerRecurrence, ComputesWhatTheInterpreterComputes) {
  namespace linear = ert::params::linear;
  for (const char* kind : {"LSTM", "GRU", "RNN"})
    for (bool late : {false, true}) {
      if (late && std::string(kind) != "GRU") continue;
      SCOPED_TRACE(kind);
      const GraphBuilder b = layer(kind, late);
      compare(b, {}, 1);
      LowerOptions o;
      const NodeId id = static_cast<NodeId>(&only(b.g, OpKind::kRecurrence) - b.g.nodes.data());
      o.plan.set(id, linear::kInt8);
      compare(b, o, 0.999);
      o.plan.set(id, linear::kInt8A16);
      compare(b, o, 0.9999);
    }
}

// DynamicQuantizeLSTM of a speaker's voice: its int8 weights were quantized again.
TEST(LowerRecurrence, IntegersOfTheFileAreKept) {
  GraphBuilder b = layer("LSTM", false);
  Node& n = *std::find_if(b.g.nodes.begin(), b.g.nodes.end(), [](const Node& x) { return x.kind == OpKind::kRecurrence; });
  Value& r = b.g.value(n.in(1));
  auto q = std::make_shared<QuantizedConstant>();
  q->scale = {0.003f, 0.005f};
  q->codes = Tensor(DType::kInt8, r.constant->dims());
  Tensor values(DType::kFloat, r.constant->dims());
  const auto codes = q->codes.mut<int8_t>();
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<int8_t>(static_cast<int>(i * 37 % 201) - 100);
    values.mut<float>()[i] = static_cast<float>(codes[i]) * q->scale[2 * i / codes.size()];
  }
  r.constant = std::move(values);
  LowerOptions options;
  const PrecisionPlan layers = int8_plan(b.g);
  options.plan = layers;
  for (const auto& entry : layers.layers()) options.plan.set(entry.first, ert::params::linear::kInt8A16);
  r.quantized = q;
  compare(b, options, 0.99999);
  // One scale in all columns of a direction but those that fill panels, as in the file.
  options.dim_range = plan_dims(b.g, {}).range;
  Diagnostics d;
  const TargetProgram p = build_program(b.g, options, d);
  std::set<float> scales;
  for (const TargetOp& op : p.ops)
    if (op.code == ert::params::OpCode::kRecurrence)
      for (const int v : op.inputs)
        if (v >= 0 && p.values[static_cast<size_t>(v)].dtype == ERT_F32 &&
            p.values[static_cast<size_t>(v)].shape == Shape{4 * 32})
          for (float x : p.values[static_cast<size_t>(v)].data.to_float()) scales.insert(x);
  EXPECT_EQ(scales, (std::set<float>{0, 0.003f, 0.005f}));
}

}  // namespace

}  // namespace edgeconv::testing
