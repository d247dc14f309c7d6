// Tokenizers of hostile blobs at the bounds of their memory and time: more tokens than a text has bytes, more than 32 bits count, more labels than anyone
// sorts by hand.
#include <ctime>

#include "rt/text/answers.h"
#include "rt/text/double_array.h"
#include "rt/text/encode.h"
#include "tests/support/opened_text.h"
#include "tests/support/seeded_random.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

struct OpenedTables {
  explicit OpenedTables(const TextTables& t) : bytes(t.build()), memory((bytes.size() + 7) / 8) {
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    status = ert_text_open_tables(&text, memory.data(), bytes.size());
  }
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> memory;
  ert_text text;
  ert_status status;
};

// The unit of 'a' leads to itself: a hostile row. Texts of one letter took the square of their length.
TEST(TextBounds, RowsThatLeadBackToThemselvesEnd) {
  std::vector<uint32_t> units(256, 0);
  const uint32_t a = 'a';
  units[a] = a | a << 10;  // offset: from the unit back to 0, whose child by 'a' it is
  DoubleArrayWalk walk({units.data(), static_cast<uint32_t>(units.size())});
  uint32_t steps = 0;
  while (steps < 1u << 20 && walk.step('a')) ++steps;
  EXPECT_EQ(steps, kLongestKey);
}

TEST(TextBounds, LongPiecesOfWordPieceAreRefused) {
  TextTables t = small_tables(ERT_TEXT_WORDPIECE, TaskKind::kEmbed);
  t.header.longest = kLongestKey;
  EXPECT_EQ(OpenedTables(t).status, ERT_OK);
  t.header.longest = kLongestKey + 1;
  EXPECT_EQ(OpenedTables(t).status, ERT_ERR_MODEL);
}

// "ab" is three n-grams, so that pieces of it fill the tokens before the text ends. The added tokens behind them were written over the spans, and the
// pair was encoded into room of 2^64 less some: Replace wrote behind the working memory.
TEST(TextBounds, AddedTokensBehindTooManyNgramsAreRefused) {
  TextTables t = small_tables(ERT_TEXT_NGRAM, TaskKind::kEmbed);
  const std::string strings = "##</w>It is {}.<m>xyzab" + std::string(200, 'c');
  t.header.expansion = 1;
  t.put(K::kStrings, std::vector<uint8_t>(strings.begin(), strings.end()));
  t.put(K::kNormalizer, std::vector<Step>{{static_cast<uint32_t>(NormalizerKind::kReplace), 0, {19, 1}, {23, 200}}});
  t.put(K::kPretokenizer, std::vector<Step>{{static_cast<uint32_t>(PretokenizerKind::kSplit),
                                             static_cast<uint32_t>(Behavior::kIsolated), {21, 2}, {0, 0}}});
  OpenedTables o(t);
  ASSERT_EQ(o.status, ERT_OK);
  constexpr size_t kAdded = 1000, kPairs = kAdded + 128;  // 3 * kPairs is the capacity of this text
  std::string text, pair(100, 'y');
  for (size_t i = 0; i < kPairs; ++i) text += "ab";
  text += std::string(kAdded - pair.size(), 'x');
  size_t need = 0;
  ASSERT_EQ(ert_text_bytes(&o.text, text.size(), pair.size(), &need), ERT_OK);
  ExactMemory work(need);
  ert_encoding e{};
  e.struct_size = sizeof e;
  EXPECT_EQ(
      ert_text_encode(&o.text, nullptr, text.data(), text.size(), pair.data(), pair.size(), work.data(), need, &e),
      ERT_ERR_MODEL);
  EXPECT_TRUE(work.intact());
}

// 256 times 2^24 tokens are none in 32 bits, for which any array has room.
TEST(TextBounds, TemplatesThatRepeatLongTextsAreRefused) {
  TextTables t = small_tables(ERT_TEXT_WORDPIECE, TaskKind::kEmbed);
  t.put(K::kTemplate, std::vector<TemplatePiece>(kMostTemplatePieces, {1, 0, 0}));
  t.row<Ending>(K::kEnding).single_pieces = kMostTemplatePieces;
  OpenedTables o(t);
  ASSERT_EQ(o.status, ERT_OK);
  Kept kept{};
  const Token tokens[1] = {};
  kept.tokens = tokens;
  kept.count[0] = kept.room[0] = 1u << 24;
  kept.windows = 1;
  ert_encoding e{};
  e.struct_size = sizeof e;
  EXPECT_EQ(write_window(*tables_of(&o.text), kept, 0, &e), ERT_ERR_LIMIT);
  kept.count[0] = kept.room[0] = INT32_MAX / kMostTemplatePieces;
  EXPECT_EQ(write_window(*tables_of(&o.text), kept, 0, &e), ERT_ERR_NOMEM);
  EXPECT_EQ(e.tokens, kept.count[0] * kMostTemplatePieces);
}

// As by insertion, which took the square of their number.
TEST(TextBounds, ManyLabelsAreSortedAtOnce) {
  for (const uint32_t n : {kMostDifferent, kMostDifferent + 1, 1000u}) {
    SeededRandom random;
    std::vector<ert_scored> scored(n), wanted;
    for (uint32_t i = 0; i < n; ++i) scored[i] = {i, static_cast<float>(random.integer(0, 50)), {0, 0}};
    wanted = scored;
    std::stable_sort(wanted.begin(), wanted.end(), [](const ert_scored& a, const ert_scored& b) { return a.score > b.score; });
    sort_scored(scored.data(), n);
    for (uint32_t i = 0; i < n; ++i) ASSERT_EQ(scored[i].label, wanted[i].label) << i << " of " << n;
  }
  std::vector<ert_scored> rising(200000);
  for (uint32_t i = 0; i < rising.size(); ++i) rising[i] = {i, static_cast<float>(i), {0, 0}};
  const std::clock_t start = std::clock();
  sort_scored(rising.data(), static_cast<uint32_t>(rising.size()));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0);
  EXPECT_EQ(rising[0].label, rising.size() - 1);
}

}  // namespace
}  // namespace ert::testing
