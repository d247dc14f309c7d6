// The text that is being encoded: bytes, where each comes from, where pieces begin. All of it lies in the caller's working memory.
#pragma once

#include "rt/text/tables.h"
#include "rt/text/utf8.h"
#include "rt/text/placed.h"

namespace ert::text {

// A token, and in its place before: a node of a model's search. `start` and `end` are bytes of the original text.
struct Token {
  int32_t id;
  uint32_t start, end;  // start: with kTrimmed and kOneBlank (trim_by); end: with kWordStart set in the first token of a word
};
constexpr uint32_t kWordStart = 1u << 31, kTrimmed = 1u << 31, kOneBlank = 1u << 30;  // texts have fewer than 2^30 bytes

struct Buffer {
  uint8_t* text;
  ert_span* spans;  // of each byte: the original characters that it stands for
  size_t size;

  const uint8_t* end() const { return text + size; }
};

// What begins at a byte of the buffer; it reaches to the next byte with another mark than kInside, kAddedCore, which is where an added token begins
// that took white space before it, and kLaterCore, where the next one begins whose white space this one took.
enum Mark : uint8_t { kInside, kPiece, kRemoved, kAddedToken, kAddedCore, kLaterCore };
inline bool inside(uint8_t mark) { return mark == kInside || mark >= kAddedCore; }

// One text on its way to tokens. Arrays hold `capacity` elements each: text, spans, marks, tokens, spare (2 bytes an element).
//
// `next` is a second buffer for steps that rewrite the text. It lies in the part of `tokens` that no token needs yet: a token takes
// at least one byte of normalized text, so that each byte that has not become tokens owns 12 bytes of it. For the same reason models keep
// their search there, one element for each byte of their piece.
struct Encoder {
  const Tables* tables;
  const uint8_t* original;
  size_t original_bytes;
  Buffer main, next;
  uint8_t* marks;
  uint8_t* spare;
  Token* tokens;
  size_t token_count;
  size_t capacity;       // of all arrays, in elements
  uint32_t pattern_end;  // end of the text that steps work on, in the original

  // Elements that may still be used: of the buffers, and of tokens.
  size_t room() const { return capacity - token_count; }
  Token* tail() const { return tokens + token_count; }
  void place_next() {
    next.spans = placed<ert_span>(tail());
    next.text = placed<uint8_t>(tail()) + sizeof(ert_span) * room();
    next.size = 0;
  }
  // The token of bytes [a, b) of main. b > a.
  void emit(int32_t id, size_t a, size_t b) { tokens[token_count++] = {id, main.spans[a].start, main.spans[b - 1].end}; }
};

// Takes what a step wrote to next as main. The arrays of main stay where they are, so it is copied.
inline void take_next(Encoder& e) {
  memcpy(e.main.text, e.next.text, e.next.size);
  memcpy(e.main.spans, e.next.spans, sizeof(ert_span) * e.next.size);
  e.main.size = e.next.size;
}

// Appends bytes that all have one span. False: they do not fit.
inline bool append(Buffer& b, size_t room, const uint8_t* bytes, uint32_t count, ert_span span) {
  if (count > room - b.size) return false;
  for (uint32_t i = 0; i < count; ++i) {
    b.text[b.size] = bytes[i];
    b.spans[b.size++] = span;
  }
  return true;
}

inline bool append(Buffer& b, size_t room, uint32_t code, ert_span span) {
  uint8_t bytes[4];
  return append(b, room, bytes, put_character(code, bytes), span);
}

// Rewrites main into next as NormalizedString::transform of the reference does: every character that comes out says what became of those that
// went in, by `change`. 0: it stands for the next of them; 1: it is new, and has the span of the one before; -n: it stands for the next, and n
// more are gone. The last one waits, because a character that became nothing counts with the one before it.
class Transform {
 public:
  Transform(Encoder& e, uint32_t removed) : e_(e), at_(0) { skip(removed); }
  bool put(uint32_t code, int32_t change) {
    if (!flush()) return false;
    code_ = code, change_ = change, waiting_ = true;
    return true;
  }
  void change_last(int32_t by) { change_ += waiting_ ? by : 0; }
  bool flush();

 private:
  void skip(uint32_t characters) {
    for (; characters != 0 && at_ < e_.main.size; --characters) at_ += character_at(e_.main.text + at_, e_.main.end()).bytes;
  }
  Encoder& e_;
  size_t at_;  // next byte of main that a character stands for
  uint32_t code_ = 0;
  int32_t change_ = 0;
  bool waiting_ = false;
};

inline bool Transform::flush() {
  if (!waiting_) return true;
  waiting_ = false;
  ert_span span{0, 0};
  if (change_ > 0) {
    if (at_ != 0) span = e_.main.spans[at_ - 1];
  } else {
    if (at_ < e_.main.size) span = e_.main.spans[at_];
    skip(static_cast<uint32_t>(1 - change_));
  }
  return append(e_.next, e_.room(), code_, span);
}

// The end of the region that begins at i.
inline size_t region_end(const Encoder& e, size_t i) {
  const uint8_t* marks = e.marks;
  const size_t n = e.main.size;
  do ++i;
  while (i < n && inside(marks[i]));
  return i;
}

}  // namespace ert::text
