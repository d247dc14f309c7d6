// Where text is cut into words, and what added tokens take out of it before. Words are told by their spans of the text.
#include "tests/support/used_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;
using Words = std::vector<std::string>;

struct PretokenizerStep {
  PretokenizerKind kind;
  uint32_t option = 0;
  std::string a = "";
};

constexpr int32_t kUnknownId = 19, kAddedId = 17;

// No word is in the vocabulary. '@' is an added token of the text as it is, '%' of the normalized text.
TextTables cutting(const std::vector<PretokenizerStep>& steps, uint32_t flags_of_added = 0) {
  TextTables t = small_tables(ERT_TEXT_WORDLEVEL, TaskKind::kNone);
  for (const K k : {K::kTask, K::kLabels, K::kNormalizer, K::kRuleClasses}) t.sections.erase(k);
  Strings strings;
  t.row<Ending>(K::kEnding).prefix = t.row<Ending>(K::kEnding).suffix = t.row<Ending>(K::kEnding).unknown = {0, 0};
  t.row<Ending>(K::kEnding).single_pieces = 1;
  t.put(K::kTemplate, std::vector<TemplatePiece>{{1, 0, 0}, {1, 0, 0}, {2, 0, 1}});
  t.row<Step>(K::kDecoder).a = {0, 0};
  std::vector<Step> rows;
  for (const PretokenizerStep& s : steps) rows.push_back({static_cast<uint32_t>(s.kind), s.option, strings.add(s.a), {0, 0}});
  t.put(K::kPretokenizer, rows);
  t.put(K::kAddedTokens, std::vector<AddedToken>{{kAddedId, strings.add("@"), flags_of_added},
                                                 {18, strings.add("%"), flags_of_added | kAddedNormalized}});
  std::vector<uint32_t> trie[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const uint8_t key = i == 0 ? '@' : '%';
    trie[i].assign(1024, 0);
    trie[i][0] = 256u << 10;
    trie[i][256u ^ key] = key | 1u << 8 | 512u << 10;
    trie[i][768u ^ key] = i | 1u << 31;
  }
  t.put(K::kAddedTrie, trie[0]);
  t.put(K::kAddedNormalizedTrie, trie[1]);
  strings.put(&t);
  std::map<uint32_t, uint32_t> classes = {
      {' ', kClassSpace}, {'\t', kClassSpace}, {'.', kClassPunctuation}, {'!', kClassPunctuation}, {0x3000, kClassSpace}};
  for (uint32_t c = 'a'; c <= 'z'; ++c) classes[c] = kClassWord | kClassLetter;
  for (uint32_t c = '0'; c <= '9'; ++c) classes[c] = kClassWord | kClassNumber | kClassNumeric;
  t.put(K::kClasses, code_table_of(classes, 1));
  t.header.unknown = kUnknownId, t.header.longest = 255;
  return t;
}

Words words_of(const TextTables& t, const std::string& text) {
  UsedText used(t);
  EXPECT_EQ(used.status, ERT_OK);
  const Encoded e = used.encode(text);
  EXPECT_EQ(e.status, ERT_OK);
  Words w;
  for (const ert_span& s : e.offsets) w.push_back(text.substr(s.start, s.end - s.start));
  return w;
}
Words words(const std::vector<PretokenizerStep>& steps, const std::string& text) { return words_of(cutting(steps), text); }
ert_status status_of(const std::vector<PretokenizerStep>& steps, const std::string& text) {
  return UsedText(cutting(steps)).encode(text).status;
}

using P = PretokenizerKind;

TEST(TextPretokenize, WithoutStepsTheTextIsOneWord) { EXPECT_EQ(words({}, "a b. c"), (Words{"a b. c"})); }

TEST(TextPretokenize, ByCharacters) {
  EXPECT_EQ(words({{P::kBert}}, " ab.c!  d\t"), (Words{"ab", ".", "c", "!", "d"}));
  EXPECT_EQ(words({{P::kWhitespace}}, "ab.c!! _d\t9"), (Words{"ab", ".", "c", "!!", "_", "d", "9"}));
  EXPECT_EQ(words({{P::kWhitespaceSplit}}, " ab.c  d" + utf8({0x3000}) + "e "), (Words{"ab.c", "d", "e"}));
  EXPECT_EQ(words({{P::kDigits, 0}}, "a12b3"), (Words{"a", "12", "b", "3"}));
  EXPECT_EQ(words({{P::kDigits, 1}}, "12b3"), (Words{"1", "2", "b", "3"}));
  EXPECT_EQ(words({{P::kWhitespaceSplit}, {P::kDigits, 1}}, "a1 2b"), (Words{"a", "1", "2", "b"}));
}

TEST(TextPretokenize, BehaviorsOfPunctuation) {
  const auto cut = [](Behavior b, const std::string& text) { return words({{P::kPunctuation, static_cast<uint32_t>(b)}}, text); };
  EXPECT_EQ(cut(Behavior::kRemoved, ".a..b!"), (Words{"a", "b"}));
  EXPECT_EQ(cut(Behavior::kIsolated, ".a..b!"), (Words{".", "a", ".", ".", "b", "!"}));
  EXPECT_EQ(cut(Behavior::kMergedWithPrevious, ".a..b!c"), (Words{".", "a.", ".", "b!", "c"}));
  EXPECT_EQ(cut(Behavior::kMergedWithNext, "a.b..c."), (Words{"a", ".b", ".", ".c", "."}));
  EXPECT_EQ(cut(Behavior::kContiguous, ".a..b!."), (Words{".", "a", "..", "b", "!."}));
  EXPECT_EQ(status_of({{P::kPunctuation, static_cast<uint32_t>(Behavior::kCount)}}, "a"), ERT_ERR_MODEL);
}

TEST(TextPretokenize, Split) {
  const auto split = [](SplitRule rule, Behavior b, const std::string& text, bool invert = false, const std::string& with = "") {
    return words({{P::kSplit, static_cast<uint32_t>(b) + (invert ? 16u : 0u) + 256 * static_cast<uint32_t>(rule), with}}, text);
  };
  EXPECT_EQ(split(SplitRule::kText, Behavior::kRemoved, "ab--c-d--", false, "--"), (Words{"ab", "c-d"}));
  EXPECT_EQ(split(SplitRule::kText, Behavior::kRemoved, "ab--c", true, "--"), (Words{"--"}));
  EXPECT_EQ(split(SplitRule::kText, Behavior::kIsolated, "ab", false, ""), (Words{"ab"})) << "nothing is not found everywhere";
  EXPECT_EQ(split(SplitRule::kText, Behavior::kIsolated, "-a", false, "-"), (Words{"-", "a"}));
  EXPECT_EQ(split(SplitRule::kGpt2, Behavior::kIsolated, "it's 12"), (Words{"it", "'s", " 12"}));
  EXPECT_EQ(split(SplitRule::kClip, Behavior::kRemoved, "ab 12", true), (Words{"ab", "1", "2"}));
  EXPECT_EQ(split(SplitRule::kCl100k, Behavior::kIsolated, "ab 1234"), (Words{"ab", " ", "123", "4"}));
  EXPECT_EQ(split(SplitRule::kQwen2, Behavior::kIsolated, "a12"), (Words{"a", "1", "2"}));
  EXPECT_EQ(split(SplitRule::kO200k, Behavior::kIsolated, "1234"), (Words{"123", "4"}));
  EXPECT_EQ(split(SplitRule::kTekken, Behavior::kIsolated, "12"), (Words{"1", "2"}));
  EXPECT_EQ(split(SplitRule::kSpaces, Behavior::kRemoved, "a  b\tc"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split(SplitRule::kDigitRuns, Behavior::kIsolated, "a12345"), (Words{"a", "123", "45"}));
  EXPECT_EQ(status_of({{P::kSplit, static_cast<uint32_t>(Behavior::kCount)}}, "a"), ERT_ERR_MODEL);
  EXPECT_EQ(status_of({{P::kSplit, 256 * static_cast<uint32_t>(SplitRule::kCount)}}, "a"), ERT_ERR_MODEL);
}

TEST(TextPretokenize, Metaspace) {
  const std::string mark = "\xe2\x96\x81";
  const auto meta = [&](uint32_t option, const std::string& text) { return words({{P::kMetaspace, option, mark}}, text); };
  EXPECT_EQ(meta(kPrependAlways | kMetaspaceSplit, "ab c  d"), (Words{"ab", " c", " ", " d"}));
  EXPECT_EQ(meta(kPrependNever, "ab c"), (Words{"ab c"}));
  EXPECT_EQ(meta(kPrependFirst | kMetaspaceSplit, " ab" + mark + "c"), (Words{" ab", mark + "c"}));
  EXPECT_EQ(meta(kPrependFirst | kMetaspaceSplit, mark + "ab@c d"), (Words{mark + "ab", "@", "c", " d"}));
  EXPECT_EQ(words({{P::kWhitespaceSplit}, {P::kMetaspace, kPrependAlways | kMetaspaceSplit, mark}}, " a  %b "),
            (Words{"a", "%", "b"}));
  EXPECT_EQ(status_of({{P::kMetaspace, 0, ""}}, "a"), ERT_ERR_MODEL);
  EXPECT_EQ(status_of({{P::kMetaspace, 0, "12345"}}, "a"), ERT_ERR_MODEL);
}

TEST(TextPretokenize, ByteLevel) {
  EXPECT_EQ(words({{P::kByteLevel, 2}}, "ab c"), (Words{"ab", " c"}));
  EXPECT_EQ(words({{P::kByteLevel, 3}}, "ab c"), (Words{"ab", " c"}));
  EXPECT_EQ(words({{P::kByteLevel, 1}}, " ab c"), (Words{" ab c"}));
  EXPECT_EQ(words({{P::kByteLevel, 0}}, "ab c"), (Words{"ab c"}));
  EXPECT_EQ(words({{P::kWhitespaceSplit}, {P::kByteLevel, 1}}, "a % b"), (Words{"a", "%", "b"}));
}

// More than the header promises room for.
TEST(TextPretokenize, MoreThanTheTablesPromiseIsRefused) {
  const auto status = [](const std::vector<PretokenizerStep>& steps, const std::string& unit) {
    TextTables t = cutting(steps);
    t.header.expansion = 1, t.header.extra = 0;
    std::string text;
    for (int i = 0; i < 500; ++i) text += unit;
    return UsedText(t).encode(text).status;
  };
  EXPECT_EQ(status({{P::kMetaspace, kPrependAlways, "\xe2\x96\x81"}}, " "), ERT_ERR_MODEL);
  EXPECT_EQ(status({{P::kMetaspace, kPrependAlways, "\xe2\x96\x81"}}, "a "), ERT_ERR_MODEL);
  EXPECT_EQ(status({{P::kWhitespaceSplit}, {P::kMetaspace, kPrependAlways, "\xe2\x96\x81"}}, "a "), ERT_ERR_MODEL);
  EXPECT_EQ(status({{P::kDigits, 1}, {P::kByteLevel, 1}}, "1"), ERT_ERR_MODEL);
  EXPECT_EQ(status({{P::kDigits, 1}, {P::kByteLevel, 1}}, "1%"), ERT_ERR_MODEL);
}

// Bytes that are no UTF-8 become U+FFFD, three bytes each, of the span of what they stand for.
TEST(TextPretokenize, BytesThatAreNoTextAreReplaced) {
  for (const std::string bad : {"\x80", "\xc1\xbf", "\xf5\x80\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                                "\xf4\x90\x80\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xe2\x82x"}) {
    UsedText used(cutting({{P::kBert}}));
    const Encoded e = used.encode("a " + bad + " b");
    ASSERT_EQ(e.status, ERT_OK);
    ASSERT_EQ(e.offsets.size(), 3u);
    EXPECT_EQ(e.offsets[1].start, 2u);
    EXPECT_EQ(e.offsets[1].end, 2 + bad.size());
  }
  for (const std::string& good :
       {utf8({0xe9}), utf8({0x800}), utf8({0xd7ff}), utf8({0xe000}), utf8({0xfffd}), utf8({0x10000}), utf8({0x10ffff})})
    EXPECT_EQ(words({{P::kBert}}, "a " + good), (Words{"a", good}));
}

TEST(TextAdded, AreTakenOut) {
  EXPECT_EQ(words({{P::kWhitespaceSplit}}, "a@b c%d@%"), (Words{"a", "@", "b", "c", "%", "d", "@", "%"}));
  UsedText used(cutting({{P::kWhitespaceSplit}}));
  EXPECT_EQ(used.encode("a@%").ids, (std::vector<int32_t>{1, kAddedId, 18}));
  EXPECT_EQ(used.encode("@").ids, (std::vector<int32_t>{kAddedId}));
}

TEST(TextAdded, MayBeWholeWordsOnly) {
  const TextTables t = cutting({{P::kWhitespaceSplit}}, kAddedSingleWord);
  EXPECT_EQ(words_of(t, "a@b @ .@. @b a@"), (Words{"a@b", "@", ".", "@", ".", "@b", "a@"}));
  EXPECT_EQ(words_of(t, "a%b % .%. %b a%"), (Words{"a%b", "%", ".", "%", ".", "%b", "a%"}));
  EXPECT_EQ(words_of(t, "@"), (Words{"@"}));
  EXPECT_EQ(words_of(t, utf8({0x3000}) + "@" + utf8({0x3000})), (Words{"@"}));
  EXPECT_EQ(words_of(t, "\xa0@"), (Words{"\xa0", "@"})) << "a byte that is no text before it";
}

TEST(TextAdded, TakeWhiteSpaceAtTheirSides) {
  const TextTables left = cutting({{P::kWhitespaceSplit}}, kAddedLstrip), right = cutting({{P::kWhitespaceSplit}}, kAddedRstrip),
                   both = cutting({{P::kWhitespaceSplit}}, kAddedLstrip | kAddedRstrip);
  for (const std::string token : {"@", "%"}) {
    EXPECT_EQ(words_of(left, "a  " + token + "  b"), (Words{"a", "  " + token, "b"}));
    EXPECT_EQ(words_of(right, "a  " + token + "  b"), (Words{"a", token + "  ", "b"}));
    EXPECT_EQ(words_of(right, "a" + token + "  "), (Words{"a", token + "  "}));
    EXPECT_EQ(words_of(both, " " + token + utf8({0x3000}) + "b"), (Words{" " + token + utf8({0x3000}), "b"}));
    EXPECT_EQ(words_of(left, "  " + token), (Words{"  " + token}));
  }
  // What lies between two is the first one's.
  EXPECT_EQ(words_of(both, "@  @ b"), (Words{"@  ", "@ ", "b"}));
  EXPECT_EQ(words_of(both, "a %  % %b").size(), 5u);
}

}  // namespace
}  // namespace ert::testing
