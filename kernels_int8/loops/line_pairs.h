// Around the byte GEMMs of AVX2 and SSE4.1, which sum the products of two lines of a panel in int16 where they fit: because four values of each row
// that meet in an int16 lane are small, whatever the weights, or because four weights are, whatever the values. Who may be summed is marked, and tiles
// go by the marks. Internal linkage.
#pragma once

#include <stdint.h>

#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {

constexpr size_t kPairsPerWord = 64;  // bits of a word of marks

// Bit i % 64 of words[r * row_words + i / 64] marks that lines 2i and 2i + 1 of row r may be summed, whatever the weights. A panel's marks have one row.
struct RowMarks {
  const uint64_t* words;
  size_t row_words;
  const RowScale* first;  // of row 0
};

namespace {

enum class Marks { kOfWeights, kOfRows };

constexpr size_t kLineBytes = 64;    // of a panel of N16K4: 16 columns x 4 k
constexpr size_t kRowLineBytes = 8;  // of a row: four bytes a = q - 128, or their signs, and four |a|
// Words that mark the pairs of lines of the longest row.
constexpr size_t kMostPairWords = (65000 / 8 + kPairsPerWord) / kPairsPerWord;
// |a| of four values of a row may sum up to so much: 256 * -128 = -2^15, and weights, or weights ^ -1, are in [-128, 127].
constexpr int16_t kMostOfFour = 256;

// Of so many rows marks and scales are held at a time, if their marks fit so many words.
constexpr size_t kMarkedRows = 128, kMarkWords = 512;
static_assert(kMarkWords >= kMostPairWords);
// Rows decide if at least so much of their pairs is marked: a tile needs the marks of all of its rows. In 1/8.
constexpr size_t kWorthOfRows = 6;

// From so many rows on, looking which lines of the weights may be summed in int16 costs less than it saves.
constexpr size_t kRowsForPairs = 12;

// Weights of whose first pairs none fits are taken to have none.
constexpr size_t kPairsOfATrial = 8;

// Marks the pairs of lines of a panel: fits(line 2i).
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

// Calls multiply(part of g, marks of its rows, whether they are many). part.scales are copies. look(row, lines, &copy, words) marks a row, the
// pairs that it does not have too, gives the number of those not marked, and may change the copy; with null words it only does the last. Rows of a
// call are alike: the first tells whether values lie about 0, and after two of few marks the others get none. One row alone always has marks.
template <typename Look, typename Multiply>
inline __attribute__((always_inline)) void by_marked_rows(const GemmArgs& g, const Look& look, const Multiply& multiply) {
  RowScale scales[kMarkedRows];
  uint64_t words[kMarkWords];
  const size_t lines = round_up(g.k, 4) / 4, pairs = lines / 2, row_words = pairs / kPairsPerWord + 1;
  const size_t fitting = kMarkWords / row_words, most = fitting < kMarkedRows ? fitting : kMarkedRows;
  const RowMarks marks = {words, row_words, scales};
  GemmArgs part = g;
  part.scales = scales;
  for (size_t row = 0; row < g.m; row += part.m) {
    part.m = g.m - row < most ? g.m - row : most;
    part.lhs = static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes;
    part.dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride;
    size_t not_marked = 0;
    const int32_t zero = g.scales[row].zero_point - 128;  // a of the value 0, about which a row's values lie
    bool many = part.m == 1 || (zero > -kMostOfFour / 4 && zero < kMostOfFour / 4);
    for (size_t r = 0; r < part.m; ++r) {
      scales[r] = g.scales[row + r];
      not_marked += look(static_cast<const uint8_t*>(part.lhs) + r * g.row_bytes, lines, &scales[r], many ? words + r * row_words : nullptr);
      if (r == 1 || r + 1 == part.m) many &= 8 * not_marked <= (8 - kWorthOfRows) * (r + 1) * pairs;
    }
    multiply(part, marks, many);
  }
}

// Marks of 64 pairs that a tile may take: all rows must have them.
template <Marks kMarks, int kRows>
inline __attribute__((always_inline)) uint64_t marks_of_tile(const TileArgs& t, size_t word) {
  if constexpr (kMarks == Marks::kOfWeights) return t.line_pairs[word];
  const RowMarks& marks = *t.row_marks;
  const uint64_t* of_row = marks.words + static_cast<size_t>(t.rows - marks.first) * marks.row_words + word;
  uint64_t all = *of_row;
#pragma GCC unroll 16
  for (size_t r = 1; r < kRows; ++r) all &= of_row[r * marks.row_words];
  return all;
}

// Calls together(lhs, rhs) or apart(lhs, rhs) with the first row's bytes and the weights of each pair of lines, as the marks say.
template <Marks kMarks, int kRows, typename Together, typename Apart>
inline __attribute__((always_inline)) void for_line_pairs(const TileArgs& t, const Together& together, const Apart& apart) {
  const size_t pairs = t.k / 8;
  for (size_t first = 0; first < pairs; first += kPairsPerWord) {
    const size_t count = pairs - first < kPairsPerWord ? pairs - first : kPairsPerWord;
    const uint64_t present = ~uint64_t{0} >> (kPairsPerWord - count);
    const uint64_t marked = marks_of_tile<kMarks, kRows>(t, first / kPairsPerWord) & present;
    const uint8_t* lhs = t.lhs + first * 2 * kRowLineBytes;
    const int8_t* rhs = t.rhs + first * 2 * kLineBytes;
    for (uint64_t left = marked; left != 0; left &= left - 1) {
      const size_t i = static_cast<size_t>(__builtin_ctzll(left));
      together(lhs + i * 2 * kRowLineBytes, rhs + i * 2 * kLineBytes);
    }
    for (uint64_t left = ~marked & present; left != 0; left &= left - 1) {
      const size_t i = static_cast<size_t>(__builtin_ctzll(left));
      apart(lhs + i * 2 * kRowLineBytes, rhs + i * 2 * kLineBytes);
    }
  }
}

// Columns from `column` on in groups of kColumns; of many weights the tiles kTilesAhead fetch the next group. Returns the first column not done.
template <int kColumns, LastGroup kLast, auto& kTiles, auto& kTilesAhead, typename Prepare>
inline size_t gemm_ahead(const GemmArgs& g, size_t column, const Prepare& prepare) {
  if (g.n * g.k >= kFarWeights) return gemm_columns<kColumns, kLast, Layout::kN16K4, kTilesAhead>(kTiles, g, column, prepare);
  return gemm_columns<kColumns, kLast>(kTiles, g, column, prepare);
}

// The same by marks of the rows or, where these are null, of each group's weights: fits(line, panel bytes). Tiles<marks> has the two tables.
template <int kColumns, LastGroup kLast, template <Marks> class Tiles, typename Fits>
inline size_t gemm_by_marks(const GemmArgs& g, size_t column, const RowMarks* of_rows, const Fits& fits) {
  if (of_rows != nullptr) {
    using OfRows = Tiles<Marks::kOfRows>;
    return gemm_ahead<kColumns, kLast, OfRows::kNear, OfRows::kAhead>(g, column, [=](TileArgs* t) { t->row_marks = of_rows; });
  }
  uint64_t words[kMostPairWords];
  using OfWeights = Tiles<Marks::kOfWeights>;
  return gemm_ahead<kColumns, kLast, OfWeights::kNear, OfWeights::kAhead>(g, column, [&](TileArgs* t) {
    t->line_pairs = words;
    mark_line_pairs(
        t->rhs, t->k / 4, words, [&](const int8_t* lines) __attribute__((always_inline)) { return fits(lines, t->panel_bytes); });
  });
}

// Line by line, a panel at a time.
template <auto& kTiles, auto& kTilesAhead>
inline void gemm_by_lines(const GemmArgs& g) {
  gemm_ahead<16, LastGroup::kCut, kTiles, kTilesAhead>(g, 0, NoPreparation());
}

}  // namespace
}  // namespace ert::kernels
