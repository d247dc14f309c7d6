// What a Task section may say of a model, and what is refused.
#include "tests/support/opened_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

TEST(TextTask, EveryTaskAnswers) {
  for (const TaskKind task : kTasks) {
    SCOPED_TRACE(static_cast<int>(task));
    Opened o(text_model(shape_for(task)));
    ASSERT_EQ(o.status, ERT_OK);
    ASSERT_EQ(o.task(), ERT_OK);
    EXPECT_EQ(o.info.task, static_cast<uint32_t>(task));
    EXPECT_EQ(o.info.labels, 3u);
    EXPECT_EQ(o.info.max_tokens, 12u);
    ASSERT_EQ(o.start(), ERT_OK);
    const std::string pair = "a b c d e f g h i j k l a b c d e f";
    EXPECT_EQ(o.ask("a b ab", task == TaskKind::kQa ? &pair : nullptr), ERT_OK);
    EXPECT_GT(o.answer.count, 0u);
    EXPECT_GT(o.answer.runs, 0u);
  }
}

// Both ends of an answer may be tokens of the context, and the second the earlier one, where a hostile template has the context twice: reading such a
// span went far behind the context.
TEST(TextTask, SpansThatEndBeforeTheyBeginAreNoAnswers) {
  Opened o(text_model(shape_for(TaskKind::kQa, [](TextTables& t) {
    t.put(K::kTemplate,
          std::vector<TemplatePiece>{{0, 18, 0}, {1, 0, 0}, {0, 19, 0}, {0, 18, 0}, {1, 0, 0}, {0, 19, 0}, {2, 0, 1}, {2, 0, 1}});
  })));
  ASSERT_EQ(o.status, ERT_OK);
  ASSERT_EQ(o.task(), ERT_OK);
  ASSERT_EQ(o.start(), ERT_OK);
  const std::string pair = "a b m";
  ASSERT_EQ(o.ask("a", &pair), ERT_OK);
  EXPECT_GT(o.answer.count, 2u);
}

// 60 unknown words, in ten windows of six that have no word in common: a span of each has the same score.
std::string unlike_words() {
  std::string s;
  for (char a = 'n'; a < 's'; ++a)
    for (char b = 'n'; b < 'z'; ++b) s += std::string(s.empty() ? "" : " ") + a + (b == 'x' ? '!' : b);
  return s;
}

// 128 were kept, and the least went: what a later window gave again had lost its first part. Transformers keeps all.
TEST(TextTask, AnswersOfAllWindowsOfALongContextAddUp) {
  Opened o(text_model(shape_for(TaskKind::kQa)));
  ASSERT_EQ(o.status, ERT_OK);
  ASSERT_EQ(o.task(), ERT_OK);
  ASSERT_EQ(o.start(), ERT_OK);
  std::string context = unlike_words();
  context.replace(context.size() - 2, 2, "nn");  // the first word again
  ASSERT_EQ(o.ask("a b c", &context), ERT_OK);
  ASSERT_EQ(o.answer.runs, 10u);
  ASSERT_GT(o.answer.count, 1u);
  EXPECT_EQ(o.scored[0].span.start, 0u);
  EXPECT_EQ(o.scored[0].span.end, 2u);
  EXPECT_FLOAT_EQ(o.scored[0].score, 2 * o.scored[1].score);
}

// By the tokenizer's table, as other letters than those of ASCII have cases too.
TEST(TextTask, AnswersThatDifferInCaseAreOne) {
  Opened o(text_model(shape_for(TaskKind::kQa, [](TextTables& t) {
    const size_t leaves = sizeof(CodeTableHeader) / 2 + 66;  // two bytes each
    t.row<uint16_t>(K::kLowercase, leaves + 64 + '%') = 1;   // b
  })));
  ASSERT_EQ(o.status, ERT_OK);
  ASSERT_EQ(o.task(), ERT_OK);
  ASSERT_EQ(o.start(), ERT_OK);
  const std::string context = "nb no np nq Nb n%";
  ASSERT_EQ(o.ask("a b c", &context), ERT_OK);
  ASSERT_GT(o.answer.count, 1u);
  EXPECT_EQ(o.scored[0].span.end, 2u);
  EXPECT_FLOAT_EQ(o.scored[0].score, 3 * o.scored[1].score);
}

// No task, and what stands there is none: nothing is asked for then.
ert_status task_present(const std::function<void(TextTables&)>& change) {
  Opened o(text_model(shape_for(TaskKind::kZeroShot, change)));
  if (o.status != ERT_OK) return o.status;
  const ert_status status = o.task();
  if (status != ERT_OK) return status;
  return o.info.task == 0 ? ERT_ERR_UNSUPPORTED : ERT_OK;
}

TEST(TextTask, WhatIsNoTaskIsNotThere) {
  const auto task = [](auto change) { return task_present([=](TextTables& t) { change(t.row<Task>(K::kTask)); }); };
  EXPECT_EQ(task([](Task&) {}), ERT_OK);
  EXPECT_EQ(task_present([](TextTables& t) { t.sections.erase(K::kTask); }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task_present([](TextTables& t) { t.sections[K::kTask].bytes.pop_back(); }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task([](Task& t) { t.kind = 0; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task([](Task& t) { t.kind = static_cast<uint32_t>(TaskKind::kCount); }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task([](Task& t) { t.hypothesis = {22, 0}; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task([](Task& t) { t.hypothesis = {0, 22}; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task([](Task& t) { t.hypothesis = {21, 0}; }), ERT_OK);
  EXPECT_EQ(task([](Task& t) { t.entailment = 3; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task_present([](TextTables& t) { t.row<Text>(K::kLabels, 2) = {21, 1}; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task_present([](TextTables& t) { t.row<Text>(K::kLabels, 2) = {UINT32_MAX, 2}; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task_present([](TextTables& t) { ++t.sections[K::kLabels].count; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task_present([](TextTables& t) { t.sections[K::kLabels].count += 1u << 29; }), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(task_present([](TextTables& t) { t.sections.erase(K::kLabels); }), ERT_ERR_UNSUPPORTED);
}

// What the task says of the model is not so.
ert_status task_of(TextModelShape shape, const std::function<void(BlobSpec&)>& change = nullptr) {
  BlobSpec s = text_model(shape);
  if (change) change(s);
  Opened o(s);
  EXPECT_EQ(o.status, ERT_OK);
  return o.task();
}

TEST(TextTask, OpenArguments) {
  const Opened o(text_model(shape_for(TaskKind::kEmbed)));
  ert_text t;
  ert_model closed{};
  EXPECT_EQ(ert_text_open(&t, &o.model), ERT_OK);
  EXPECT_EQ(ert_text_open(nullptr, &o.model), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_open(&t, nullptr), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_open(&t, &closed), ERT_ERR_ARG);
}

TEST(TextTask, AModelWithoutTokenizerHasNone) {
  BlobSpec s = text_model(shape_for(TaskKind::kEmbed));
  s.segments.pop_back();
  EXPECT_EQ(Opened(s).status, ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(Opened(small_program()).status, ERT_ERR_UNSUPPORTED);
}

TEST(TextTask, InputsAreTheModels) {
  const auto inputs = [](uint32_t of_model, std::vector<uint32_t> said, const std::function<void(BlobSpec&)>& change = nullptr) {
    TextModelShape shape = shape_for(TaskKind::kEmbed, [&](TextTables& t) {
      for (size_t k = 0; k < said.size(); ++k) t.row<Task>(K::kTask).inputs[k] = said[k];
    });
    shape.inputs = of_model;
    return task_of(shape, change);
  };
  EXPECT_EQ(inputs(1, {1}), ERT_OK);
  EXPECT_EQ(inputs(4, {4, 3, 2, 1}), ERT_OK);
  EXPECT_EQ(inputs(1, {2}), ERT_ERR_MODEL) << "an input that is not there";
  EXPECT_EQ(inputs(1, {UINT32_MAX}), ERT_ERR_MODEL);
  EXPECT_EQ(inputs(1, {0}), ERT_ERR_MODEL) << "no ids";
  EXPECT_EQ(inputs(1, {0, 1}), ERT_ERR_MODEL) << "a mask without ids";
  EXPECT_EQ(inputs(2, {1}), ERT_ERR_MODEL) << "an input that nobody fills";
  EXPECT_EQ(inputs(2, {1, 1}), ERT_ERR_MODEL) << "one input for two";
  EXPECT_EQ(inputs(2, {1, 2}, [](BlobSpec& s) { s.inputs[1].dtype = ERT_I64; }), ERT_OK);
  EXPECT_EQ(inputs(2, {1, 2, 3}, [](BlobSpec& s) { s.add_input("pixels", ERT_F32, {0, 1}); }), ERT_ERR_MODEL) << "of floats";
  EXPECT_EQ(inputs(2, {1, 2, 3},
                   [](BlobSpec& s) {
                     s.add_input("deep", ERT_I32, {0, 1, 2});
                   }),
            ERT_ERR_MODEL)
      << "of another rank";
  EXPECT_EQ(inputs(2, {1, 2, 3}, [](BlobSpec& s) { s.add_input("other", ERT_I32, {0, s.dim("others", 1, 12)}); }), ERT_OK);
  EXPECT_EQ(inputs(2, {1, 2, 3}, [](BlobSpec& s) { s.add_input("more", ERT_I32, {0, s.dim("others", 1, 13)}); }), ERT_ERR_MODEL);
  EXPECT_EQ(inputs(2, {1, 2, 3}, [](BlobSpec& s) { s.add_input("least", ERT_I32, {0, s.dim("others", 2, 12)}); }), ERT_ERR_MODEL);
  EXPECT_EQ(inputs(2, {1, 2, 3}, [](BlobSpec& s) { s.add_input("rows", ERT_I32, {s.constant(2), 1}); }), ERT_ERR_MODEL);
  EXPECT_EQ(inputs(2, {1, 2, 3},
                   [](BlobSpec& s) {
                     s.add_input("sum", ERT_I32, {0, s.expr(2, 1, 0)});
                   }),
            ERT_ERR_MODEL)
      << "tokens by an expression";
  EXPECT_EQ(inputs(2, {1, 2, 3},
                   [](BlobSpec& s) {
                     s.add_input("sum", ERT_I32, {s.expr(2, 1, 0), 1});
                   }),
            ERT_ERR_MODEL)
      << "rows by an expression";
  for (const bool rows : {false, true}) {
    TextModelShape shape = shape_for(TaskKind::kEmbed);
    (rows ? shape.rows_by_expression : shape.tokens_by_expression) = true;
    EXPECT_EQ(task_of(shape), ERT_ERR_MODEL) << "by an expression, rows " << rows;
  }
  const auto rows = [](int32_t n) {
    return task_of(shape_for(TaskKind::kEmbed), [=](BlobSpec& s) { s.exprs[0] = fb::Expr(0, 0, 0, 0, n); });
  };
  EXPECT_EQ(rows(1 << 16), ERT_OK);
  EXPECT_EQ(rows((1 << 16) + 1), ERT_ERR_MODEL);
}

TEST(TextTask, OutputsAreTheModels) {
  for (const TaskKind task : kTasks) {
    const int name = static_cast<int>(task);
    EXPECT_EQ(task_of(shape_for(task)), ERT_OK) << name;
    for (const TaskKind other : kTasks) {
      const auto pooled = [](TaskKind t) {
        return t == TaskKind::kEmbed || t == TaskKind::kClassify || t == TaskKind::kZeroShot;
      };
      if (task == other || (pooled(task) && pooled(other))) continue;
      TextModelShape shape = shape_for(task);
      shape.task = other;  // the model's
      EXPECT_EQ(task_of(shape), ERT_ERR_MODEL) << name << " of a model for " << static_cast<int>(other);
    }
    TextModelShape wider = shape_for(task);
    wider.width = 4;
    const bool by_labels = task == TaskKind::kClassify || task == TaskKind::kTokens || task == TaskKind::kZeroShot;
    EXPECT_EQ(task_of(wider), by_labels ? ERT_ERR_MODEL : ERT_OK) << name << ": another number of labels";
  }
  // Results whose width is a dim, and outputs of integers.
  const auto of_ids = [](TaskKind task, uint8_t dtype, int32_t most, bool fixed, int64_t value_of_dim = 0) {
    TextModelShape shape = shape_for(task);
    shape.most = most, shape.fixed_tokens = fixed;
    return task_of(shape, [=](BlobSpec& s) {
      s.ops.resize(1), s.outputs.clear(), s.values.resize(2), s.slots = 1, s.arena_order.resize(1);
      s.segments.erase(s.segments.begin(), s.segments.end() - 1);
      s.values[1].last_op = 1;
      if (value_of_dim != 0) s.exprs[1] = fb::Expr(1, 0, 0, 0, value_of_dim);
      const uint32_t out = s.add_output("out", dtype, {0, 1}, 1);
      const auto code = dtype == ERT_F32 ? params::OpCode::kCast : params::OpCode::kExportInt;
      s.ops.push_back({code, {1}, {static_cast<int32_t>(out)}, {}, {}});
    });
  };
  EXPECT_EQ(of_ids(TaskKind::kEmbed, ERT_F32, 12, true), ERT_OK);
  EXPECT_EQ(of_ids(TaskKind::kEmbed, ERT_F32, 12, false), ERT_ERR_MODEL) << "a width that is a dim";
  EXPECT_EQ(of_ids(TaskKind::kEmbed, ERT_F32, 12, false, 5), ERT_ERR_MODEL) << "a dim that has the value of a constant";
  EXPECT_EQ(of_ids(TaskKind::kEmbed, ERT_I32, 12, true), ERT_ERR_MODEL) << "integers";
  EXPECT_EQ(of_ids(TaskKind::kEmbed, ERT_F32, 1 << 24, true), ERT_OK);
  EXPECT_EQ(of_ids(TaskKind::kEmbed, ERT_F32, (1 << 24) + 1, true), ERT_ERR_MODEL);
  EXPECT_EQ(of_ids(TaskKind::kQa, ERT_F32, 12, false), ERT_ERR_MODEL) << "starts without ends";
  // A model of another task where everything else would fit.
  const auto mixed = [](TaskKind said, TaskKind model) {
    TextModelShape shape = shape_for(said, [](TextTables& t) { t.sections.erase(K::kLabels); });
    shape.task = model, shape.fixed_tokens = true;
    return task_of(shape);
  };
  EXPECT_EQ(mixed(TaskKind::kEmbed, TaskKind::kTokens), ERT_ERR_MODEL);
  EXPECT_EQ(mixed(TaskKind::kClassify, TaskKind::kTokens), ERT_ERR_MODEL);
  EXPECT_EQ(mixed(TaskKind::kTokens, TaskKind::kClassify), ERT_ERR_MODEL);
  for (const size_t which : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(task_of(shape_for(TaskKind::kQa),
                      [&](BlobSpec& s) {
                        s.ops[1 + which].code = params::OpCode::kExportInt;
                        s.outputs[which].dtype = ERT_I32, s.values[s.outputs[which].value].dtype = ERT_I32;
                      }),
              ERT_ERR_MODEL)
        << "integers " << which;
    EXPECT_EQ(task_of(shape_for(TaskKind::kQa),
                      [&](BlobSpec& s) {
                        const uint32_t table = s.add_constant(ERT_F32, {2, 3}, std::vector<float>(60));
                        BlobSpec::Op& op = s.ops[1 + which];
                        op.code = params::OpCode::kEmbedding;
                        op.inputs.insert(op.inputs.end(), {static_cast<int32_t>(table), -1});
                        s.values[s.outputs[which].value].shape.push_back(3);
                      }),
              ERT_ERR_MODEL)
        << "of rank 3: " << which;
  }
}

}  // namespace
}  // namespace ert::testing
