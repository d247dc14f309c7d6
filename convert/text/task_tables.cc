// See task_tables.h.
#include "convert/text/task_tables.h"

#include <algorithm>

namespace edgeconv::text {

void take_task(Tokenizer& t, const TaskSettings& settings, const TextInputs& inputs, int64_t most_tokens) {
  using ert::text::TaskKind;
  const auto most = static_cast<uint32_t>(std::clamp<int64_t>(most_tokens, 1, UINT32_MAX));
  // Devices run as many tokens as there are: what a file says of padding is for batches.
  // What the tokenizer's file cuts to is for the batches that it was trained on: the model's own maximum, or the user's, is what holds here.
  t.endings.max_tokens = most;
  t.endings.pad_to = t.endings.pad_multiple = 0;
  TaskDescription& k = t.task;
  // Both lists are in the order of the blob's numbers.
  k.kind = static_cast<TaskKind>(settings.kind.value_or(edgeconv::TaskKind::kNoTask));
  k.pooling = static_cast<uint32_t>(settings.pooling.value_or(Pooling::kInside));
  k.normalize = settings.normalize.value_or(false);
  k.sigmoid = settings.independent.value_or(false);
  k.max_tokens = most;
  k.labels = settings.labels;
  k.entailment = static_cast<uint32_t>(std::max(0, entailment_label(settings.labels)));
  k.hypothesis = settings.hypothesis.value_or("");
  const int positions[] = {inputs.ids, inputs.mask, inputs.types, inputs.positions};
  for (size_t i = 0; i < 4; ++i) k.inputs[i] = static_cast<uint32_t>(positions[i] + 1);
}

int64_t highest_id(const Tokenizer& t) {
  if (t.kind == ERT_TEXT_NGRAM) return int64_t{t.ngrams.buckets} - 1;
  int64_t highest = -1;
  for (size_t id = 0; id < t.pieces.size(); ++id)
    if (!t.pieces[id].empty()) highest = static_cast<int64_t>(id);
  for (const AddedToken& a : t.added) highest = std::max<int64_t>(highest, a.id);
  for (const auto* list : {&t.endings.single, &t.endings.pair})
    for (const ert::text::TemplatePiece& p : *list)
      if (p.kind == 0) highest = std::max<int64_t>(highest, p.id);
  return highest;
}

}  // namespace edgeconv::text
