// Answers of tasks for the target text: a model by hand with the tables, asked twice with memory that held other bytes before.
#include <algorithm>
#include <cstring>

#include "tests/fuzz/exact_bytes.h"
#include "tests/fuzz/text_lines.h"
#include "tests/support/text_model.h"

namespace ert::fuzz {
namespace {

// The answer of a task, of a model that takes these tables; `fill` is what its memory held.
struct Answer {
  ert_status status;
  ert_answer facts{};
  std::vector<float> vector = std::vector<float>(128);
  std::vector<ert_scored> scored = std::vector<ert_scored>(128);
};

Answer ask(const ert_model& m, const ert_text& t, const Line& l, uint32_t top, uint8_t fill) {
  Answer a{};
  ert_memory_need need{};
  need.struct_size = sizeof need;
  if ((a.status = ert_arena_bytes(&m, nullptr, nullptr, &need)) != ERT_OK) return a;
  ExactBytes arena(need.bytes);
  std::memset(arena.data(), fill, need.bytes);
  const ert_region region{arena.data(), need.bytes};
  ert_context c{};
  if ((a.status = ert_context_init(&c, &m, nullptr, nullptr, &region, 1)) != ERT_OK) return a;
  const ert_text_name labels[] = {{"x", 1}, {"a longer label", 14}, {"", 0}};
  ert_question q{};
  q.struct_size = sizeof q;
  q.text = l.text.data(), q.bytes = l.text.size(), q.top = top;
  if (l.has_pair) q.pair = l.pair.data(), q.pair_bytes = l.pair.size();
  if (!l.has_pair) q.labels = labels, q.label_count = 3, q.multi_label = top % 2;
  size_t work_bytes = 0;
  if ((a.status = ert_text_run_bytes(&t, &c, q.bytes, std::max<size_t>(q.pair_bytes, 80), &work_bytes)) != ERT_OK ||
      work_bytes > kMostWork)
    return a;
  ExactBytes work(work_bytes);
  std::memset(work.data(), fill, work_bytes);
  a.facts.struct_size = sizeof a.facts, a.facts.capacity = 128, a.facts.vector = a.vector.data(),
  a.facts.scored = a.scored.data();
  a.status = ert_text_run(&c, &t, &q, work.data(), work_bytes, &a.facts);
  return a;
}

}  // namespace

void answer(const Bytes& tables, text::TaskKind task, RandomNumbers* r) {
  testing::TextModelShape shape;
  shape.task = task;
  shape.inputs = static_cast<uint32_t>(r->integer(1, 3));
  shape.tokenizer = tables;
  const testing::AlignedBytes blob = testing::text_model(shape).build();
  ert_model m;
  ert_text t;
  if (ert_model_open(&m, blob.data(), blob.size()) != ERT_OK) finding("a model by hand is refused");
  if (ert_text_open(&t, &m) != ERT_OK) finding("tables that stand alone open, and in a model they do not");
  ert_text_task_info info{};
  info.struct_size = sizeof info;
  if (ert_text_task_of(&t, &m, &info) != ERT_OK || info.task == ERT_TEXT_NO_TASK) return;
  ert_text_info facts{};
  facts.struct_size = sizeof facts;
  if (ert_text_describe(&t, &facts) != ERT_OK) finding("an open tokenizer says nothing of itself");
  const Line l = some_line(t, facts, r);
  const auto top = static_cast<uint32_t>(r->integer(0, 9));
  const Answer a = ask(m, t, l, top, 0x00), b = ask(m, t, l, top, 0xFF);
  expect(a.status == b.status, "an answer that depends on what memory held: first * 100 + second", a.status * 100 + b.status);
  if (a.status != ERT_OK) return;
  expect(
      a.facts.count == b.facts.count && a.facts.count <= 128 && a.facts.tokens == b.facts.tokens && a.facts.runs == b.facts.runs,
      "different answers");
  const size_t vector = info.task == ERT_TEXT_EMBED ? a.facts.count : 0, scored = info.task == ERT_TEXT_EMBED ? 0 : a.facts.count;
  expect(vector == 0 || std::memcmp(a.vector.data(), b.vector.data(), vector * sizeof(float)) == 0, "different vectors");
  expect(scored == 0 || std::memcmp(a.scored.data(), b.scored.data(), scored * sizeof(ert_scored)) == 0, "different scores");
  const size_t most = info.task == ERT_TEXT_QA ? l.pair.size() : l.text.size();
  for (size_t i = 0; i < scored; ++i)
    expect(a.scored[i].span.start <= a.scored[i].span.end && a.scored[i].span.end <= most, "an answer outside of its text");
}

}  // namespace ert::fuzz
