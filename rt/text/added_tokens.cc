#include "rt/text/added_tokens.h"

#include "rt/base/small_code.h"
#include "rt/text/double_array.h"

namespace ert::text {

bool AddedTokens::longest_at(size_t i, size_t* end, const AddedToken** token) const {
  DoubleArrayWalk walk(trie_);
  bool found = false;
  for (size_t k = i; k < size_ && walk.step(text_[k]); ++k) {
    uint32_t index;
    if (walk.value(&index) && index < t_.added.size) *end = k + 1, *token = &t_.added.data[index], found = true;
  }
  return found;
}

// Classes of the character that ends at `at`, which is not 0.
uint32_t AddedTokens::classes_before(size_t at, size_t* begin) const {
  *begin = before(text_, 0, at);
  const Character c = read(*begin);
  if (*begin + c.bytes == at) return t_.classes.byte(c.code);
  *begin = at - 1;
  return 0;
}

// Tokens of white space may begin in what earlier ones took: it is looked at once.
size_t AddedTokens::behind_blanks(size_t at) {
  if (at >= blank_begin_ && at <= blank_end_) return blank_end_;
  blank_begin_ = at;
  for (Character c; at != size_; at += c.bytes) {
    c = read(at);
    if ((t_.classes.byte(c.code) & kClassSpace) == 0) break;
  }
  return blank_end_ = at;
}

bool AddedTokens::next(AddedMatch* m) {
  if (trie_.size == 0) return false;
  while (at_ < size_) {
    // Few texts have one, and most bytes begin none.
    if constexpr (!kCodeIsSmall)
      for (const DoubleArrayWalk root(trie_); !root.begins(text_[at_]);)
        if (++at_ == size_) return false;
    size_t end = at_, side;
    const AddedToken* token = nullptr;
    if (!longest_at(at_, &end, &token)) {
      ++at_;
      continue;
    }
    const size_t core = at_;
    size_t begin = core;
    at_ = end;
    if ((token->flags & kAddedSingleWord) != 0 && ((begin != 0 && (classes_before(begin, &side) & kClassWord) != 0) ||
                                                   (end != size_ && (t_.classes.byte(read(end).code) & kClassWord) != 0)))
      continue;
    while ((token->flags & kAddedLstrip) != 0 && begin > taken_ && (classes_before(begin, &side) & kClassSpace) != 0)
      begin = side;
    // What an earlier token took stays there, the beginning of this one too.
    if ((token->flags & kAddedLstrip) != 0 && begin < taken_) begin = taken_;
    if ((token->flags & kAddedRstrip) != 0) end = behind_blanks(end);
    if (end <= begin) continue;
    taken_ = end;
    *m = {begin, end, core, token};
    return true;
  }
  return false;
}

}  // namespace ert::text
