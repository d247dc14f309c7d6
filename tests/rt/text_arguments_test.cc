// The C API of tokenizers and tasks: each argument wrong for itself, refused with the status that ert_text.h names, and nothing written.
#include "tests/support/opened_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

Opened started(TaskKind task) {
  Opened o(text_model(shape_for(task)));
  EXPECT_EQ(o.status, ERT_OK);
  EXPECT_EQ(o.task(), ERT_OK);
  EXPECT_EQ(o.start(), ERT_OK);
  return o;
}

// What was never opened, and what ert_text_open_tables refused, is no tokenizer to any call.
TEST(TextArguments, EveryCallRefusesWhatIsNotATokenizer) {
  Opened o = started(TaskKind::kEmbed);
  ert_text refused = o.text;
  EXPECT_EQ(ert_text_open_tables(&refused, o.blob.data(), 64), ERT_ERR_FORMAT);
  const ert_text zeros{};
  for (const ert_text* t : {static_cast<const ert_text*>(nullptr), &zeros, static_cast<const ert_text*>(&refused)}) {
    size_t need = 0, bytes = 0;
    const char* name = nullptr;
    uint64_t work[64] = {};
    const int32_t id = 1;
    char text[16] = {};
    ert_encoding e{};
    e.struct_size = sizeof e;
    ert_text_info info{};
    info.struct_size = sizeof info;
    ert_text_task_info task{};
    task.struct_size = sizeof task;
    EXPECT_EQ(ert_text_describe(t, &info), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_bytes(t, 1, 0, &need), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_encode(t, nullptr, "a", 1, nullptr, 0, work, sizeof work, &e), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_window(t, work, 0, &e), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_decode(t, &id, 1, 0, text, sizeof text, &bytes), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_piece(t, 1, &name, &bytes), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_task_of(t, &o.model, &task), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_label(t, 0, &name, &bytes), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run_bytes(t, &o.context, 1, 0, &need), ERT_ERR_ARG);
  }
}

TEST(TextArguments, OfEncode) {
  const Opened o = started(TaskKind::kEmbed);
  size_t need = 0;
  ASSERT_EQ(ert_text_bytes(&o.text, 3, 0, &need), ERT_OK);
  EXPECT_EQ(ert_text_bytes(&o.text, 3, 0, nullptr), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_bytes(&o.text, SIZE_MAX, 0, &need), ERT_ERR_LIMIT);
  EXPECT_EQ(ert_text_bytes(&o.text, 0, SIZE_MAX, &need), ERT_ERR_LIMIT);
  ASSERT_EQ(ert_text_bytes(&o.text, 3, 0, &need), ERT_OK);
  ExactMemory work(need);
  int32_t ids[16];
  ert_encoding e{};
  e.struct_size = sizeof e, e.capacity = 16, e.ids = ids;
  ert_text_options options{};
  options.struct_size = sizeof options;
  const auto encode = [&](const ert_text_options* with, const char* text, size_t bytes, void* memory, size_t memory_bytes,
                          ert_encoding* out) {
    return ert_text_encode(&o.text, with, text, bytes, nullptr, 0, memory, memory_bytes, out);
  };
  EXPECT_EQ(encode(&options, "a b", 3, work.data(), need, &e), ERT_OK);
  EXPECT_EQ(encode(nullptr, nullptr, 0, work.data(), need, &e), ERT_OK) << "an empty text may have no address";
  EXPECT_EQ(encode(nullptr, nullptr, 3, work.data(), need, &e), ERT_ERR_ARG);
  EXPECT_EQ(encode(nullptr, "a b", 3, nullptr, need, &e), ERT_ERR_ARG);
  EXPECT_EQ(encode(nullptr, "a b", 3, work.data(), need, nullptr), ERT_ERR_ARG);
  EXPECT_EQ(encode(nullptr, "a b", 3, work.data() + 4, need, &e), ERT_ERR_ALIGN);
  EXPECT_EQ(encode(nullptr, "a b", 3, work.data(), need - 1, &e), ERT_ERR_NOMEM);
  EXPECT_EQ(encode(nullptr, "a b", SIZE_MAX, work.data(), need, &e), ERT_ERR_LIMIT);
  options.truncation = ERT_TRUNCATE_SECOND + 1;
  EXPECT_EQ(encode(&options, "a b", 3, work.data(), need, &e), ERT_ERR_ARG);
  options.truncation = 0, options.struct_size = 0;
  EXPECT_EQ(encode(&options, "a b", 3, work.data(), need, &e), ERT_ERR_ARG);
  e.struct_size = 0;
  EXPECT_EQ(encode(nullptr, "a b", 3, work.data(), need, &e), ERT_ERR_ARG);
  EXPECT_TRUE(work.intact());
}

TEST(TextArguments, OfWindows) {
  const Opened o = started(TaskKind::kEmbed);
  size_t need = 0;
  ASSERT_EQ(ert_text_bytes(&o.text, 3, 0, &need), ERT_OK);
  ExactMemory work(need);
  int32_t ids[16];
  ert_encoding e{};
  e.struct_size = sizeof e, e.capacity = 16, e.ids = ids;
  std::memset(work.data(), 0, need);
  EXPECT_EQ(ert_text_window(&o.text, work.data(), 0, &e), ERT_ERR_ARG) << "nothing has been encoded";
  ASSERT_EQ(ert_text_encode(&o.text, nullptr, "a b", 3, nullptr, 0, work.data(), need, &e), ERT_OK);
  EXPECT_EQ(ert_text_window(&o.text, work.data(), 0, &e), ERT_OK);
  EXPECT_EQ(ert_text_window(&o.text, work.data(), e.windows, &e), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_window(&o.text, nullptr, 0, &e), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_window(&o.text, work.data(), 0, nullptr), ERT_ERR_ARG);
}

TEST(TextArguments, OfDecodeAndPieces) {
  const Opened o = started(TaskKind::kEmbed);
  const int32_t ids[] = {1, 2};
  char text[16];
  size_t bytes = 77;
  EXPECT_EQ(ert_text_decode(&o.text, ids, 2, 0, text, sizeof text, &bytes), ERT_OK);
  EXPECT_EQ(std::string(text, bytes), "a b");
  EXPECT_EQ(ert_text_decode(&o.text, ids, 2, 0, nullptr, 0, &bytes), ERT_ERR_NOMEM);
  EXPECT_EQ(bytes, 3u);
  EXPECT_EQ(ert_text_decode(&o.text, ids, 2, 0, text, 2, &bytes), ERT_ERR_NOMEM);
  EXPECT_EQ(std::string(text, 2), "a ") << "the part that fits";
  EXPECT_EQ(ert_text_decode(&o.text, nullptr, 0, 0, nullptr, 0, &bytes), ERT_OK);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(ert_text_decode(&o.text, nullptr, 1, 0, text, sizeof text, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_decode(&o.text, ids, 2, 0, nullptr, 1, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_decode(&o.text, ids, 2, 0, text, sizeof text, nullptr), ERT_ERR_ARG);
  const char* piece = nullptr;
  ASSERT_EQ(ert_text_piece(&o.text, 7, &piece, &bytes), ERT_OK);
  EXPECT_EQ(std::string(piece, bytes), "##b");
  EXPECT_EQ(ert_text_piece(&o.text, -1, &piece, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_piece(&o.text, 20, &piece, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_piece(&o.text, 7, nullptr, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_piece(&o.text, 7, &piece, nullptr), ERT_ERR_ARG);
}

TEST(TextArguments, OfDescriptions) {
  const Opened o = started(TaskKind::kClassify);
  ert_text_info info{};
  EXPECT_EQ(ert_text_describe(&o.text, &info), ERT_ERR_ARG) << "no struct_size";
  EXPECT_EQ(ert_text_describe(&o.text, nullptr), ERT_ERR_ARG);
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_text_describe(&o.text, &info), ERT_OK);
  EXPECT_EQ(info.vocabulary, 20u);
  EXPECT_EQ(info.special_tokens, 2u);
  EXPECT_EQ(info.special_tokens_of_pair, 3u);
  ert_text_task_info task{};
  ert_model closed{};
  EXPECT_EQ(ert_text_task_of(&o.text, &o.model, &task), ERT_ERR_ARG) << "no struct_size";
  EXPECT_EQ(ert_text_task_of(&o.text, &o.model, nullptr), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_task_of(&o.text, &closed, &task), ERT_ERR_ARG);
  const char* name = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(ert_text_label(&o.text, 2, &name, &bytes), ERT_OK);
  EXPECT_EQ(std::string(name, bytes), "z");
  EXPECT_EQ(ert_text_label(&o.text, 3, &name, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_label(&o.text, 2, nullptr, &bytes), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_label(&o.text, 2, &name, nullptr), ERT_ERR_ARG);
}

// A task's run with one thing changed. It asks for as much memory as the unchanged question takes.
struct Asking {
  explicit Asking(TaskKind task) : o(started(task)), memory(bytes_of(o)) {
    question.struct_size = sizeof question;
    question.text = "a b", question.bytes = 3;
    if (task == TaskKind::kQa) question.pair = "c d e", question.pair_bytes = 5;
    if (task == TaskKind::kZeroShot) question.labels = labels, question.label_count = 2;
    answer.struct_size = sizeof answer;
    answer.capacity = 64, answer.vector = vector, answer.scored = scored;
  }
  static size_t bytes_of(const Opened& o) {
    size_t need = 0;
    EXPECT_EQ(ert_text_run_bytes(&o.text, &o.context, 16, 80, &need), ERT_OK);
    return need;
  }
  ert_status run() { return ert_text_run(&o.context, &o.text, &question, memory.data(), bytes_of(o), &answer); }
  template <class F>
  ert_status with(F change) {
    const ert_question kept = question;
    const ert_answer before = answer;
    change(question, answer);
    const ert_status status = run();
    question = kept, answer = before;
    return status;
  }
  Opened o;
  ExactMemory memory;
  ert_text_name labels[2] = {{"x", 1}, {"y", 1}};
  ert_question question{};
  ert_answer answer{};
  float vector[64];
  ert_scored scored[64];
};

TEST(TextArguments, OfRuns) {
  for (const TaskKind task : kTasks) {
    SCOPED_TRACE(static_cast<int>(task));
    Asking a(task);
    ASSERT_EQ(a.run(), ERT_OK);
    const auto refused = [&](auto change) { return a.with(change); };
    EXPECT_EQ(refused([](ert_question& q, ert_answer&) { q.text = nullptr; }), ERT_ERR_ARG);
    EXPECT_EQ(refused([](ert_question& q, ert_answer&) { q.text = nullptr, q.bytes = 0; }), ERT_OK) << "an empty text";
    EXPECT_EQ(refused([](ert_question& q, ert_answer&) { q.struct_size = 0; }), ERT_ERR_ARG);
    EXPECT_EQ(refused([](ert_question&, ert_answer& r) { r.struct_size = 0; }), ERT_ERR_ARG);
    EXPECT_EQ(refused([](ert_question& q, ert_answer&) { q.bytes = SIZE_MAX / 2; }), ERT_ERR_LIMIT);
    EXPECT_EQ(refused([](ert_question& q, ert_answer&) { q.bytes = 1000; }), ERT_ERR_NOMEM);
    EXPECT_EQ(refused([](ert_question&, ert_answer& r) { r.capacity = 0; }), ERT_ERR_NOMEM);
    if (task == TaskKind::kQa) {
      EXPECT_EQ(refused([](ert_question& q, ert_answer&) { q.pair = nullptr; }), ERT_ERR_ARG);
    }
    uint8_t* work = a.memory.data();
    const size_t bytes = Asking::bytes_of(a.o);
    EXPECT_EQ(ert_text_run(&a.o.context, &a.o.text, &a.question, nullptr, bytes, &a.answer), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run(&a.o.context, &a.o.text, &a.question, work + 4, bytes, &a.answer), ERT_ERR_ALIGN);
    EXPECT_EQ(ert_text_run(&a.o.context, nullptr, &a.question, work, bytes, &a.answer), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run(&a.o.context, &a.o.text, nullptr, work, bytes, &a.answer), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run(&a.o.context, &a.o.text, &a.question, work, bytes, nullptr), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run(nullptr, &a.o.text, &a.question, work, bytes, &a.answer), ERT_ERR_ARG);
    ert_context none{};
    EXPECT_EQ(ert_text_run(&none, &a.o.text, &a.question, work, bytes, &a.answer), ERT_ERR_STATE);
    size_t need = 0;
    EXPECT_EQ(ert_text_run_bytes(&a.o.text, &none, 16, 80, &need), ERT_ERR_STATE);
    EXPECT_EQ(ert_text_run_bytes(&a.o.text, nullptr, 16, 80, &need), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run_bytes(&a.o.text, &a.o.context, 16, 80, nullptr), ERT_ERR_ARG);
    EXPECT_EQ(ert_text_run_bytes(&a.o.text, &a.o.context, SIZE_MAX, 80, &need), ERT_ERR_LIMIT);
    EXPECT_EQ(a.run(), ERT_OK) << "nothing of that disturbed the context";
    EXPECT_TRUE(a.memory.intact());
  }
}

TEST(TextArguments, OfZeroShot) {
  Asking a(TaskKind::kZeroShot);
  ASSERT_EQ(a.run(), ERT_OK);
  EXPECT_EQ(a.with([](ert_question& q, ert_answer&) { q.labels = nullptr; }), ERT_ERR_ARG);
  EXPECT_EQ(a.with([](ert_question& q, ert_answer&) { q.label_count = 0; }), ERT_ERR_ARG);
  EXPECT_EQ(a.with([](ert_question& q, ert_answer&) { q.pair = "a", q.pair_bytes = 1; }), ERT_ERR_ARG);
  const ert_text_name empty[] = {{"x", 1}, {nullptr, 0}}, nowhere[] = {{"x", 1}, {nullptr, 1}};
  EXPECT_EQ(a.with([&](ert_question& q, ert_answer&) { q.labels = empty; }), ERT_OK);
  EXPECT_EQ(a.with([&](ert_question& q, ert_answer&) { q.labels = nowhere; }), ERT_ERR_ARG);
}

// The tokenizer of one model and the context of another.
TEST(TextArguments, ATaskOfAnotherModelIsRefused) {
  Opened o = started(TaskKind::kEmbed);
  Opened tokens = started(TaskKind::kTokens);
  size_t need = 0;
  EXPECT_EQ(ert_text_run_bytes(&o.text, &tokens.context, 16, 0, &need), ERT_ERR_MODEL);
  Asking a(TaskKind::kEmbed);
  EXPECT_EQ(ert_text_run(&tokens.context, &a.o.text, &a.question, a.memory.data(), Asking::bytes_of(a.o), &a.answer),
            ERT_ERR_MODEL);
  TextModelShape shape = shape_for(TaskKind::kEmbed, [](TextTables& t) { t.sections.erase(K::kTask); });
  Opened none(text_model(shape));
  ASSERT_EQ(none.start(), ERT_OK);
  EXPECT_EQ(ert_text_run_bytes(&none.text, &none.context, 16, 0, &need), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(ert_text_run(&none.context, &none.text, &a.question, a.memory.data(), Asking::bytes_of(a.o), &a.answer),
            ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(none.info.task, 0u);
}

}  // namespace
}  // namespace ert::testing
