// Labels of whole texts: a vector, the model's labels, labels of the caller's.
#include "rt/text/answers.h"
#include "rt/text/placed.h"

namespace ert::text {

void score(const kernels::KernelTable& k, bool independent, uint32_t n, float* logits) {
  if (independent)
    k.unary[static_cast<int>(kernels::Unary::kSigmoid)](n, logits, logits);
  else
    k.softmax(1, n, logits, logits);
}

namespace {

// Of equal scores the first of the blob's labels comes first.
bool comes_before(const ert_scored& a, const ert_scored& b) {
  return a.score > b.score || (a.score == b.score && a.label < b.label);
}

// Moves scored[at] down until what comes last of [at, n) is above what comes before it.
void sift(ert_scored* scored, uint32_t n, uint32_t at) {
  const ert_scored s = scored[at];
  for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && comes_before(scored[child], scored[child + 1])) ++child;
    if (!comes_before(s, scored[child])) break;
    scored[at] = scored[child];
  }
  scored[at] = s;
}

}  // namespace

// Insertion where they are few, and of equal ones need no label. A heap for more: a hostile blob may have millions of labels.
void sort_scored(ert_scored* scored, uint32_t n) {
  if (n > kMostDifferent) {
    for (uint32_t i = n / 2; i-- > 0;) sift(scored, n, i);
    for (uint32_t left = n; left-- > 1;) {
      const ert_scored last = scored[0];
      scored[0] = scored[left];
      scored[left] = last;
      sift(scored, left, 0);
    }
    return;
  }
  for (uint32_t i = 1; i < n; ++i) {
    const ert_scored s = scored[i];
    uint32_t at = i;
    for (; at > 0 && scored[at - 1].score < s.score; --at) scored[at] = scored[at - 1];
    scored[at] = s;
  }
}

ert_status run_counted(Runner& r, ert_answer* out) {
  if (const ert_status s = r.run(); s != ERT_OK) return s;
  ++out->runs;
  out->tokens += r.encoding().tokens;
  return ERT_OK;
}

ert_status run_on(Runner& r, const void* text, size_t bytes, const void* pair, size_t pair_bytes, ert_answer* out) {
  if (const ert_status s = r.encode(text, bytes, pair, pair_bytes); s != ERT_OK) return s;
  out->truncated |= r.encoding().truncated;
  return run_counted(r, out);
}

bool has_room(ert_answer* out, uint32_t n) {
  out->count = n;
  return n <= out->capacity;
}

size_t hypothesis_of(const Asked& a, const ert_text_name& label, char* to) {
  const ert_question& q = *a.question;
  const char* form = q.hypothesis;
  size_t bytes = q.hypothesis_bytes;
  if (form == nullptr) {
    form = placed<const char>(string_of(*a.tables, a.task.task->hypothesis));
    bytes = a.task.task->hypothesis.bytes;
  }
  size_t written = 0;
  bool placed = false;
  for (size_t i = 0; i < bytes; ++i) {
    if (!placed && form[i] == '{' && i + 1 < bytes && form[i + 1] == '}') {
      if (to != nullptr && label.bytes != 0) memcpy(to + written, label.data, label.bytes);
      written += label.bytes;
      placed = true;
      ++i;
      continue;
    }
    if (to != nullptr) to[written] = form[i];
    ++written;
  }
  return written;
}

ert_status answer_embed(const Asked& a, Runner& r, ert_answer* out) {
  if (!has_room(out, a.shape.width)) return ERT_ERR_NOMEM;
  if (out->vector == nullptr) return ERT_ERR_ARG;
  const ert_question& q = *a.question;
  if (const ert_status s = run_on(r, q.text, q.bytes, q.pair, q.pair_bytes, out); s != ERT_OK) return s;
  memcpy(out->vector, r.results(0), a.shape.width * sizeof(float));
  return ERT_OK;
}

ert_status answer_classify(const Asked& a, Runner& r, ert_answer* out) {
  if (!has_room(out, a.shape.width)) return ERT_ERR_NOMEM;
  if (out->scored == nullptr) return ERT_ERR_ARG;
  const ert_question& q = *a.question;
  if (const ert_status s = run_on(r, q.text, q.bytes, q.pair, q.pair_bytes, out); s != ERT_OK) return s;
  float* logits = r.results(0);
  score(*a.kernels, a.task.task->sigmoid != 0, a.shape.width, logits);
  for (uint32_t i = 0; i < a.shape.width; ++i) out->scored[i] = {i, logits[i], {0, 0}};
  sort_scored(out->scored, out->count);
  return ERT_OK;
}

// Each label is a hypothesis that the text entails or not. Against the contradiction where labels do not exclude each other, else against the
// other labels' entailment.
ert_status answer_zero_shot(const Asked& a, Runner& r, ert_answer* out) {
  const ert_question& q = *a.question;
  const uint32_t n = q.label_count, entailment = a.task.task->entailment;
  if (!has_room(out, n)) return ERT_ERR_NOMEM;
  if (out->scored == nullptr) return ERT_ERR_ARG;
  const bool alone = q.multi_label != 0 || n == 1;
  const uint32_t contradiction = entailment == 0 ? a.shape.width - 1 : 0;
  r.cut(ERT_TRUNCATE_FIRST, a.shape.most, 0);
  for (uint32_t i = 0; i < n; ++i) {
    char* hypothesis = static_cast<char*>(r.spare());
    const size_t bytes = hypothesis_of(a, q.labels[i], hypothesis);
    if (const ert_status s = run_on(r, q.text, q.bytes, hypothesis, bytes, out); s != ERT_OK) return s;
    float two[2] = {r.results(0)[contradiction], r.results(0)[entailment]};
    if (alone && a.shape.width > 1) score(*a.kernels, false, 2, two);
    out->scored[i] = {i, two[1], {0, 0}};
  }
  if (!alone) {
    // The model's results are not needed any more: their place takes the logits of a few labels at a time.
    float most = out->scored[0].score, sum = 0;
    for (uint32_t i = 1; i < n; ++i) most = out->scored[i].score > most ? out->scored[i].score : most;
    for (uint32_t i = 0; i < n; ++i) {
      float* e = r.results(0);
      *e = out->scored[i].score - most;
      a.kernels->unary[static_cast<int>(kernels::Unary::kExp)](1, e, e);
      out->scored[i].score = *e;
      sum += *e;
    }
    for (uint32_t i = 0; i < n; ++i) out->scored[i].score /= sum;
  }
  sort_scored(out->scored, n);
  return ERT_OK;
}

}  // namespace ert::text
