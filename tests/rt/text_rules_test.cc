// What text is cut by, without a tokenizer around it: grapheme clusters, the rules of split expressions, hashed n-grams.
#include "rt/text/graphemes.h"
#include "rt/text/ngram.h"
#include "rt/text/split_rules.h"
#include "rt/text/tables.h"
#include "tests/support/used_text.h"

namespace ert::testing {
namespace {

using namespace text;

// Clusters of a row of classes, as their lengths: rules GB3 to GB13 of Unicode Standard Annex 29.
std::vector<int> clusters(const std::vector<GraphemeClass>& classes) {
  GraphemeBreaks breaks;
  std::vector<int> lengths;
  for (const GraphemeClass c : classes) {
    if (breaks.before(c)) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}
using Lengths = std::vector<int>;

TEST(Graphemes, LineEndsAndControls) {
  EXPECT_EQ(clusters({kCr, kLf}), (Lengths{2}));
  EXPECT_EQ(clusters({kCr, kCr, kLf, kLf}), (Lengths{1, 2, 1}));
  EXPECT_EQ(clusters({kCr, kExtend}), (Lengths{1, 1})) << "nothing joins a line end";
  EXPECT_EQ(clusters({kControl, kExtend}), (Lengths{1, 1}));
  EXPECT_EQ(clusters({kOther, kControl, kOther, kCr, kOther, kLf}), (Lengths{1, 1, 1, 1, 1, 1}));
}

TEST(Graphemes, Hangul) {
  EXPECT_EQ(clusters({kHangulL, kHangulV, kHangulT}), (Lengths{3}));
  EXPECT_EQ(clusters({kHangulL, kHangulL, kHangulLV, kHangulT}), (Lengths{4}));
  EXPECT_EQ(clusters({kHangulL, kHangulLVT, kHangulT}), (Lengths{3}));
  EXPECT_EQ(clusters({kHangulLV, kHangulV, kHangulV, kHangulT, kHangulT}), (Lengths{5}));
  EXPECT_EQ(clusters({kHangulLVT, kHangulV}), (Lengths{1, 1}));
  EXPECT_EQ(clusters({kHangulT, kHangulV}), (Lengths{1, 1}));
  EXPECT_EQ(clusters({kHangulL, kHangulT}), (Lengths{1, 1}));
  EXPECT_EQ(clusters({kHangulV, kHangulL}), (Lengths{1, 1}));
  EXPECT_EQ(clusters({kHangulLV, kHangulLV}), (Lengths{1, 1}));
}

TEST(Graphemes, WhatExtends) {
  EXPECT_EQ(clusters({kOther, kExtend, kZwj, kConjunctExtend, kConjunctLinker, kSpacingMark, kOther}), (Lengths{6, 1}));
  EXPECT_EQ(clusters({kPrepend, kOther, kOther}), (Lengths{2, 1}));
  EXPECT_EQ(clusters({kPrepend, kControl}), (Lengths{1, 1}));
  EXPECT_EQ(clusters({kOther, kOther}), (Lengths{1, 1}));
}

TEST(Graphemes, Conjuncts) {
  EXPECT_EQ(clusters({kConjunctConsonant, kConjunctLinker, kConjunctConsonant}), (Lengths{3}));
  EXPECT_EQ(clusters({kConjunctConsonant, kConjunctExtend, kConjunctLinker, kZwj, kConjunctConsonant}), (Lengths{5}));
  EXPECT_EQ(clusters({kConjunctConsonant, kConjunctExtend, kConjunctConsonant}), (Lengths{2, 1})) << "no linker";
  EXPECT_EQ(clusters({kConjunctLinker, kConjunctConsonant}), (Lengths{1, 1})) << "no consonant before";
  EXPECT_EQ(clusters({kConjunctConsonant, kConjunctLinker, kExtend, kConjunctConsonant}), (Lengths{3, 1}))
      << "another extension between";
}

TEST(Graphemes, Pictures) {
  EXPECT_EQ(clusters({kPictographic, kZwj, kPictographic}), (Lengths{3}));
  EXPECT_EQ(clusters({kPictographic, kExtend, kZwj, kPictographic, kZwj, kPictographic}), (Lengths{6}));
  EXPECT_EQ(clusters({kPictographic, kZwj, kZwj, kPictographic}), (Lengths{3, 1})) << "two joiners";
  EXPECT_EQ(clusters({kOther, kZwj, kPictographic}), (Lengths{2, 1}));
  EXPECT_EQ(clusters({kPictographic, kExtend, kPictographic}), (Lengths{2, 1}));
}

TEST(Graphemes, FlagsAreTwoLetters) {
  EXPECT_EQ(clusters({kRegional, kRegional, kRegional, kRegional, kRegional}), (Lengths{2, 2, 1}));
  EXPECT_EQ(clusters({kOther, kRegional, kRegional, kOther, kRegional}), (Lengths{1, 2, 1, 1}));
  EXPECT_EQ(clusters({kPrepend, kRegional, kRegional, kRegional}), (Lengths{3, 1})) << "what stands before is not counted";
}

// Letters, digits and spaces of ASCII, and a few beyond; k says what the letters' further bits mean.
struct Classes {
  explicit Classes(bool by_case = false) {
    std::map<uint32_t, uint32_t> values;
    for (uint32_t c = 'a'; c <= 'z'; ++c) values[c] = kClassLetter | kClassWord;
    for (uint32_t c = 'A'; c <= 'Z'; ++c) values[c] = kClassLetter | (by_case ? kClassUpper : kClassWord);
    for (uint32_t c = '0'; c <= '9'; ++c) values[c] = kClassNumber | (by_case ? 0u : uint32_t{kClassWord});
    for (const uint32_t c : {' ', '\t', '\n', '\r'}) values[c] = kClassSpace;
    values[0xa0] = kClassSpace;
    values[0x301] = kClassMark;
    values[0x5d0] = kClassLetter;  // of neither case
    bytes = code_table_of(values, 1);
    const auto* h = static_cast<const CodeTableHeader*>(static_cast<const void*>(bytes.data()));
    table.top = static_cast<const uint16_t*>(static_cast<const void*>(bytes.data() + sizeof *h));
    table.mid = table.top + h->tops;
    table.values = bytes.data() + sizeof *h + (size_t{h->tops} + 64 * size_t{h->mids} + 1) / 2 * 4;
    table.tops = h->tops;
  }
  std::vector<uint8_t> bytes;
  CodeTable table;
};

// All matches one behind the other; what matches nothing is skipped byte by byte.
template <class Match>
std::vector<std::string> pieces(const std::string& line, bool by_case, Match match) {
  const Classes classes(by_case);
  const std::vector<uint8_t> exact(line.begin(), line.end());
  const RuleText t{&classes.table, exact.data(), exact.size()};
  std::vector<std::string> found;
  for (size_t i = 0; i < line.size();) {
    const size_t n = match(t, i);
    if (n != 0) found.push_back(line.substr(i, n));
    i += n == 0 ? 1 : n;
  }
  return found;
}
using Pieces = std::vector<std::string>;

TEST(SplitRules, Gpt2) {
  const auto split = [](const std::string& line) { return pieces(line, false, match_gpt2); };
  EXPECT_EQ(split("don't  stop2 now!?"), (Pieces{"don", "'t", " ", " stop", "2", " now", "!?"}));
  EXPECT_EQ(split("we'll I'm you're they've he'd it's 'x"),
            (Pieces{"we", "'ll", " I", "'m", " you", "'re", " they", "'ve", " he", "'d", " it", "'s", " '", "x"}));
  EXPECT_EQ(split("A'S"), (Pieces{"A", "'", "S"})) << "lower case alone";
  EXPECT_EQ(split("a \n b  "), (Pieces{"a", " \n", " b", "  "}));
  EXPECT_EQ(split("a'"), (Pieces{"a", "'"}));
  EXPECT_EQ(split("a'l"), (Pieces{"a", "'", "l"}));
  EXPECT_EQ(split("x\t"), (Pieces{"x", "\t"}));
  EXPECT_EQ(split("x "), (Pieces{"x", " "}));
}

TEST(SplitRules, Clip) { EXPECT_EQ(pieces("it's 42 a-b", false, match_clip), (Pieces{"it", "'s", "4", "2", "a", "-", "b"})); }

TEST(SplitRules, Cl100k) {
  const auto split = [](const std::string& line, uint32_t digits = 3) {
    return pieces(line, false, [digits](const RuleText& t, size_t i) { return match_cl100k(t, i, digits); });
  };
  EXPECT_EQ(split("He'LL say 12345 (x)\n\n  y"), (Pieces{"He", "'LL", " say", " ", "123", "45", " (", "x", ")\n\n", " ", " y"}));
  EXPECT_EQ(split("12345", 1), (Pieces{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(split("12a", 3), (Pieces{"12", "a"}));
  EXPECT_EQ(split("a  \r\n  b"), (Pieces{"a", "  \r\n", " ", " b"}));
  EXPECT_EQ(split("\nab"), (Pieces{"\n", "ab"})) << "a line end stands before no word";
  EXPECT_EQ(split("\rab"), (Pieces{"\r", "ab"}));
  EXPECT_EQ(split("-ab ,"), (Pieces{"-ab", " ,"}));
  EXPECT_EQ(split(utf8({'a', '\'', 0x17f})), (Pieces{"a", utf8({'\'', 0x17f})})) << "a long s is an s of either case";
  EXPECT_EQ(split("!/"), (Pieces{"!/"}));
}

TEST(SplitRules, O200k) {
  const auto split = [](const std::string& line, bool contractions = true) {
    return pieces(line, true, [contractions](const RuleText& t, size_t i) { return match_o200k(t, i, 3, contractions); });
  };
  EXPECT_EQ(split("HelloWorld ABC"), (Pieces{"Hello", "World", " ABC"}));
  EXPECT_EQ(split("don't"), (Pieces{"don't"}));
  EXPECT_EQ(split("don't", false), (Pieces{"don", "'t"}));
  EXPECT_EQ(split("x!/\n/ 1234"), (Pieces{"x", "!/\n/", " ", "123", "4"}));
  const std::string mark = utf8({0x301}), alef = utf8({0x5d0});
  EXPECT_EQ(split("A" + alef), (Pieces{"A" + alef})) << "what is of neither case ends a word of both";
  EXPECT_EQ(split("A" + alef + "B"), (Pieces{"A" + alef, "B"}));
  EXPECT_EQ(split(mark + "a"), (Pieces{mark + "a"}));
  EXPECT_EQ(split(" " + mark), (Pieces{" " + mark}));
  EXPECT_EQ(split(mark), (Pieces{mark}));
  EXPECT_EQ(split("-A"), (Pieces{"-A"}));
  EXPECT_EQ(split("  a\n"), (Pieces{" ", " a", "\n"}));
}

// Ids of a form in which scripts and hashes are far apart.
constexpr uint32_t kFirstScript = 2, kFirstHash = 16;
const ert_ngram_form kForm{1u << 20, kFirstHash, kFirstScript, 1, 16};
std::vector<int32_t> ngrams(const std::string& line, const ert_ngram_form& form = kForm) {
  std::vector<int32_t> ids(256);
  ids.resize(ert_ngram_ids(&form, line.data(), line.size(), ids.data(), 256));
  return ids;
}
// The ids that stand for scripts, less the first.
std::vector<int32_t> scripts(const std::string& line) {
  std::vector<int32_t> found;
  for (const int32_t id : ngrams(line))
    if (id >= static_cast<int32_t>(kFirstScript) && id < static_cast<int32_t>(kFirstHash))
      found.push_back(id - static_cast<int32_t>(kFirstScript));
  return found;
}

// Pairs of the Unicode standard's simple case folding, around every edge of the ranges that the definition has.
TEST(Ngrams, CapitalsAreFolded) {
  const uint32_t pairs[][2] = {
      {'A', 'a'},       {'Z', 'z'},       {0xc0, 0xe0},     {0xd6, 0xf6},   {0xd8, 0xf8},   {0xde, 0xfe},   {0x130, 'i'},
      {0x178, 0xff},    {0x100, 0x101},   {0x136, 0x137},   {0x139, 0x13a}, {0x147, 0x148}, {0x14a, 0x14b}, {0x176, 0x177},
      {0x179, 0x17a},   {0x17d, 0x17e},   {0x1a0, 0x1a1},   {0x1af, 0x1b0}, {0x200, 0x201}, {0x232, 0x233}, {0x1e00, 0x1e01},
      {0x1e94, 0x1e95}, {0x1ea0, 0x1ea1}, {0x1efe, 0x1eff}, {0x490, 0x491}, {0x4be, 0x4bf}, {0x386, 0x3ac}, {0x388, 0x3ad},
      {0x38a, 0x3af},   {0x38c, 0x3cc},   {0x38e, 0x3cd},   {0x38f, 0x3ce}, {0x391, 0x3b1}, {0x3ab, 0x3cb}, {0x3c2, 0x3c3},
      {0x410, 0x430},   {0x42f, 0x44f},   {0x400, 0x450},   {0x40f, 0x45f}};
  for (const auto& p : pairs) EXPECT_EQ(ngrams(utf8({p[0], 'x'})), ngrams(utf8({p[1], 'x'}))) << std::hex << p[0];
  for (const uint32_t c : {0xdfu, 0x138u, 0x149u, 0x17fu, 0x1b1u, 0x234u, 0x3b0u, 0x450u, 0x4c0u})
    EXPECT_NE(ngrams(utf8({c, 'x'})), ngrams(utf8({c + 1, 'x'}))) << std::hex << c << " is not folded";
}

TEST(Ngrams, SeparatorsSeparate) {
  for (const uint32_t c :
       {uint32_t{' '}, uint32_t{'5'}, uint32_t{'['}, 0x7fu,   0xd7u,   0xf7u,   0x37eu,  0x387u,  0x5beu,  0x60cu,   0x61bu,
        0x61fu,        0x640u,        0x660u,        0x66du,  0x6d4u,  0x6f0u,  0x6f9u,  0x964u,  0x96fu,  0xe3fu,   0xe4fu,
        0xe5bu,        0x2000u,       0x2e7fu,       0x3000u, 0x303fu, 0x30fbu, 0xe000u, 0xfe00u, 0xff01u, 0x1f600u, 0xfffdu})
    EXPECT_EQ(ngrams(utf8({'a', 'b', c, 'c', 'd'})), ngrams("ab cd")) << std::hex << c;
  for (const uint32_t c : {0xaau, 0xbau, 0xe9u, 0x65fu, 0x200cu, 0xfb00u, 0xfdffu, 0xfe70u, 0xfefcu, 0xa000u})
    EXPECT_NE(ngrams(utf8({'a', 'b', c, 'c', 'd'})), ngrams("ab cd")) << std::hex << c << " is a letter";
}

// A run of ideographs gives each alone and with its successor: 2 n - 1 ids, and one of the script before.
TEST(Ngrams, Ideographs) {
  for (const uint32_t c : {0x4e00u, 0x3005u, 0x9fffu, 0xac00u, 0xd7a3u, 0xf900u, 0x20000u, 0x3ffffu, 0x3042u, 0xff66u})
    EXPECT_EQ(ngrams(utf8({c, c, c})).size(), 6u) << std::hex << c;
  EXPECT_EQ(ngrams(utf8({0x4e00, 'a', 'b', 0x4e00})).size(), 2u + 3 + 2) << "letters end the run";
}

TEST(Ngrams, ScriptsAreNamed) {
  const struct {
    std::vector<uint32_t> letters;
    int32_t script;
  } cases[] = {{{0x3b1, 0x1f00, 0x1fff}, 0},
               {{0x430, 0x450, 0x52f}, 1},
               {{0x5d0, 0xfb1d, 0xfb4f}, 2},
               {{0x627, 0x77f, 0x8a0, 0x8ff, 0xfb50, 0xfdff, 0xfe70, 0x200c}, 3},
               {{0x905, 0x97f}, 4},
               {{0xe01, 0xe4e}, 5},
               {{0x4e00, 0x9fff, 0x3005}, 6},
               {{0x3042, 0x30ff, 0x31f0, 0x31ff, 0xff66, 0xff9d}, 7},
               {{0xac00, 0x1100, 0x11ff, 0x3131, 0x318f}, 8},
               {{0x531, 0x780, 0x980, 0xe80, 0xfb00}, 9}};
  for (const auto& c : cases)
    for (const uint32_t letter : c.letters)
      EXPECT_EQ(scripts(utf8({letter})), (std::vector<int32_t>{c.script})) << std::hex << letter;
  for (const uint32_t latin : {uint32_t{'a'}, 0xe9u, 0x36fu, 0x1e00u, 0x1effu})
    EXPECT_EQ(scripts(utf8({latin})), std::vector<int32_t>{}) << std::hex << latin;
  EXPECT_EQ(scripts(utf8({0x3b1, 'a', 0x3b1, ' ', 0x3b1, 0x430})), (std::vector<int32_t>{0, 0, 0, 1}))
      << "where it changes and where a word begins";
}

TEST(Ngrams, WordsAreOneMoreIdUpToALength) {
  EXPECT_EQ(ngrams("a").size(), 1u);
  EXPECT_EQ(ngrams("ab").size(), 3u);
  EXPECT_EQ(ngrams(std::string(16, 'a')).size(), 17u);
  EXPECT_EQ(ngrams(std::string(17, 'a')).size(), 17u);
  EXPECT_EQ(ngrams("ab c").size(), 4u);
}

TEST(Ngrams, NoTextAndNoRoom) {
  EXPECT_EQ(ngrams(""), (std::vector<int32_t>{1}));
  EXPECT_EQ(ngrams("12 ?"), (std::vector<int32_t>{1}));
  EXPECT_EQ(ngrams("\xff\xc3"), (std::vector<int32_t>{1})) << "no UTF-8";
  EXPECT_EQ(ert_ngram_ids(&kForm, "ab", 2, nullptr, 0), 0u);
  // Every id may be the last that there is room for.
  const std::string line = utf8({0x3b1, 'b', ' ', 0x4e00, 0x4e01, 'a', 'b', ' '});
  const std::vector<int32_t> all = ngrams(line);
  for (uint32_t most = 1; most < all.size(); ++most) {
    std::vector<int32_t> ids(most + 1, -9);
    EXPECT_EQ(ert_ngram_ids(&kForm, line.data(), line.size(), ids.data(), most), most);
    EXPECT_TRUE(std::equal(ids.begin(), ids.end() - 1, all.begin())) << most;
    EXPECT_EQ(ids.back(), -9);
  }
}

}  // namespace
}  // namespace ert::testing
