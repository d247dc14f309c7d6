// The runner of the passes: what it notices (a pass that changes an output, passes without an end), and what it writes down.
#include <gtest/gtest.h>

#include <map>

#include "convert/passes/output_check.h"
#include "convert/passes/trial_inputs.h"
#include "convert/program/program_pass.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr PassOptions kChecked{true, nullptr}, kUnchecked{false, nullptr};
// MatMul, Add and Softmax of [batch, sequence, 8], with the names of its operands.
struct Model : GraphBuilder {
  Model() {
    x = input("x", {B, S, 8});
    w = weights({8, 8});
    product = matmul(x, w);
    sum = add(product, weights({8}));
    output(softmax(sum));
    g.value(g.outputs[0]).name = "probabilities";
    finish(g);
  }
  ValueId x, w, product, sum;
};

// What run_pass_list says of one pass, or "".
std::string verdict(Graph& g, PassFunction pass, Effect effect = Effect::kSameOutputs) {
  Diagnostics d;
  const PassDef list[] = {{"harmless", [](Graph&, Diagnostics&) { return 0; }}, {"planted", pass, effect}};
  try {
    run_pass_list(list, g, d, kChecked);
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kInternal);
    return e.what();
  }
  return "";
}

// Passes with one match each. A wrong one.
int add_becomes_sub(Graph& g, Diagnostics&) {
  for (Node& n : g.nodes)
    if (!n.dead && n.kind == OpKind::kBinary && n.as<BinaryAttrs>().kind == binary::kAdd) {
      n.as<BinaryAttrs>().kind = binary::kSub;
      return 1;
    }
  return 0;
}
// Weights scaled by `factor` for the first MatMul, which gets the kind Identity's name in its origin so that it matches once.
int scale_weights(Graph& g, float factor) {
  for (Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kMatMul || n.origin.op_type == "scaled") continue;
    Tensor scaled = g.value(n.inputs[1]).constant->cast(DType::kFloat);
    for (float& v : scaled.mut<float>()) v *= factor;
    n.inputs[1] = g.add_constant("scaled", scaled);
    n.origin.op_type = "scaled";
    return 1;
  }
  return 0;
}
int slightly_wrong(Graph& g, Diagnostics&) { return scale_weights(g, 1.001f); }
int within_rounding(Graph& g, Diagnostics&) { return scale_weights(g, 1 + 0x1p-23f); }
int widens_the_output(Graph& g, Diagnostics&) {
  if (g.value(g.outputs[0]).name == "wide") return 0;
  g.outputs[0] = g.add_node(OpKind::kConcat, {g.outputs[0], g.outputs[0]}, AxisAttrs{2}, {"wide", "Concat", ""}, "wide");
  return 1;
}
int drops_an_output(Graph& g, Diagnostics&) {
  if (g.outputs.empty()) return 0;
  g.outputs.pop_back();
  return 1;
}
int looks_behind_the_table(Graph& g, Diagnostics&) {
  for (Node& n : g.nodes)
    if (!n.dead && n.kind == OpKind::kGather) {
      if (g.value(n.inputs[0]).name == "cut") return 0;
      n.inputs[0] = g.add_constant("cut", Tensor(DType::kFloat, {1, 4}));
      return 1;
    }
  return 0;
}

TEST(OutputCheck, APlantedWrongPassIsFound) {
  Model m;
  const std::string what = verdict(m.g, add_becomes_sub);
  EXPECT_NE(what.find("internal error: pass planted (round 1) changes output 'probabilities': element "), std::string::npos)
      << what;
  EXPECT_NE(what.find("--dump-graph planted=FILE"), std::string::npos) << what;
}
TEST(OutputCheck, OneThousandthIsFound) {
  Model m;
  EXPECT_NE(verdict(m.g, slightly_wrong), "");
}
TEST(OutputCheck, RoundingIsNot) {
  Model m;
  EXPECT_EQ(verdict(m.g, within_rounding), "");
}
TEST(OutputCheck, AnotherShapeOrNumberOfOutputsIsFound) {
  Model wide, fewer;
  const std::string shape = verdict(wide.g, widens_the_output);
  EXPECT_NE(shape.find("changes the type or shape of output 'wide'"), std::string::npos) << shape;
  const std::string number = verdict(fewer.g, drops_an_output);
  EXPECT_NE(number.find("changes the number of outputs"), std::string::npos) << number;
}
TEST(OutputCheck, AGraphThatDoesNotRunIsFound) {
  GraphBuilder b;
  b.output(b.node(OpKind::kGather, {b.weights({16, 4}), b.input("ids", {B, S}, DType::kInt64)}, AxisAttrs{0}));
  finish(b.g);
  const std::string what = verdict(b.g, looks_behind_the_table);
  EXPECT_NE(what.find("pass planted (round 1) leaves a graph that does not run: "), std::string::npos) << what;
}
TEST(OutputCheck, OtherOutputsOnPurposeAreTheNewMeasure) {
  Model m;
  EXPECT_EQ(verdict(m.g, add_becomes_sub, Effect::kOtherOutputs), "");
  OutputCheck check(m.g);
  check.compare("nothing", 1, m.g);
  Model other;
  EXPECT_THROW(check.compare("another", 1, other.g), FatalError);
  check.start(other.g);
  check.compare("the same", 1, other.g);
}
// A fusion behind which fp32 goes on, with an output of the model among what was half precision (blobs have it in fp32, with a warning).
TEST(OutputCheck, HalvesThatBecomeFp32AreTheSame) {
  GraphBuilder half, wide, whole;
  for (GraphBuilder* b : {&half, &wide, &whole}) {
    const ValueId x = b->node(OpKind::kCast, {b->input("x", {B, 8})}, CastAttrs{DType::kFloat16});
    const ValueId y = b->unary(Unary::kTanh, x);
    b->output(b == &half ? y : b->node(OpKind::kCast, {y}, CastAttrs{b == &wide ? DType::kFloat : DType::kInt32}));
    finish(b->g);
  }
  OutputCheck check(half.g);
  check.compare("widens", 1, wide.g);
  EXPECT_THROW(check.compare("rounds", 1, whole.g), FatalError);
}
TEST(OutputCheck, UncheckedRunsTakeEveryPass) {
  Model m;
  Diagnostics d;
  const PassDef list[] = {{"planted", add_becomes_sub}};
  EXPECT_EQ(run_pass_list(list, m.g, d, kUnchecked).counts, (std::vector<std::pair<std::string, int>>{{"planted", 1}}));
}

// Values that differ where another order of sums breaks a tie: the two backends already disagree, nothing can be demanded.
TEST(OutputCheck, IntegersAreCompared) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 8});
  b.output(b.node(OpKind::kArgMinMax, {b.matmul(x, b.weights({8, 64}))}, ArgAttrs{1, true, true, false}));
  finish(b.g);
  const std::string what = verdict(b.g, [](Graph& g, Diagnostics&) {
    for (Node& n : g.nodes)
      if (!n.dead && n.kind == OpKind::kArgMinMax && n.as<ArgAttrs>().max) {
        n.as<ArgAttrs>().max = false;
        return 1;
      }
    return 0;
  });
  EXPECT_NE(what.find("changes output"), std::string::npos) << what;
}

// ---- inputs

TEST(TrialInputs, NeedEnoughSamplesForAConvolution) {
  GraphBuilder b;
  ConvAttrs conv;
  conv.kernel = {400};
  conv.strides = {320};
  b.output(b.node(OpKind::kConv, {b.input("audio", {B, 1, DimExpr::symbol("samples")}), b.weights({4, 1, 400}), kNone}, conv));
  finish(b.g);
  const TrialInputs t = trial_inputs(b.g);
  EXPECT_EQ(t.reason, "");
  EXPECT_GE(t.inputs.at(0).dims()[2], 400);
}
TEST(TrialInputs, MasksHaveTokensAndPaddingInEachRow) {
  GraphBuilder b;
  const ValueId mask = b.input("attention_mask", {B, S}, DType::kInt64);
  b.output(b.node(OpKind::kCast, {mask}, CastAttrs{DType::kFloat}));
  finish(b.g);
  const TrialInputs t = trial_inputs(b.g);
  ASSERT_EQ(t.reason, "");
  const auto width = static_cast<size_t>(t.inputs.at(0).dims()[1]);
  const std::vector<int64_t> m = t.inputs[0].to_int64();
  for (size_t row = 0; row < m.size(); row += width) {
    EXPECT_EQ(m[row] + m[row + 1], 1);
  }
}
TEST(TrialInputs, SayWhyThereAreNone) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 8});
  const ValueId ids = b.node(OpKind::kCast, {b.mul(x, b.scalar(1e6f))}, CastAttrs{DType::kInt64});
  b.output(b.node(OpKind::kGather, {b.weights({16, 4}), ids}, AxisAttrs{0}));
  finish(b.g);
  EXPECT_NE(trial_inputs(b.g).reason, "");
  OutputCheck check(b.g);
  EXPECT_EQ(check.reason(), trial_inputs(b.g).reason);
  check.compare("any", 1, Graph());  // nothing to compare with
}

// ---- rounds

int never_ends(Graph&, Diagnostics&) { return 1; }

TEST(Rounds, WithoutAnEndAreAnErrorWhereTheyAreChecked) {
  Model m;
  const std::string what = verdict(m.g, never_ends);
  EXPECT_NE(what.find("did not come to an end after 6 rounds; in the last one these still changed something: planted"),
            std::string::npos)
      << what;
}
TEST(Rounds, WithoutAnEndAreAWarningOtherwise) {
  Model m;
  Diagnostics d;
  const PassDef list[] = {{"planted", never_ends}};
  EXPECT_EQ(run_pass_list(list, m.g, d, kUnchecked).counts[0].second, 6);
  ASSERT_EQ(d.warnings().size(), 1u);
  EXPECT_NE(d.warnings()[0].find("after 6 rounds"), std::string::npos);
  EXPECT_TRUE(d.ok());
}
TEST(Rounds, TheLastOneMayFindNothing) {
  Model m;
  static int left;
  left = 5;
  EXPECT_EQ(verdict(m.g, [](Graph&, Diagnostics&) { return left-- > 0 ? 1 : 0; }), "");
  EXPECT_EQ(left, -1);
}

// A match that failed had left a node and its constants behind; other passes found work in them, round after round.
TEST(Rounds, AMatchThatFailsLeavesNothing) {
  Model m;
  const size_t live = m.g.dump().size();
  const PassFunction tries = [](Graph& g, Diagnostics&) {
    g.add_node(OpKind::kUnary, {g.inputs[0]}, UnaryAttrs{unary::kAbs, 0}, {"left", "Abs", ""}, "left");
    return 0;
  };
  EXPECT_EQ(verdict(m.g, tries), "");
  EXPECT_EQ(m.g.dump().size(), live) << m.g.dump();
}

// ---- what is written down

TEST(PassTrace, LogsMatches) {
  Model m;
  Diagnostics d;
  std::vector<std::string> lines;
  PassTrace trace("", [&](const std::string& line) { lines.push_back(line); });
  const PassDef list[] = {{"harmless", [](Graph&, Diagnostics&) { return 0; }}, {"planted", add_becomes_sub}};
  run_pass_list(list, m.g, d, {false, &trace});
  EXPECT_EQ(lines, (std::vector<std::string>{"pass planted round 1: 1 match", "passes: 2 rounds; without a match: harmless"}));
  EXPECT_EQ(trace.states(), "");
}
TEST(PassTrace, ShowsTheGraphBeforeAndAfter) {
  Model m;
  Diagnostics d;
  PassTrace trace("planted", {});
  const PassDef list[] = {{"harmless", [](Graph&, Diagnostics&) { return 0; }}, {"planted", add_becomes_sub}};
  const std::string before = m.g.dump();
  run_pass_list(list, m.g, d, {false, &trace});
  const std::string after = m.g.dump();
  EXPECT_NE(before, after);
  EXPECT_EQ(trace.states(), "== planted round 1 before\n" + before + "== planted round 1 after\n" + after +
                                "== planted round 2 before\n(as above)\n== planted round 2 after\n(as above)\n");
}
TEST(PassTrace, ShowsWhatAWrongPassMade) {
  Model m;
  Diagnostics d;
  PassTrace trace("all", {});
  const PassDef list[] = {{"planted", add_becomes_sub}};
  EXPECT_THROW(run_pass_list(list, m.g, d, {true, &trace}), FatalError);
  EXPECT_NE(trace.states().find("== planted round 1 after\n" + m.g.dump()), std::string::npos);
}
TEST(PassTrace, NamesOfGraphAndProgramPassesDiffer) {
  std::map<std::string_view, int> names;
  for (std::string_view name : graph_pass_names()) ++names[name];
  for (std::string_view name : program_pass_names()) ++names[name];
  for (const auto& [name, n] : names) {
    EXPECT_EQ(n, 1) << name;
  }
  EXPECT_EQ(names.count("all"), 0u);
}

}  // namespace

}  // namespace edgeconv::testing
