// Added tokens: strings that are tokens wherever they stand in a text, found before it is normalized, or behind.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

struct AddedMatch {
  size_t begin, end;  // white space that the token takes with it included
  size_t core;        // where the token itself begins
  const AddedToken* token;
};

// Looks through a text, from left to right, each time for the longest token. As in the reference a match may begin before the end of the last one: in the
// white space that the last one took with it.
class AddedTokens {
 public:
  // `foreign`: the text need not be valid UTF-8.
  AddedTokens(const Tables& t, Row<uint32_t> trie, const uint8_t* text, size_t size, bool foreign)
      : t_(t), trie_(trie), text_(text), size_(size), foreign_(foreign) {}
  bool next(AddedMatch* m);
  size_t behind_blanks(size_t at);  // where the white space at `at` ends
  bool longest_at(size_t i, size_t* end, const AddedToken** token) const;

 private:
  Character read(size_t i) const {
    return foreign_ ? foreign_character(text_ + i, text_ + size_) : character_at(text_ + i, text_ + size_);
  }
  uint32_t classes_before(size_t at, size_t* begin) const;
  const Tables& t_;
  Row<uint32_t> trie_;
  const uint8_t* text_;
  size_t size_;
  bool foreign_;
  size_t at_ = 0, taken_ = 0, blank_begin_ = 1, blank_end_ = 0;  // white space that is known, none yet
};

}  // namespace ert::text
