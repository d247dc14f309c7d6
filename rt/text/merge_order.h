// Which pair of neighbours merges next: the one of least rank, of equal ones the leftmost. Short pieces are searched; long ones have a tree of minima over
// blocks of symbols, so that a piece of n bytes costs n log n.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

constexpr uint32_t kNoRank = UINT32_MAX;

// A symbol lies in the element of its first byte: id; start: its bytes, also in the element of its last byte; end: rank of the pair that it makes
// with the next, kNoRank for none and in all elements that begin no symbol.
class MergeOrder {
 public:
  // `tree` has room for n / 8 + 4 numbers.
  MergeOrder(const Token* symbols, uint32_t n, uint32_t* tree)
      : symbols_(symbols), n_(n), tree_(tree), blocks_((n + kBlock - 1) / kBlock) {
    if (n_ <= kSearched) return;
    for (uint32_t i = 0; i < blocks_; ++i) tree_[blocks_ + i] = block_minimum(i);
    for (uint32_t i = blocks_; i-- > 1;) tree_[i] = better(tree_[2 * i], tree_[2 * i + 1]);
  }
  // The rank of symbol `at` has changed.
  void changed(uint32_t at) {
    if (n_ <= kSearched) return;
    uint32_t i = blocks_ + at / kBlock;
    tree_[i] = block_minimum(at / kBlock);
    for (i /= 2; i >= 1; i /= 2) tree_[i] = better(tree_[2 * i], tree_[2 * i + 1]);
  }
  // The symbol whose pair is next; its rank is kNoRank if there is none.
  uint32_t first() const {
    if (n_ > kSearched) return tree_[1];
    uint32_t found = 0;
    for (uint32_t i = symbols_[0].start; i < n_; i += symbols_[i].start)
      if (symbols_[i].end < symbols_[found].end) found = i;
    return found;
  }

 private:
  static constexpr uint32_t kBlock = 16, kSearched = 48;
  uint32_t block_minimum(uint32_t block) const {
    uint32_t found = block * kBlock;
    const uint32_t end = found + kBlock < n_ ? found + kBlock : n_;
    for (uint32_t i = found + 1; i < end; ++i)
      if (symbols_[i].end < symbols_[found].end) found = i;
    return found;
  }
  // Where the number of blocks is no power of two, an inner node has blocks of both ends, so positions decide.
  uint32_t better(uint32_t a, uint32_t b) const {
    const uint32_t x = symbols_[a].end, y = symbols_[b].end;
    return x < y || (x == y && a < b) ? a : b;
  }
  const Token* symbols_;
  uint32_t n_;
  uint32_t* tree_;
  uint32_t blocks_;
};

}  // namespace ert::text
