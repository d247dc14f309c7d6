// Where text breaks into what readers take for one character: extended grapheme clusters (Unicode Standard Annex 29).
#pragma once

#include "rt/text/format.h"

namespace ert::text {

class GraphemeBreaks {
 public:
  // Is there a break before a character of this class? To be asked for each character in turn; the first has one.
  bool before(GraphemeClass next) {
    const bool breaks = breaks_before(next);
    advance(next, breaks);
    return breaks;
  }

 private:
  static bool extends(GraphemeClass c) { return c == kExtend || c == kConjunctExtend || c == kConjunctLinker || c == kZwj; }

  bool breaks_before(GraphemeClass next) const {
    if (first_) return true;
    if (last_ == kCr) return next != kLf;
    if (last_ == kLf || last_ == kControl || next == kCr || next == kLf || next == kControl) return true;
    if (last_ == kHangulL && (next == kHangulL || next == kHangulV || next == kHangulLV || next == kHangulLVT)) return false;
    if ((last_ == kHangulLV || last_ == kHangulV) && (next == kHangulV || next == kHangulT)) return false;
    if ((last_ == kHangulLVT || last_ == kHangulT) && next == kHangulT) return false;
    if (extends(next) || next == kSpacingMark || last_ == kPrepend) return false;
    if (next == kConjunctConsonant && conjunct_ == 2) return false;
    if (next == kPictographic && last_ == kZwj && picture_) return false;
    return !(next == kRegional && last_ == kRegional && odd_regional_);
  }
  void advance(GraphemeClass next, bool breaks) {
    // A consonant, then extensions with a linker among them.
    if (next == kConjunctConsonant) {
      conjunct_ = 1;
    } else if (next == kConjunctLinker) {
      conjunct_ = conjunct_ != 0 ? 2 : 0;
    } else if (next != kConjunctExtend && next != kZwj) {
      conjunct_ = 0;
    }
    if (next == kPictographic)
      picture_ = true;
    else if (!extends(next) || last_ == kZwj)
      picture_ = false;
    odd_regional_ = next == kRegional && (breaks || last_ != kRegional || !odd_regional_);
    last_ = next, first_ = false;
  }
  GraphemeClass last_ = kOther;
  int conjunct_ = 0;
  bool first_ = true, picture_ = false, odd_regional_ = false;
};

}  // namespace ert::text
