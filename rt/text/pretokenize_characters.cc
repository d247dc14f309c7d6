// Pre-tokenizers that look at one character at a time: BertPreTokenizer, Whitespace, WhitespaceSplit, Digits, Punctuation.
#include "rt/text/pretokenize.h"

namespace ert::text {

bool pretokenize_bert(Encoder& e) {
  const CodeTable& classes = e.tables->classes;
  const Buffer& b = e.main;
  Range r;
  for (size_t at = 0; next_piece(e, &at, &r);) {
    bool inside = false;  // a word goes on
    for (size_t i = r.begin; i < r.end;) {
      const Character c = character_at(b.text + i, b.end());
      const uint32_t k = classes.byte(c.code) & (kClassSpace | kClassPunctuation);
      if (k == 0) {
        e.marks[i] = inside ? kInside : kPiece;
        inside = true;
      } else {
        e.marks[i] = (k & kClassSpace) != 0 ? kRemoved : kPiece;
        inside = false;
      }
      i += c.bytes;
    }
  }
  return true;
}

bool pretokenize_whitespace(Encoder& e) {
  const CodeTable& classes = e.tables->classes;
  const Buffer& b = e.main;
  Range r;
  for (size_t at = 0; next_piece(e, &at, &r);) {
    uint32_t last = 0;  // class of the run that goes on
    for (size_t i = r.begin; i < r.end;) {
      const Character c = character_at(b.text + i, b.end());
      const uint32_t k = classes.byte(c.code);
      // \w first: what it has is no white space to the expression.
      const uint32_t run = (k & kClassWord) != 0    ? uint32_t{kClassWord}
                           : (k & kClassSpace) != 0 ? uint32_t{kClassSpace}
                                                    : uint32_t{kClassPunctuation};
      e.marks[i] = i != r.begin && run == last ? kInside : run == kClassSpace ? kRemoved : kPiece;
      last = run;
      i += c.bytes;
    }
  }
  return true;
}

bool pretokenize_characters(Encoder& e, uint8_t wanted, Behavior behavior) {
  const CodeTable& classes = e.tables->classes;
  const Buffer& b = e.main;
  if (behavior >= Behavior::kCount) return false;
  Splitter splits(e, behavior, false);
  Range r;
  for (size_t at = 0; next_piece(e, &at, &r);) {
    bool between = false;
    splits.begin_piece();
    for (size_t i = r.begin; i < r.end;) {
      const Character c = character_at(b.text + i, b.end());
      const bool match = (classes.byte(c.code) & wanted) != 0;
      if (match || !between) splits.add(i, match);
      between = !match;
      i += c.bytes;
    }
  }
  return true;
}

}  // namespace ert::text
