// One run of the model on what the tokenizer made of a text. Everything lies in the caller's working memory.
#pragma once

#include "rt/base/bytes.h"
#include "rt/text/task.h"

namespace ert::text {

// What answers to questions are collected in: see answer_qa.cc.
constexpr uint32_t kMostAnswers = 16, kMostCandidates = 2 * kMostAnswers + 10, kMostDifferent = 128;
// Answers that are kept apart: all candidates of all windows, of which the next one begins some 200 bytes behind. Only where windows are much
// closer the least may go.
inline Bytes most_different(size_t context_bytes) { return Bytes(kMostDifferent) + Bytes(context_bytes / 2); }
inline Bytes qa_bytes(size_t context_bytes) {
  return (Bytes(kMostCandidates * 12) + most_different(context_bytes) * Bytes(sizeof(ert_scored))).aligned();
}

class Runner {
 public:
  // Bytes of working memory; false: more than this machine can address. max_pair_bytes: with zero-shot those of a hypothesis.
  static bool bytes(const ert_text* text, const ModelShape& m, TaskKind kind, size_t max_bytes, size_t max_pair_bytes,
                    size_t* need);

  // `work` has at least what bytes() says of the same arguments.
  Runner(ert_context* context, const ert_text* text, const ModelShape& m, TaskKind kind, size_t max_bytes, size_t max_pair_bytes,
         uint8_t* work);

  // How, and to how many tokens, texts are cut. stride: tokens that neighbouring windows share.
  void cut(ert_truncation kind, uint32_t most, uint32_t stride);
  ert_status encode(const void* text, size_t bytes, const void* pair, size_t pair_bytes);
  ert_status window(uint32_t i);
  // Runs the model on what was encoded last.
  ert_status run();

  const ert_encoding& encoding() const { return encoding_; }
  bool special(uint32_t token) const { return encoding_.special[token] != 0; }
  const float* results(uint32_t output) const { return results_[output]; }
  float* results(uint32_t output) { return results_[output]; }
  void* spare() { return spare_; }  // zero-shot: max_pair_bytes for the hypothesis; qa: qa_bytes

 private:
  ert_status bind(uint32_t kind, int32_t* values);

  ert_context* context_;
  const ert_text* text_;
  ModelShape shape_;
  ert_text_options options_;
  ert_encoding encoding_;
  uint8_t* encode_work_;
  size_t encode_bytes_;
  int32_t* positions_;
  uint8_t* spare_;
  float* results_[2];
};

}  // namespace ert::text
