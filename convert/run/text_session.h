// A blob with a tokenizer and a task, from text to answers through the public C API (rt/include/ert_text.h): for `edgeconv run --text`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/run/blob_session.h"
#include "rt/include/ert_text.h"

namespace edgeconv {

struct Question {
  std::string_view text;
  std::optional<std::string_view> pair;
  std::vector<std::string> labels;  // zero-shot
  uint32_t top = 0;                 // qa: how many answers; 0: one
};

struct Scored {
  std::string label;
  float score = 0;
  size_t start = 0, end = 0;  // bytes of the text, with qa of the pair
};

struct Answered {
  std::vector<float> vector;
  std::vector<Scored> scored;
  bool truncated = false;
  uint32_t tokens = 0;
};

// This one text has no answer; others may.
class Unanswerable : public FatalError {
 public:
  using FatalError::FatalError;
};

class TextSession {
 public:
  // The runner stays where it is. Throws FatalError(kUsage) for a blob without a tokenizer or a task, naming the option that gives it one.
  TextSession(BlobRunner& runner, const RunnerOptions& o);
  TextSession(const TextSession&) = delete;
  TextSession& operator=(const TextSession&) = delete;

  ert_text_task task() const { return static_cast<ert_text_task>(info_.task); }
  const std::vector<std::string>& labels() const { return labels_; }
  // Throws FatalError; Unanswerable where the question leaves no room for its context.
  Answered answer(const Question& q);

 private:
  void grow_work(const Question& q, size_t pair_bytes);
  size_t longest_pair(const Question& q) const;

  ert_text text_;
  ert_text_task_info info_{};
  std::vector<std::string> labels_;
  AlignedMemory arena_, work_;
  size_t work_bytes_ = 0;
  ert_context context_;
  std::vector<float> vector_;
  std::vector<ert_scored> scored_;
};

}  // namespace edgeconv
