// The pre-tokenizers: each splits the pieces of Encoder::main further, by setting marks, as the component of the same name of the reference does.
// Some rewrite the text too. False: as in normalize.h.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

struct Range {
  size_t begin, end;
};

// All steps of the tokenizer, in order. Marks hold one piece, or pieces between added tokens.
bool pretokenize(Encoder& e);

bool pretokenize_bert(Encoder& e);
bool pretokenize_whitespace(Encoder& e);
bool pretokenize_characters(Encoder& e, uint8_t classes, Behavior behavior);
bool pretokenize_metaspace(Encoder& e, const Step& s);
bool pretokenize_byte_level(Encoder& e, const Step& s);
bool pretokenize_split(Encoder& e, const Step& s);

// The next piece at or behind *at, which becomes its end.
inline bool next_piece(const Encoder& e, size_t* at, Range* r) {
  while (*at < e.main.size) {
    r->begin = *at, r->end = region_end(e, *at);
    *at = r->end;
    if (e.marks[r->begin] == kPiece) return true;
  }
  return false;
}

// Takes matches and what is between them, in order and without gaps, and marks them as a behavior says.
class Splitter {
 public:
  Splitter(Encoder& e, Behavior behavior, bool invert) : marks_(e.marks), behavior_(behavior), invert_(invert) {}
  void begin_piece() { first_ = true, last_ = false; }
  void add(size_t begin, bool match) {
    match ^= invert_;
    uint8_t mark = kPiece;
    switch (behavior_) {
      case Behavior::kRemoved: mark = match ? kRemoved : kPiece; break;
      case Behavior::kMergedWithPrevious: mark = match && !last_ && !first_ ? kInside : kPiece; break;
      case Behavior::kMergedWithNext: mark = !match && last_ && !first_ ? kInside : kPiece; break;
      case Behavior::kContiguous: mark = match == last_ && !first_ ? kInside : kPiece; break;
      default: break;
    }
    marks_[begin] = mark;
    last_ = match, first_ = false;
  }

 private:
  uint8_t* marks_;
  Behavior behavior_;
  bool invert_, first_ = true, last_ = false;
};

}  // namespace ert::text
