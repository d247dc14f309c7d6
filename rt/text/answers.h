// Answers of tasks, one file each: from the model's results to what ert_answer holds. As the pipelines of transformers 4 have it.
#pragma once

#include "rt/text/runner.h"

namespace ert::text {

struct Asked {
  const kernels::KernelTable* kernels;
  const Tables* tables;
  TaskTables task;
  ModelShape shape;
  const ert_question* question;
};

ert_status answer_embed(const Asked& a, Runner& r, ert_answer* out);
ert_status answer_classify(const Asked& a, Runner& r, ert_answer* out);
ert_status answer_tokens(const Asked& a, Runner& r, ert_answer* out);
ert_status answer_qa(const Asked& a, Runner& r, ert_answer* out);
ert_status answer_zero_shot(const Asked& a, Runner& r, ert_answer* out);

// Scores of n logits, in place: a softmax over all, or a sigmoid each.
void score(const kernels::KernelTable& k, bool independent, uint32_t n, float* logits);

// Best first; equal ones stay in their order, which is that of their labels where they are more than kMostDifferent.
void sort_scored(ert_scored* scored, uint32_t n);

// The hypothesis with this label in place of {}: bytes it takes, written where `to` is not null.
size_t hypothesis_of(const Asked& a, const ert_text_name& label, char* to);

// False: out->capacity is too small for n; out->count says n.
bool has_room(ert_answer* out, uint32_t n);

// Runs the model on what was encoded last, and counts the run.
ert_status run_counted(Runner& r, ert_answer* out);
// Encodes a text, or a text and its pair, and does that.
ert_status run_on(Runner& r, const void* text, size_t bytes, const void* pair, size_t pair_bytes, ert_answer* out);

}  // namespace ert::text
