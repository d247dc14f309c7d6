// The spans of a context that answer a question: the most likely pairs of a first and a last token, over windows of a long context.
#include "rt/text/answers.h"
#include "rt/text/utf8.h"

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

// First and last token of a span, as far as they are known to be good.
struct Candidate {
  float score;
  uint32_t first, last;
};
static_assert(sizeof(Candidate) == 12);

// The best of a window; of equal ones those that come first.
class Candidates {
 public:
  Candidates(Candidate* rows, uint32_t most) : rows_(rows), most_(most) {}
  void add(const Candidate& c) {
    uint32_t at = count_;
    while (at > 0 && rows_[at - 1].score < c.score) --at;
    if (at >= most_) return;
    if (count_ < most_) ++count_;
    for (uint32_t i = count_ - 1; i > at; --i) rows_[i] = rows_[i - 1];
    rows_[at] = c;
  }
  uint32_t count() const { return count_; }
  const Candidate& operator[](uint32_t i) const { return rows_[i]; }

 private:
  Candidate* rows_;
  uint32_t most_, count_ = 0;
};

// A character in small letters.
struct Small {
  Small(const Tables& t, const uint8_t* p, const uint8_t* end) : at(foreign_character(p, end)) {
    const Bytes8 to = mapping(t, t.lowercase.word(at.code));
    bytes = to.size != 0 && to.size <= sizeof text ? to.size : put_character(at.code, text);
    if (to.size != 0 && to.size <= sizeof text) memcpy(text, to.data, to.size);
    if (at.code >= 'A' && at.code <= 'Z') text[0] = static_cast<uint8_t>(at.code + 32);
  }
  bool operator==(const Small& o) const { return bytes == o.bytes && memcmp(text, o.text, bytes) == 0; }
  Character at;
  uint8_t text[8];
  uint32_t bytes;
};

// Answers of all windows. Those of the same words are one, and their scores add up; where there are too many the least goes.
class Answers {
 public:
  Answers(const Tables& t, ert_scored* rows, size_t most, const uint8_t* context)
      : t_(t), rows_(rows), most_(most), context_(context) {}
  void add(float score, ert_span span) {
    for (uint32_t i = 0; i < count_; ++i) {
      if (!same_words(rows_[i].span, span)) continue;
      rows_[i].score += score;
      return;
    }
    uint32_t at = count_;
    if (count_ < most_)
      ++count_;
    else
      for (uint32_t i = at = 0; i < count_; ++i) at = rows_[i].score < rows_[at].score ? i : at;
    rows_[at] = {0, score, span};
  }
  uint32_t count() const { return count_; }

 private:
  bool same_words(ert_span a, ert_span b) const {
    const uint8_t *p = context_ + a.start, *q = context_ + b.start, *p_end = context_ + a.end, *q_end = context_ + b.end;
    while (p < p_end && q < q_end) {
      const Small one(t_, p, p_end), other(t_, q, q_end);
      if (!(one == other)) return false;
      p += one.at.bytes, q += other.at.bytes;
    }
    return p == p_end && q == q_end;
  }
  const Tables& t_;
  ert_scored* rows_;
  size_t most_;
  const uint8_t* context_;
  uint32_t count_ = 0;
};

void best_spans(const Asked& a, Runner& r, Candidates candidates, Answers& answers) {
  const ert_encoding& e = r.encoding();
  float *first = r.results(0), *last = r.results(1);
  probabilities(a, e, first);
  probabilities(a, e, last);
  for (uint32_t i = 0; i < e.tokens; ++i) {
    if (!in_context(e, i)) continue;
    for (uint32_t j = i; j < e.tokens && j - i < kLongestAnswer; ++j)
      if (in_context(e, j)) candidates.add({first[i] * last[j], i, j});
  }
  for (uint32_t i = 0; i < candidates.count(); ++i) {
    const ert_span span = words_of(e, candidates[i].first, candidates[i].last);
    if (span.start <= span.end) answers.add(candidates[i].score, span);  // a template may have the context twice
  }
}

}  // namespace

ert_status answer_qa(const Asked& a, Runner& r, ert_answer* out) {
  const ert_question& q = *a.question;
  const uint32_t wanted = q.top == 0 ? 1 : q.top;
  if (q.pair == nullptr) return ERT_ERR_ARG;
  if (wanted > kMostAnswers) return ERT_ERR_LIMIT;
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
  Candidate* candidates = static_cast<Candidate*>(r.spare());
  ert_scored* different = static_cast<ert_scored*>(static_cast<void*>(candidates + kMostCandidates));
  Answers answers(*a.tables, different, most_different(q.pair_bytes).value(), static_cast<const uint8_t*>(q.pair));
  for (uint32_t i = 0; i < windows; ++i) {
    if (s = r.window(i); s != ERT_OK) return s;
    if (s = run_counted(r, out); s != ERT_OK) return s;
    // Some are the same once they are whole words.
    best_spans(a, r, Candidates(candidates, 2 * wanted + 10), answers);
  }
  sort_scored(different, answers.count());
  out->count = answers.count() < wanted ? answers.count() : wanted;
  memcpy(out->scored, different, out->count * sizeof *different);
  return ERT_OK;
}

}  // namespace ert::text
