// Around the byte GEMMs of AVX2 and SSE4.1, which sum the products of two lines of a panel in int16 where they fit: because four values of each row
// that meet in an int16 lane are small, whatever the weights, or because four weights are, whatever the values. Who may be summed is marked, and tiles
// go by the marks. Low rows, whose values lie near the least one, as behind a ReLU or GELU, have a form and tiles of their own (low_bytes.h of the level). Internal
// linkage.
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
  const uint64_t* single;  // of low rows, laid out the same: these two lines fit int16 one by one
};

namespace {

enum class Marks { kOfWeights, kOfRows, kOfLowRows };

constexpr size_t kLineBytes = 64;    // of a panel of N16K4: 16 columns x 4 k
constexpr size_t kRowLineBytes = 8;  // of a row: signs of four a = q - 128, and four |a|; of low rows marks and four q
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

// What the sums of a row lack (signed_bytes.h of the level) stands above the zero point in the copy of its RowScale that tiles read.
constexpr int kZeroPointBits = 9;  // of low rows it is 128 more
static_assert(int64_t{128} * 65000 < int64_t{1} << (32 - kZeroPointBits), "what the longest row lacks must fit");
inline int32_t zero_point_of(const RowScale& r) { return r.zero_point & ((1 << kZeroPointBits) - 1); }
inline int32_t lack_of(const RowScale& r) { return static_cast<int32_t>(static_cast<uint32_t>(r.zero_point) >> kZeroPointBits); }
inline void add_lack(int32_t lack, RowScale* copy) { copy->zero_point |= static_cast<int32_t>(static_cast<uint32_t>(lack) << kZeroPointBits); }

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

// Calls multiply(part of g, marks of its rows, what tiles go by). part.scales are copies. Rows of a part are all low or none is. Look has
//   is_low(row)
//   at_low_row(row, lines, &copy, words, single)   marks a low row and changes the copy
//   at_row(row, lines, &copy, words)         marks another row, the pairs that it does not have too, gives the number of those not marked, and may change the
//                                            copy; with null words it only does the last
// Other rows of a call are alike, but for the first of a text: of kRowsForPairs or more one in the middle tells whether values lie about 0, of fewer the first, and after two of few marks the
// rest gets none. One row alone always has marks.
template <class Look, typename Multiply>
inline __attribute__((always_inline)) void by_marked_rows(const GemmArgs& g, const Multiply& multiply) {
  RowScale scales[kMarkedRows];
  uint64_t words[kMarkWords], single[kMarkWords];
  const size_t lines = round_up(g.k, 4) / 4, pairs = lines / 2, row_words = pairs / kPairsPerWord + 1;
  const size_t fitting = kMarkWords / row_words, most = fitting < kMarkedRows ? fitting : kMarkedRows;
  const RowMarks marks = {words, row_words, scales, single};
  const auto bytes_of = [&](size_t row) { return static_cast<const uint8_t*>(g.lhs) + row * g.row_bytes; };
  const auto is_low = [&](size_t row) { return Look::is_low(bytes_of(row)); };
  GemmArgs part = g;
  part.scales = scales;
  for (size_t row = 0; row < g.m; row += part.m) {
    const bool low = is_low(row);
    const size_t left = g.m - row < most ? g.m - row : most;
    for (part.m = 1; part.m < left && is_low(row + part.m) == low;) ++part.m;
    part.lhs = bytes_of(row);
    part.dst = g.dst + static_cast<ptrdiff_t>(row) * g.dst_stride;
    size_t not_marked = 0;
    const size_t first = part.m < kRowsForPairs ? 0 : part.m / 2;
    const int32_t zero = g.scales[row + first].zero_point - 128;  // a of the value 0, about which a row's values lie
    bool many = part.m == 1 || (zero > -kMostOfFour / 4 && zero < kMostOfFour / 4);
    for (size_t done = 0; done < part.m;) {
      const size_t r = first + done < part.m ? first + done : first + done - part.m;
      scales[r] = g.scales[row + r];
      ++done;
      if (low) {
        Look::at_low_row(bytes_of(row + r), lines, &scales[r], words + r * row_words, single + r * row_words);
        continue;
      }
      not_marked += Look::at_row(bytes_of(row + r), lines, &scales[r], many ? words + r * row_words : nullptr);
      if (done == 2 || done == part.m) many &= 8 * not_marked <= (8 - kWorthOfRows) * done * pairs;
    }
    multiply(part, marks, low ? Marks::kOfLowRows : many ? Marks::kOfRows : Marks::kOfWeights);
  }
}

// Marks of 64 pairs that a tile may take: all rows must have them. words: of row 0 of the marks.
template <int kRows>
inline __attribute__((always_inline)) uint64_t marks_of_rows(const TileArgs& t, const uint64_t* words, size_t word) {
  const size_t row_words = t.row_marks->row_words;
  const uint64_t* of_row = words + static_cast<size_t>(t.rows - t.row_marks->first) * row_words + word;
  uint64_t all = *of_row;
#pragma GCC unroll 16
  for (size_t r = 1; r < kRows; ++r) all &= of_row[r * row_words];
  return all;
}

// Calls lines(lhs, rhs) with the first row's bytes and the weights of each marked pair of lines of 64, of which `first` is the first pair.
template <typename Lines>
inline __attribute__((always_inline)) void for_marked(const TileArgs& t, size_t first, uint64_t marked, const Lines& lines) {
  const uint8_t* lhs = t.lhs + first * 2 * kRowLineBytes;
  const int8_t* rhs = t.rhs + first * 2 * kLineBytes;
  for (uint64_t left = marked; left != 0; left &= left - 1) {
    const size_t i = static_cast<size_t>(__builtin_ctzll(left));
    lines(lhs + i * 2 * kRowLineBytes, rhs + i * 2 * kLineBytes);
  }
}

// Calls together(lhs, rhs), apart(lhs, rhs) or, for low rows, split(lhs, rhs) for each pair of lines, as the marks say.
template <Marks kMarks, int kRows, typename Together, typename Apart, typename Split>
inline __attribute__((always_inline)) void for_line_pairs(const TileArgs& t, const Together& together, const Apart& apart, const Split& split) {
  const size_t pairs = t.k / 8;
  for (size_t first = 0; first < pairs; first += kPairsPerWord) {
    const size_t count = pairs - first < kPairsPerWord ? pairs - first : kPairsPerWord, word = first / kPairsPerWord;
    const uint64_t present = ~uint64_t{0} >> (kPairsPerWord - count);
    const uint64_t marked =
        (kMarks == Marks::kOfWeights ? t.line_pairs[word] : marks_of_rows<kRows>(t, t.row_marks->words, word)) & present;
    for_marked(t, first, marked, together);
    uint64_t single = present & ~marked;
    if constexpr (kMarks == Marks::kOfLowRows) {
      const uint64_t fitting = marks_of_rows<kRows>(t, t.row_marks->single, word);
      for_marked(t, first, single & ~fitting, split);
      single &= fitting;
    }
    for_marked(t, first, single, apart);
  }
}
template <Marks kMarks, int kRows, typename Together, typename Apart>
inline __attribute__((always_inline)) void for_line_pairs(const TileArgs& t, const Together& together, const Apart& apart) {
  for_line_pairs<kMarks, kRows>(t, together, apart, apart);
}

// Columns from `column` on in groups of kColumns; of many weights the tiles kTilesAhead fetch the next group. Returns the first column not done.
template <int kColumns, LastGroup kLast, auto& kTiles, auto& kTilesAhead, typename Prepare>
inline size_t gemm_ahead(const GemmArgs& g, size_t column, const Prepare& prepare) {
  if (is_far(g)) return gemm_columns<kColumns, kLast, Layout::kN16K4, kTilesAhead>(kTiles, g, column, prepare);
  return gemm_columns<kColumns, kLast>(kTiles, g, column, prepare);
}

// The same by marks of the rows.
template <int kColumns, LastGroup kLast, class OfRows>
inline size_t gemm_by_row_marks(const GemmArgs& g, size_t column, const RowMarks& marks) {
  return gemm_ahead<kColumns, kLast, OfRows::kNear, OfRows::kAhead>(g, column, [&](TileArgs* t) { t->row_marks = &marks; });
}

// The same by marks of the rows or, where these are null, of each group's weights: fits(line, panel bytes). Tiles<marks> has the two tables.
template <int kColumns, LastGroup kLast, template <Marks> class Tiles, typename Fits>
inline size_t gemm_by_marks(const GemmArgs& g, size_t column, const RowMarks* of_rows, const Fits& fits) {
  if (of_rows != nullptr) return gemm_by_row_marks<kColumns, kLast, Tiles<Marks::kOfRows>>(g, column, *of_rows);
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
