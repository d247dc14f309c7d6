// See text_session.h.
#include "convert/run/text_session.h"

#include <algorithm>

#include "convert/ir/diagnostics.h"
#include "convert/run/status.h"

namespace edgeconv {

namespace {

constexpr size_t kMostEntities = 4096;  // to begin with

// The batch is one text; everything else may be as long as the blob allows.
std::vector<int32_t> dims_of_one_text(const BlobRunner& runner) {
  std::vector<int32_t> dims;
  for (const NamedDim& d : runner.dims()) dims.push_back(d.max);
  for (const BoundaryInfo& input : runner.inputs())
    if (!input.dim.empty() && input.dim[0] >= 0) {
      const auto batch = static_cast<size_t>(input.dim[0]);
      dims[batch] = runner.dims()[batch].min;
    }
  return dims;
}

// "PER" of "B-PER", and what stands behind the first '-' of any label, as the pipeline of transformers shows spans.
std::string name_of_span(const std::string& label) {
  const size_t dash = label.find('-');
  return dash == std::string::npos ? label : label.substr(dash + 1);
}

}  // namespace

TextSession::TextSession(BlobRunner& runner, const RunnerOptions& o) {
  const ert_status opened = ert_text_open(&text_, &runner.model());
  if (opened == ERT_ERR_UNSUPPORTED)
    throw FatalError(ExitCode::kUsage, "the blob has no tokenizer, so it takes no text: convert the model with --tokenizer FILE or --tokenizer DIR");
  if (opened != ERT_OK) throw_status(opened, "the blob's tokenizer is refused");
  info_.struct_size = sizeof info_;
  if (const ert_status s = ert_text_task_of(&text_, &runner.model(), &info_); s != ERT_OK) throw_status(s, "the blob's task is refused");
  if (task() == ERT_TEXT_NO_TASK)
    throw FatalError(ExitCode::kUsage, "the blob has a tokenizer, but no task that makes answers of text: convert the model with --task "
                                       "embed, classify, tokens, qa or zero-shot");
  for (uint32_t i = 0; i < info_.labels; ++i) {
    const char* name;
    size_t bytes;
    if (ert_text_label(&text_, i, &name, &bytes) == ERT_OK) labels_.emplace_back(name, bytes);
  }
  const std::vector<int32_t> dims = dims_of_one_text(runner);
  const ert_memory_need need = runner.memory(dims, o);
  const ert_config cfg = runner.config(o);
  arena_ = allocate_aligned(need.bytes);
  const ert_region region{arena_.get(), need.bytes};
  if (const ert_status s = ert_context_init(&context_, &runner.model(), &cfg, dims.empty() ? nullptr : dims.data(), &region, 1); s != ERT_OK)
    throw_status(s, "cannot prepare a run");
  vector_.resize(info_.vector);
  scored_.resize(std::max<size_t>(info_.labels, kMostEntities));
}

size_t TextSession::longest_pair(const Question& q) const {
  if (task() != ERT_TEXT_ZERO_SHOT) return q.pair ? q.pair->size() : 0;
  size_t longest = 0;
  for (const std::string& label : q.labels) longest = std::max(longest, label.size());
  return longest;
}

void TextSession::grow_work(const Question& q, size_t pair_bytes) {
  size_t need = 0;
  if (const ert_status s = ert_text_run_bytes(&text_, &context_, q.text.size(), pair_bytes, &need); s != ERT_OK)
    throw_status(s, "the text is too long");
  if (need > work_bytes_) {
    work_ = allocate_aligned(need);
    work_bytes_ = need;
  }
}

Answered TextSession::answer(const Question& q) {
  std::vector<ert_text_name> names;
  for (const std::string& label : q.labels) names.push_back({label.data(), label.size()});
  ert_question question{};
  question.struct_size = sizeof question;
  question.top = q.top;
  question.text = q.text.data() ? q.text.data() : "";
  question.bytes = q.text.size();
  if (q.pair) question.pair = q.pair->data() ? q.pair->data() : "";
  question.pair_bytes = q.pair ? q.pair->size() : 0;
  question.labels = names.data();
  question.label_count = static_cast<uint32_t>(names.size());
  // The blob's own hypothesis is around each label.
  constexpr size_t kRoomOfHypothesis = 4096;
  grow_work(q, longest_pair(q) + (task() == ERT_TEXT_ZERO_SHOT ? kRoomOfHypothesis : 0));
  for (;;) {
    scored_.resize(std::max<size_t>({scored_.size(), q.top, names.size()}));
    ert_answer a{};
    a.struct_size = sizeof a;
    a.capacity = static_cast<uint32_t>(task() == ERT_TEXT_EMBED ? vector_.size() : scored_.size());
    a.vector = vector_.data();
    a.scored = scored_.data();
    const ert_status s = ert_text_run(&context_, &text_, &question, work_.get(), work_bytes_, &a);
    if (s == ERT_ERR_NOMEM && task() == ERT_TEXT_TOKENS && a.count > scored_.size()) {
      scored_.resize(a.count);
      continue;
    }
    if (s == ERT_ERR_DIMS && task() == ERT_TEXT_QA)
      throw Unanswerable(ExitCode::kUsage, "the question leaves no room for its context: the model takes " + std::to_string(info_.max_tokens) +
                                               " tokens of both, and only the context is cut; ask with fewer words, or convert the model with a larger --dim or "
                                               "--max-tokens");
    if (s != ERT_OK) throw_status(s, "the text cannot be answered");
    Answered out;
    out.truncated = a.truncated != 0;
    out.tokens = a.tokens;
    if (task() == ERT_TEXT_EMBED) {
      out.vector.assign(vector_.begin(), vector_.begin() + a.count);
      return out;
    }
    for (uint32_t i = 0; i < a.count; ++i) {
      const ert_scored& from = scored_[i];
      Scored to{"", from.score, from.span.start, from.span.end};
      if (task() == ERT_TEXT_CLASSIFY) to.label = labels_[from.label];
      if (task() == ERT_TEXT_TOKENS) to.label = name_of_span(labels_[from.label]);
      if (task() == ERT_TEXT_ZERO_SHOT) to.label = q.labels[from.label];
      out.scored.push_back(to);
    }
    return out;
  }
}

}  // namespace edgeconv
