// Around the byte GEMMs of AVX2 and SSE4.1, which sum the products of two lines of a panel in int16 where they fit: constants of their rows,
// a panel's marks, the choice of tiles. Internal linkage.
#pragma once

#include <stdint.h>

#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {
namespace {

constexpr size_t kLineBytes = 64;     // of a panel of N16K4: 16 columns x 4 k
constexpr size_t kRowLineBytes = 8;   // of a row: four bytes a = q - 128, or their signs, and four |a|
constexpr size_t kPairsPerWord = 64;  // bits of a word of marks
// Words that mark the pairs of lines of the longest row.
constexpr size_t kMostPairWords = (65000 / 8 + kPairsPerWord) / kPairsPerWord;

// From so many rows on, looking which lines may be summed in int16 costs less than it saves.
constexpr size_t kRowsForPairs = 12;

// Weights of whose first pairs none fits are taken to have none.
constexpr size_t kPairsOfATrial = 8;

// Marks in bit i % 64 of words[i / 64] that lines 2i and 2i + 1 of the panel may be summed: fits(line 2i).
template <typename Fits>
inline __attribute__((always_inline)) void mark_line_pairs(const int8_t* rhs, size_t lines, uint64_t* words, const Fits& fits) {
  const size_t pairs = lines / 2;
  uint64_t word = 0;
  for (size_t i = 0; i < pairs; ++i, rhs += 2 * kLineBytes) {
    if (i == kPairsOfATrial && word == 0) {
      memset(words, 0, (pairs / kPairsPerWord + 1) * sizeof(*words));
      return;
    }
    word |= static_cast<uint64_t>(fits(rhs)) << (i % kPairsPerWord);
    if (i % kPairsPerWord == kPairsPerWord - 1) {
      *words++ = word;
      word = 0;
    }
  }
  *words = word;
}

// Calls together(lhs, rhs) or apart(lhs, rhs) with the first row's bytes and the weights of each pair of lines, as the marks say.
template <typename Together, typename Apart>
inline __attribute__((always_inline)) void for_line_pairs(const TileArgs& t, const Together& together, const Apart& apart) {
  const size_t pairs = t.k / 8;
  const uint64_t* word = t.line_pairs;
  for (size_t first = 0; first < pairs; first += kPairsPerWord, ++word) {
    const size_t count = pairs - first < kPairsPerWord ? pairs - first : kPairsPerWord;
    const uint8_t* lhs = t.lhs + first * 2 * kRowLineBytes;
    const int8_t* rhs = t.rhs + first * 2 * kLineBytes;
    for (uint64_t left = *word; left != 0; left &= left - 1) {
      const size_t i = static_cast<size_t>(__builtin_ctzll(left));
      together(lhs + i * 2 * kRowLineBytes, rhs + i * 2 * kLineBytes);
    }
    for (uint64_t left = ~*word & ~uint64_t{0} >> (kPairsPerWord - count); left != 0; left &= left - 1) {
      const size_t i = static_cast<size_t>(__builtin_ctzll(left));
      apart(lhs + i * 2 * kRowLineBytes, rhs + i * 2 * kLineBytes);
    }
  }
}

// By pairs of lines that may be summed in two panels, both_fit(line, panel bytes), for columns that are whole such; returns the first column not done.
template <auto& kTiles, auto& kTilesAhead, typename Fits>
inline size_t gemm_two_panels(const GemmArgs& g, const Fits& both_fit) {
  uint64_t marks[kMostPairWords];
  const auto mark = [&](TileArgs* t) {
    mark_line_pairs(
        t->rhs, t->k / 4,
        marks, [&](const int8_t* lines) __attribute__((always_inline)) { return both_fit(lines, t->panel_bytes); });
    t->line_pairs = marks;
  };
  if (g.n * g.k >= kFarWeights) return gemm_columns<32, LastGroup::kWhole, Layout::kN16K4, kTilesAhead>(kTiles, g, 0, mark);
  return gemm_columns<32, LastGroup::kWhole>(kTiles, g, 0, mark);
}

// Columns from `column` on. Tiles line by line, and by marked pairs; `ahead` those that fetch the next panel.
template <auto& kTiles, auto& kTilesAhead, auto& kPairTiles, auto& kPairTilesAhead, typename Fits>
inline void gemm_by_line_pairs(const GemmArgs& g, const Fits& fits, size_t column = 0) {
  const bool far = g.n * g.k >= kFarWeights;
  if (g.m < kRowsForPairs) {
    if (far)
      gemm_columns<16, LastGroup::kCut, Layout::kN16K4, kTilesAhead>(kTiles, g, column);
    else
      gemm_columns<16, LastGroup::kCut>(kTiles, g, column);
    return;
  }
  uint64_t marks[kMostPairWords];
  const auto mark = [&](TileArgs* t) {
    mark_line_pairs(t->rhs, t->k / 4, marks, fits);
    t->line_pairs = marks;
  };
  if (far)
    gemm_columns<16, LastGroup::kCut, Layout::kN16K4, kPairTilesAhead>(kPairTiles, g, column, mark);
  else
    gemm_columns<16, LastGroup::kCut>(kPairTiles, g, column, mark);
}

}  // namespace
}  // namespace ert::kernels
