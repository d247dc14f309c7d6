// Spans of the text with a label: neighbouring tokens of one kind are one span (aggregation_strategy "simple").
#include "rt/text/answers.h"

namespace ert::text {

namespace {

// "B-PER" begins a PER, "I-PER" goes on with one, "PER" too; "O" is none.
struct Tag {
  const uint8_t* name;
  uint32_t bytes;
  bool begins;
};

Tag tag_of(const Asked& a, uint32_t label) {
  const Text& text = a.task.labels.data[label];
  const uint8_t* name = string_of(*a.tables, text);
  if (text.bytes >= 2 && name[1] == '-' && (name[0] == 'B' || name[0] == 'I')) return {name + 2, text.bytes - 2, name[0] == 'B'};
  return {name, text.bytes, false};
}

bool same(const Tag& a, const Tag& b) { return a.bytes == b.bytes && memcmp(a.name, b.name, a.bytes) == 0; }

bool outside(const Asked& a, uint32_t label) {
  const Text& text = a.task.labels.data[label];
  return text.bytes == 1 && string_of(*a.tables, text)[0] == 'O';
}

// Collects spans; those behind the capacity are counted only.
class Spans {
 public:
  Spans(const Asked& a, ert_answer* out) : a_(a), out_(out) {}
  void add(uint32_t label, float score, ert_span span) {
    const Tag tag = tag_of(a_, label);
    // A hostile template may have the text twice: what comes earlier in it begins a span of its own.
    if (tokens_ > 0 && !tag.begins && span.start >= current_.span.start && same(tag, tag_of(a_, current_.label))) {
      current_.span.end = span.end;
      sum_ += score;
      ++tokens_;
      return;
    }
    close();
    current_ = {label, 0, span};
    sum_ = score;
    tokens_ = 1;
  }
  void close() {
    if (tokens_ > 0 && !outside(a_, current_.label)) {
      current_.score = sum_ / static_cast<float>(tokens_);
      if (out_->count < out_->capacity) out_->scored[out_->count] = current_;
      ++out_->count;
    }
    tokens_ = 0;
  }

 private:
  const Asked& a_;
  ert_answer* out_;
  ert_scored current_{};
  float sum_ = 0;
  uint32_t tokens_ = 0;
};

}  // namespace

ert_status answer_tokens(const Asked& a, Runner& r, ert_answer* out) {
  if (out->scored == nullptr && out->capacity > 0) return ERT_ERR_ARG;
  const ert_question& q = *a.question;
  if (const ert_status s = run_on(r, q.text, q.bytes, nullptr, 0, out); s != ERT_OK) return s;
  Spans spans(a, out);
  for (uint32_t i = 0; i < r.encoding().tokens; ++i) {
    if (r.special(i)) continue;
    float* logits = r.results(0) + size_t{i} * a.shape.width;
    score(*a.kernels, false, a.shape.width, logits);
    uint32_t best = 0;
    for (uint32_t label = 1; label < a.shape.width; ++label)
      if (logits[label] > logits[best]) best = label;
    spans.add(best, logits[best], r.encoding().offsets[i]);
  }
  spans.close();
  return out->count <= out->capacity ? ERT_OK : ERT_ERR_NOMEM;
}

}  // namespace ert::text
