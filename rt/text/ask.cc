// The C API of tasks: checks what the caller gives, lays out the working memory, and calls the task.
#include "rt/base/abi.h"
#include "rt/base/float_mode.h"
#include "rt/loading/model.h"
#include "rt/text/answers.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

// A const look at a context between calls.
const ContextState* state_of(const ert_context* c) {
  const ContextState* s = placed<const ContextState>(c);
  return s != nullptr && s->magic == kContextMagic ? s : nullptr;
}

ert_status prepare_ask(const ert_text* text, const ContextState& s, Asked* a) {
  a->tables = tables_of(text);
  if (a->tables == nullptr) return ERT_ERR_ARG;
  if (!read_task(*a->tables, &a->task)) return ERT_ERR_UNSUPPORTED;
  if (!read_shape(program_of(s), s.max_dims, a->task, &a->shape)) return ERT_ERR_MODEL;
  a->kernels = s.kernels;
  return ERT_OK;
}

size_t longest_pair(const Asked& a) {
  const ert_question& q = *a.question;
  if (kind_of(a.task) != TaskKind::kZeroShot) return q.pair == nullptr ? 0 : q.pair_bytes;
  size_t longest = 0;
  for (uint32_t i = 0; i < q.label_count; ++i) {
    const size_t bytes = hypothesis_of(a, q.labels[i], nullptr);
    longest = bytes > longest ? bytes : longest;
  }
  return longest;
}

bool question_ok(const ert_question& q, TaskKind kind) {
  if (q.text == nullptr && q.bytes != 0) return false;
  if (kind != TaskKind::kZeroShot) return true;
  if (q.labels == nullptr || q.label_count == 0 || q.pair != nullptr) return false;
  for (uint32_t i = 0; i < q.label_count; ++i)
    if (q.labels[i].data == nullptr && q.labels[i].bytes != 0) return false;
  return true;
}

ert_status ask(const Asked& a, Runner& r, ert_answer* out) {
  static_assert(TaskKind::kCount == TaskKind{6}, "a case for each kind: the last one is the default");
  switch (kind_of(a.task)) {
    case TaskKind::kEmbed: return answer_embed(a, r, out);
    case TaskKind::kClassify: return answer_classify(a, r, out);
    case TaskKind::kTokens: return answer_tokens(a, r, out);
    case TaskKind::kQa: return answer_qa(a, r, out);
    case TaskKind::kZeroShot:
    default: return answer_zero_shot(a, r, out);  // read_task knows no other
  }
}

}  // namespace

}  // namespace ert::text

ert_status ert_text_task_of(const ert_text* t, const ert_model* m, ert_text_task_info* out) {
  using namespace ert::text;
  const Tables* tables = tables_of(t);
  const ert::ModelState* model = ert::model_state(m);
  if (tables == nullptr || model == nullptr) return ERT_ERR_ARG;
  ert_text_task_info info{};
  TaskTables task;
  if (read_task(*tables, &task)) {
    ModelShape shape;
    if (!read_shape(ert::program_view(model->blob, model->root), nullptr, task, &shape)) return ERT_ERR_MODEL;
    info.task = task.task->kind;
    info.labels = task.labels.size;
    info.vector = kind_of(task) == TaskKind::kEmbed ? shape.width : 0;
    info.max_tokens = shape.most;
    info.independent = task.task->sigmoid;
  }
  return ert::write_struct(info, out) ? ERT_OK : ERT_ERR_ARG;
}

ert_status ert_text_label(const ert_text* t, uint32_t i, const char** name, size_t* bytes) {
  using namespace ert::text;
  const Tables* tables = tables_of(t);
  TaskTables task;
  if (tables == nullptr || name == nullptr || bytes == nullptr || !read_task(*tables, &task) || i >= task.labels.size)
    return ERT_ERR_ARG;
  *name = placed<const char>(string_of(*tables, task.labels.data[i]));
  *bytes = task.labels.data[i].bytes;
  return ERT_OK;
}

ert_status ert_text_run_bytes(const ert_text* t, const ert_context* c, size_t max_bytes, size_t max_pair_bytes, size_t* need) {
  using namespace ert::text;
  const ert::ContextState* state = state_of(c);
  if (t == nullptr || c == nullptr || need == nullptr) return ERT_ERR_ARG;
  if (state == nullptr) return ERT_ERR_STATE;
  Asked a{};
  if (const ert_status s = prepare_ask(t, *state, &a); s != ERT_OK) return s;
  return Runner::bytes(t, a.shape, kind_of(a.task), max_bytes, max_pair_bytes, need) ? ERT_OK : ERT_ERR_LIMIT;
}

ert_status ert_text_run(ert_context* c, const ert_text* t, const ert_question* question, void* work, size_t work_bytes,
                        ert_answer* answer) {
  using namespace ert::text;
  const ert::ContextState* state = state_of(c);
  ert_question q{};
  ert_answer out{};
  if (c == nullptr || work == nullptr || !ert::read_struct(question, &q) || !ert::read_struct(answer, &out)) return ERT_ERR_ARG;
  if (state == nullptr) return ERT_ERR_STATE;
  if (reinterpret_cast<uintptr_t>(work) % 8 != 0) return ERT_ERR_ALIGN;
  Asked a{};
  if (const ert_status s = prepare_ask(t, *state, &a); s != ERT_OK) return s;
  a.question = &q;
  const TaskKind kind = kind_of(a.task);
  if (!question_ok(q, kind)) return ERT_ERR_ARG;
  const size_t pair_bytes = longest_pair(a);
  size_t need;
  if (!Runner::bytes(t, a.shape, kind, q.bytes, pair_bytes, &need)) return ERT_ERR_LIMIT;
  if (work_bytes < need) return ERT_ERR_NOMEM;
  out.count = out.truncated = out.tokens = out.runs = 0;
  ert_status status;
  {
    const ert::FloatMode mode;
    Runner runner(c, t, a.shape, kind, q.bytes, pair_bytes, static_cast<uint8_t*>(work));
    status = ask(a, runner, &out);
  }
  ert::write_struct(out, answer);
  return status;
}
