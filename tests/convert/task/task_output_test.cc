// Outputs for tasks: pooling as sentence-transformers has it, by numbers; and what is refused.
#include "convert/task/task_output.h"

#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kBatch = 2, kSequence = 4, kHidden = 3;

// x [2, 4, 3] is an input here: what pooling makes of it can be told by hand.
struct Encoder {
  GraphBuilder b;
  ValueId ids, mask, x;
  explicit Encoder(bool with_mask = true) {
    const DimExpr batch = DimExpr::symbol("batch"), sequence = DimExpr::symbol("sequence");
    ids = b.input("input_ids", {batch, sequence}, DType::kInt64);
    mask = with_mask ? b.input("attention_mask", {batch, sequence}, DType::kInt64) : kNone;
    x = b.input("hidden", {batch, sequence, kHidden});
    b.output(b.unary(static_cast<int>(unary::kNeg), x));
    finish(b.g);
    b.g.value(b.g.outputs[0]).name = "last_hidden_state";
  }
  Tensor pooled(TaskSettings s, const std::vector<int64_t>& marks) {
    s.kind = TaskKind::kEmbed;
    TextInputs inputs;
    inputs.ids = 0;
    inputs.mask = mask == kNone ? -1 : 1;
    give_task_output(b.g, inputs, s);
    Diagnostics d;
    infer(b.g, d);
    d.check();
    EXPECT_EQ(b.g.outputs.size(), 1u);
    EXPECT_EQ(b.g.value(b.g.outputs[0]).name, "sentence_embedding");
    EXPECT_EQ(b.g.value(b.g.outputs[0]).rank(), 2);
    std::vector<float> hidden;
    for (int i = 0; i < kBatch * kSequence * kHidden; ++i) hidden.push_back(-static_cast<float>(i));
    std::vector<Tensor> all{Tensor::of<int64_t>(DType::kInt64, {kBatch, kSequence}, std::vector<int64_t>(8, 1))};
    if (mask != kNone) all.push_back(Tensor::of<int64_t>(DType::kInt64, {kBatch, kSequence}, marks));
    all.push_back(Tensor::of<float>(DType::kFloat, {kBatch, kSequence, kHidden}, hidden));
    return interpret(b.g, all, {Backend::kCanonical, {}})[0];
  }
};

TEST(TaskOutput, MeanOfMarkedTokens) {
  TaskSettings s;
  s.pooling = Pooling::kMean;
  s.normalize = false;
  EXPECT_EQ(Encoder().pooled(s, {1, 1, 0, 0, 1, 1, 1, 1}).to_float(), (std::vector<float>{1.5, 2.5, 3.5, 16.5, 17.5, 18.5}));
}

TEST(TaskOutput, FirstAndLastToken) {
  TaskSettings s;
  s.normalize = false;
  s.pooling = Pooling::kFirst;
  EXPECT_EQ(Encoder(false).pooled(s, {}).to_float(), (std::vector<float>{0, 1, 2, 12, 13, 14}));
  s.pooling = Pooling::kLast;
  EXPECT_EQ(Encoder().pooled(s, {1, 1, 1, 0, 0, 0, 1, 1}).to_float(), (std::vector<float>{6, 7, 8, 21, 22, 23}))
      << "padding right and left";
}

TEST(TaskOutput, MeanAndLengthOneUnlessSaidOtherwise) {
  const std::vector<float> v = Encoder().pooled({}, std::vector<int64_t>(8, 1)).to_float();
  for (size_t row = 0; row < 2; ++row) {
    double squares = 0;
    for (size_t i = 0; i < 3; ++i) squares += double{v[3 * row + i]} * v[3 * row + i];
    EXPECT_NEAR(squares, 1, 1e-6);
  }
  EXPECT_NEAR(v[1] / v[0], 5.5 / 4.5, 1e-5);
}

std::string refusal(Graph& g, TaskSettings s) {
  try {
    give_task_output(g, {0, 1, -1, -1}, s);
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kUsage);
    return e.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(TaskOutput, OutputsThatDoNotFitAreNamed) {
  Encoder e;
  TaskSettings s;
  s.kind = TaskKind::kClassify;
  EXPECT_NE(refusal(e.b.g, s).find("last_hidden_state float32[batch, sequence, 3]"), std::string::npos);
  s.kind = TaskKind::kQa;
  EXPECT_NE(refusal(e.b.g, s).find("start and end"), std::string::npos);
  s.kind = TaskKind::kTokens;
  s.labels = {"O", "B-PER"};
  EXPECT_NE(refusal(e.b.g, s).find("2 labels"), std::string::npos);
  s.labels.clear();
  TextInputs inputs;
  give_task_output(e.b.g, inputs, s);
  EXPECT_EQ(s.labels, (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
}

TEST(TaskOutput, InputsOfTextAreFoundByName) {
  Encoder e;
  EXPECT_THROW(find_text_inputs(e.b.g), FatalError) << "no text gives 'hidden'";
  e.b.g.inputs.pop_back();
  EXPECT_EQ(find_text_inputs(e.b.g), (TextInputs{0, 1, -1, -1}));
  e.b.g.inputs.erase(e.b.g.inputs.begin());
  EXPECT_THROW(find_text_inputs(e.b.g), FatalError) << "a mask is no ids";
}

}  // namespace

}  // namespace edgeconv::testing
