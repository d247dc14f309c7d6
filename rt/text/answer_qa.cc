// The spans of a context that answer a question: the most likely pairs of a first and a last token, over windows of a long context.
#include "rt/text/answers.h"

namespace ert::text {

namespace {

constexpr uint32_t kMostTokens = 384, kMostShared = 128;  // of a window, and of two neighbours
constexpr uint32_t kLongestAnswer = 15;                   // tokens
constexpr float kNever = -10000;

// Tokens that an answer may begin and end with. The first special token takes part in the softmax: it stands for "no answer".
bool in_context(const ert_encoding& e, uint32_t token) { return e.sequence[token] == 1; }

void probabilities(const Asked& a, const ert_encoding& e, float* logits) {
  for (uint32_t i = 0; i < e.tokens; ++i)
    if (!in_context(e, i) && !(i == 0 && e.special[0] != 0 && e.attention[0] != 0)) logits[i] = kNever;
  score(*a.kernels, false, e.tokens, logits);
  if (!in_context(e, 0)) logits[0] = 0;
}

// Whole words: from the first byte of the word of the first token to the last byte of the word of the last one.
ert_span words_of(const ert_encoding& e, uint32_t first, uint32_t last) {
  while (first > 0 && e.word_starts[first] == 0 && in_context(e, first - 1)) --first;
  while (last + 1 < e.tokens && in_context(e, last + 1) && e.word_starts[last + 1] == 0) ++last;
  return {e.offsets[first].start, e.offsets[last].end};
}

// Keeps the best; of equal ones those that came first.
void keep(ert_answer* out, uint32_t wanted, float score, ert_span span) {
  uint32_t at = out->count;
  while (at > 0 && out->scored[at - 1].score < score) --at;
  if (at >= wanted) return;
  if (out->count < wanted) ++out->count;
  for (uint32_t i = out->count - 1; i > at; --i) out->scored[i] = out->scored[i - 1];
  out->scored[at] = {0, score, span};
}

void best_spans(const Asked& a, Runner& r, uint32_t wanted, ert_answer* out) {
  const ert_encoding& e = r.encoding();
  float *first = r.results(0), *last = r.results(1);
  probabilities(a, e, first);
  probabilities(a, e, last);
  for (uint32_t i = 0; i < e.tokens; ++i) {
    if (!in_context(e, i)) continue;
    for (uint32_t j = i; j < e.tokens && j - i < kLongestAnswer; ++j)
      if (in_context(e, j)) keep(out, wanted, first[i] * last[j], words_of(e, i, j));
  }
}

}  // namespace

ert_status answer_qa(const Asked& a, Runner& r, ert_answer* out) {
  const ert_question& q = *a.question;
  const uint32_t wanted = q.top == 0 ? 1 : q.top;
  if (q.pair == nullptr) return ERT_ERR_ARG;
  if (wanted > out->capacity) {
    out->count = wanted;
    return ERT_ERR_NOMEM;
  }
  if (out->scored == nullptr) return ERT_ERR_ARG;
  const uint32_t most = a.shape.most < kMostTokens ? a.shape.most : kMostTokens;
  r.cut(ERT_TRUNCATE_SECOND, most, most / 2 < kMostShared ? most / 2 : kMostShared);
  ert_status s = r.encode(q.text, q.bytes, q.pair, q.pair_bytes);
  // A question that leaves less room than two windows share.
  if (s == ERT_ERR_DIMS) {
    r.cut(ERT_TRUNCATE_SECOND, most, 0);
    s = r.encode(q.text, q.bytes, q.pair, q.pair_bytes);
  }
  if (s != ERT_OK) return s;
  const uint32_t windows = r.encoding().windows;
  for (uint32_t i = 0; i < windows; ++i) {
    if (s = r.window(i); s != ERT_OK) return s;
    if (s = r.run(); s != ERT_OK) return s;
    count_run(r, out);
    best_spans(a, r, wanted, out);
  }
  return ERT_OK;
}

}  // namespace ert::text
