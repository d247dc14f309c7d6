// A model with a tokenizer and a task, opened from a blob by hand, and asked within exactly the memory that it wants.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "rt/include/ert_text.h"
#include "tests/support/context_fixture.h"
#include "tests/support/text_model.h"
#include "tests/support/text_tables.h"

namespace ert::testing {

inline const text::TaskKind kTasks[] = {text::TaskKind::kEmbed, text::TaskKind::kClassify, text::TaskKind::kTokens,
                                        text::TaskKind::kQa, text::TaskKind::kZeroShot};

// Exactly so many bytes from the heap, 8-aligned: AddressSanitizer sees what is read behind them, the pattern what is written.
class ExactMemory {
 public:
  explicit ExactMemory(size_t bytes) : bytes_(bytes), data_(new uint8_t[bytes + kBehind]) {
    std::memset(data_.get(), 0xA5, bytes + kBehind);
  }
  uint8_t* data() { return data_.get(); }
  bool intact() const {
    for (size_t i = 0; i < kBehind; ++i) {
      if (data_[bytes_ + i] != 0xA5) return false;
    }
    return true;
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kBehind = 0;
#else
  static constexpr size_t kBehind = 64;
#endif
  size_t bytes_;
  std::unique_ptr<uint8_t[]> data_;
};

// A model and its tokenizer, opened.
struct Opened {
  explicit Opened(const BlobSpec& spec) : blob(spec.build()) {
    status = ert_model_open(&model, blob.data(), blob.size());
    if (status == ERT_OK) status = ert_text_open(&text, &model);
  }
  ert_status task() {
    info.struct_size = sizeof info;
    return ert_text_task_of(&text, &model, &info);
  }
  ert_status start() {
    arena = std::make_unique<GuardedRegion>(arena_need(model));
    const ert_region region = arena->region();
    return ert_context_init(&context, &model, nullptr, nullptr, &region, 1);
  }
  // Within exactly the memory that it asks for.
  ert_status ask(const std::string& text_of_question, const std::string* pair) {
    const ert_text_name labels[] = {{"x", 1}, {"a longer label", 14}, {"", 0}};
    ert_question q{};
    q.struct_size = sizeof q;
    q.text = text_of_question.data(), q.bytes = text_of_question.size();
    if (pair != nullptr) q.pair = pair->data(), q.pair_bytes = pair->size();
    if (pair == nullptr) q.labels = labels, q.label_count = 3;
    q.top = 8;
    size_t need = 0;
    const ert_status possible = ert_text_run_bytes(&text, &context, q.bytes, std::max<size_t>(q.pair_bytes, 80), &need);
    if (possible != ERT_OK || need > (1u << 22)) return possible == ERT_OK ? ERT_ERR_LIMIT : possible;
    ExactMemory work(need);
    std::vector<float> vector(512);
    scored.assign(512, {});
    answer = {};
    answer.struct_size = sizeof answer;
    answer.capacity = 512, answer.vector = vector.data(), answer.scored = scored.data();
    const ert_status run = ert_text_run(&context, &text, &q, work.data(), need, &answer);
    EXPECT_TRUE(work.intact());
    EXPECT_TRUE(arena->intact());
    if (run != ERT_OK || (info.task != ERT_TEXT_QA && info.task != ERT_TEXT_TOKENS)) return run;
    const size_t most = info.task == ERT_TEXT_QA ? q.pair_bytes : q.bytes;
    for (uint32_t i = 0; i < answer.count; ++i) {
      EXPECT_LE(scored[i].span.start, scored[i].span.end);
      EXPECT_LE(scored[i].span.end, most);
    }
    return run;
  }

  AlignedBytes blob;
  ert_status status;
  ert_model model{};
  ert_text text{};
  ert_context context{};
  ert_text_task_info info{};
  ert_answer answer{};
  std::vector<ert_scored> scored;
  std::unique_ptr<GuardedRegion> arena;
};

inline TextModelShape shape_for(text::TaskKind task, const std::function<void(TextTables&)>& change = nullptr) {
  TextTables t = small_tables(ERT_TEXT_WORDPIECE, task);
  if (change) change(t);
  TextModelShape shape;
  shape.task = task;
  shape.tokenizer = t.build();
  return shape;
}

}  // namespace ert::testing
