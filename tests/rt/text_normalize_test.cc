// What a text becomes before it is cut: each normalizer on a text that shows what it does. The whole text is then one word, of which the vocabulary has
// exactly the form that is expected.
#include "tests/support/used_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

struct NormalizerStep {
  NormalizerKind kind;
  uint32_t option = 0;
  std::string a = "", b = "";
};

constexpr uint32_t kAcute = 0x301, kDotAbove = 0x307, kDotBelow = 0x323, kCedilla = 0x327, kVowelAA = 0x9be;

// A few characters of Unicode, as its data has them.
TextTables normalizing(const std::vector<NormalizerStep>& steps, const std::string& expected) {
  TextTables t = small_tables(ERT_TEXT_WORDLEVEL, TaskKind::kNone);
  for (const K k :
       {K::kTask, K::kLabels, K::kAddedTokens, K::kAddedTrie, K::kAddedNormalizedTrie, K::kPretokenizer, K::kRuleClasses})
    t.sections.erase(k);
  Strings strings;
  t.row<Ending>(K::kEnding).prefix = t.row<Ending>(K::kEnding).suffix = t.row<Ending>(K::kEnding).unknown = {0, 0};
  t.put(K::kTemplate, std::vector<TemplatePiece>{{1, 0, 0}, {1, 0, 0}, {2, 0, 1}});
  t.row<Ending>(K::kEnding).single_pieces = 1;
  t.row<Step>(K::kDecoder).a = {0, 0};
  std::vector<Step> rows;
  for (const NormalizerStep& s : steps)
    rows.push_back({static_cast<uint32_t>(s.kind), s.option, strings.add(s.a), strings.add(s.b)});
  t.put(K::kNormalizer, rows);
  strings.put(&t);
  std::vector<uint8_t> mappings;
  const auto mapping = [&](std::initializer_list<uint32_t> codes) {
    const uint32_t value = 1 + static_cast<uint32_t>(mappings.size()) / 2;
    const std::string s = utf8(codes);
    mappings.push_back(static_cast<uint8_t>(s.size()));
    mappings.insert(mappings.end(), s.begin(), s.end());
    if (mappings.size() % 2 != 0) mappings.push_back(0);
    return value;
  };
  const std::map<uint32_t, uint32_t> canonical = {
      {0xe9, mapping({'e', kAcute})}, {0x1e69, mapping({'s', kDotBelow, kDotAbove})}, {0x9cb, mapping({0x9c7, kVowelAA})}};
  std::map<uint32_t, uint32_t> compatible = canonical;
  compatible[0xfb01] = mapping({'f', 'i'}), compatible[0xa0] = mapping({' '});
  t.put(K::kDecompositions, code_table_of(canonical, 2));
  t.put(K::kCompatible, code_table_of(compatible, 2));
  t.put(K::kCombining, code_table_of({{kAcute, 230}, {kDotAbove, 230}, {kDotBelow, 220}, {kCedilla, 202}, {kVowelAA, 254}}, 1));
  t.put(K::kCompositions,
        std::vector<Composition>{
            {'e', kAcute, 0xe9}, {'s', kDotBelow, 0x1e63}, {0x9c7, kVowelAA, 0x9cb}, {0x1e63, kDotAbove, 0x1e69}});
  t.put(K::kLowercase,
        code_table_of(
            {{'A', mapping({'a'})}, {0xc9, mapping({0xe9})}, {0x130, mapping({'i', kDotAbove})}, {0x212a, mapping({'k'})}}, 2));
  t.put(K::kMappings, mappings);
  t.put(K::kClasses, code_table_of({{' ', kClassSpace},
                                    {'\t', kClassSpace | kClassControl},
                                    {'\n', kClassSpace | kClassControl},
                                    {'\r', kClassSpace | kClassControl},
                                    {0x3000, kClassSpace},
                                    {1, kClassControl},
                                    {0x7f, kClassControl},
                                    {kAcute, kClassMark},
                                    {kDotBelow, kClassMark}},
                                   1));
  std::vector<std::string> pieces(20);
  for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = "<" + std::to_string(i) + ">";
  pieces[0] = expected;
  put_pieces(&t, pieces);
  t.header.unknown = 19, t.header.longest = 255;
  return t;
}

// Whether `text` becomes `expected`, with spans that rise and lie inside it.
bool becomes(const std::vector<NormalizerStep>& steps, const std::string& text, const std::string& expected) {
  UsedText used(normalizing(steps, expected));
  EXPECT_EQ(used.status, ERT_OK);
  const Encoded e = used.encode(text);
  EXPECT_EQ(e.status, ERT_OK);
  for (const ert_span& s : e.offsets) {
    EXPECT_LE(s.start, s.end);
    EXPECT_LE(s.end, text.size());
  }
  return e.ids == std::vector<int32_t>{0};
}

TEST(TextNormalize, CanonicalForms) {
  const std::vector<NormalizerStep> nfc = {{NormalizerKind::kNfc}}, nfd = {{NormalizerKind::kNfd}};
  EXPECT_TRUE(becomes(nfd, utf8({'x', 0xe9, 'y'}), utf8({'x', 'e', kAcute, 'y'})));
  EXPECT_TRUE(becomes(nfc, utf8({'x', 'e', kAcute, 'y'}), utf8({'x', 0xe9, 'y'})));
  EXPECT_TRUE(becomes(nfc, "only ASCII", "only ASCII"));
  EXPECT_TRUE(becomes(nfc, utf8({0xdf, 'e', kAcute}), utf8({0xdf, 0xe9})));
  EXPECT_TRUE(becomes(nfd, utf8({0x1e69}), utf8({'s', kDotBelow, kDotAbove})));
  EXPECT_TRUE(becomes(nfc, utf8({'s', kDotAbove, kDotBelow}), utf8({0x1e69}))) << "brought into order first";
  EXPECT_TRUE(becomes(nfd, utf8({'s', kDotAbove, kDotBelow, kCedilla, 'a', kAcute, kDotBelow}),
                      utf8({'s', kCedilla, kDotBelow, kDotAbove, 'a', kDotBelow, kAcute})));
  EXPECT_TRUE(becomes(nfc, utf8({'e', kCedilla, kAcute}), utf8({0xe9, kCedilla}))) << "what stands between moves on";
  EXPECT_TRUE(becomes(nfc, utf8({'e', kAcute, kAcute}), utf8({0xe9, kAcute})));
  EXPECT_TRUE(becomes(nfc, utf8({'e', kDotAbove, kAcute}), utf8({'e', kDotAbove, kAcute}))) << "of the same class: blocked";
  EXPECT_TRUE(becomes(nfc, utf8({kAcute, 'e', kAcute}), utf8({kAcute, 0xe9}))) << "nothing to stand on";
  EXPECT_TRUE(becomes(nfc, utf8({kAcute, kDotBelow}), utf8({kDotBelow, kAcute})));
  EXPECT_TRUE(becomes(nfc, utf8({0x9c7, kVowelAA}), utf8({0x9cb}))) << "a second part of class 0";
  EXPECT_TRUE(becomes(nfc, utf8({0x9c7, 'a', kVowelAA}), utf8({0x9c7, 'a', kVowelAA})));
  EXPECT_TRUE(becomes(nfc, utf8({'z', kAcute}), utf8({'z', kAcute}))) << "no such pair";
}

TEST(TextNormalize, Hangul) {
  const std::vector<NormalizerStep> nfc = {{NormalizerKind::kNfc}}, nfd = {{NormalizerKind::kNfd}};
  const std::string syllables = utf8({0xac00, 0xac01, 0xd7a3}),
                    letters = utf8({0x1100, 0x1161, 0x1100, 0x1161, 0x11a8, 0x1112, 0x1175, 0x11c2});
  EXPECT_TRUE(becomes(nfd, syllables, letters));
  EXPECT_TRUE(becomes(nfc, letters, syllables));
  EXPECT_TRUE(becomes(nfc, utf8({0xac00, 0x11a8}), utf8({0xac01})));
  EXPECT_TRUE(becomes(nfc, utf8({0xac01, 0x11a8}), utf8({0xac01, 0x11a8}))) << "has its end already";
  EXPECT_TRUE(becomes(nfc, utf8({0xac00, 0x11a7}), utf8({0xac00, 0x11a7}))) << "one before the first end";
  EXPECT_TRUE(becomes(nfc, utf8({0xac00, 0x11c3}), utf8({0xac00, 0x11c3}))) << "one behind the last";
  EXPECT_TRUE(becomes(nfc, utf8({0x1113, 0x1161}), utf8({0x1113, 0x1161}))) << "an old consonant";
  EXPECT_TRUE(becomes(nfc, utf8({0x1100, 0x1176}), utf8({0x1100, 0x1176}))) << "an old vowel";
}

TEST(TextNormalize, CompatibleForms) {
  const std::string text = utf8({0xfb01, 0xa0, 'e', kAcute});
  EXPECT_TRUE(becomes({{NormalizerKind::kNfkc}}, text, utf8({'f', 'i', ' ', 0xe9})));
  EXPECT_TRUE(becomes({{NormalizerKind::kNfkd}}, text, utf8({'f', 'i', ' ', 'e', kAcute})));
  EXPECT_TRUE(becomes({{NormalizerKind::kNfc}}, text, utf8({0xfb01, 0xa0, 0xe9})));
}

TEST(TextNormalize, Lowercase) {
  const std::vector<NormalizerStep> lower = {{NormalizerKind::kLowercase}};
  EXPECT_TRUE(becomes(lower, utf8({'A', 'b', 0xc9}), utf8({'a', 'b', 0xe9})));
  EXPECT_TRUE(becomes(lower, utf8({'x', 0x130, 'A', 0x130}), utf8({'x', 'i', kDotAbove, 'a', 'i', kDotAbove}))) << "longer";
  EXPECT_TRUE(becomes(lower, utf8({0x212a, 'A'}), "ka")) << "shorter";
}

TEST(TextNormalize, MarksGo) {
  for (const uint32_t option : {0u, 1u}) {
    EXPECT_TRUE(becomes({{NormalizerKind::kStripAccents, option}}, utf8({'a', kAcute, 'b', kDotBelow, kAcute, 0x9c7}),
                        utf8({'a', 'b', 0x9c7})));
    EXPECT_TRUE(becomes({{NormalizerKind::kStripAccents, option}}, utf8({0xe9, 'a'}), utf8({0xe9, 'a'})));
  }
  // Where the tokenizer has both meanings, BertNormalizer's is in a table of its own.
  TextTables t = normalizing({{NormalizerKind::kStripAccents, 1}}, utf8({'a', kAcute}));
  t.put(K::kRuleClasses, code_table_of({{kDotBelow, kClassBertMark}}, 1));
  UsedText used(t);
  ASSERT_EQ(used.status, ERT_OK);
  EXPECT_EQ(used.encode(utf8({'a', kDotBelow, kAcute})).ids, (std::vector<int32_t>{0}));
}

TEST(TextNormalize, BertCleansAndSetsIdeographsApart) {
  const std::vector<NormalizerStep> clean = {{NormalizerKind::kBertClean}}, chinese = {{NormalizerKind::kBertChinese}};
  EXPECT_TRUE(
      becomes(clean, std::string("a\0b\x01\x7f\tc\n\rd", 11) + utf8({0x3000, 'e', 0xfffd, 0xe9}), "ab c  d e" + utf8({0xe9})));
  EXPECT_TRUE(becomes(clean, "a b", "a b"));
  for (const uint32_t c : {0x4e00u, 0x9fffu, 0x3400u, 0x4dbfu, 0x20000u, 0x2a6dfu, 0x2a700u, 0x2b81fu, 0x2b920u, 0x2ceafu,
                           0xf900u, 0xfaffu, 0x2f800u, 0x2fa1fu})
    EXPECT_TRUE(becomes(chinese, utf8({'a', c, 'b'}), "a " + utf8({c}) + " b")) << std::hex << c;
  for (const uint32_t c :
       {0xe9u, 0x33ffu, 0x4dc0u, 0xa000u, 0xac00u, 0xfb00u, 0x1ffffu, 0x2a6e0u, 0x2b820u, 0x2ceb0u, 0x2fa20u, 0x30000u})
    EXPECT_TRUE(becomes(chinese, utf8({'a', c, 'b'}), utf8({'a', c, 'b'}))) << std::hex << c;
}

TEST(TextNormalize, NmtDropsAndSpaces) {
  const std::vector<NormalizerStep> nmt = {{NormalizerKind::kNmt}};
  for (const uint32_t c : {1u, 8u, 0xbu, 0xeu, 0x1fu, 0x7fu, 0x8fu, 0x9fu})
    EXPECT_TRUE(becomes(nmt, utf8({'a', c, 'b'}), "ab")) << std::hex << c;
  for (const uint32_t c : {9u, 0xau, 0xcu, 0xdu, 0x1680u, 0x200bu, 0x200fu, 0x2028u, 0x2029u, 0x2581u, 0xfeffu, 0xfffdu})
    EXPECT_TRUE(becomes(nmt, utf8({'a', c, 'b'}), "a b")) << std::hex << c;
  for (const uint32_t c : {0u, 0x20u, 0x7eu, 0x80u, 0x90u, 0xa0u, 0x200au, 0x2010u, 0x202au, 0x2582u})
    EXPECT_TRUE(becomes(nmt, utf8({'a', c, 'b'}), utf8({'a', c, 'b'}))) << std::hex << c;
}

TEST(TextNormalize, ReplacePrependStrip) {
  using Pattern = PatternKind;
  const auto replace = [](Pattern p, const std::string& a, const std::string& b) {
    return std::vector<NormalizerStep>{{NormalizerKind::kReplace, static_cast<uint32_t>(p), a, b}};
  };
  EXPECT_TRUE(becomes(replace(Pattern::kString, "ab", "xyz"), "cabab a", "cxyzxyz a"));
  EXPECT_TRUE(becomes(replace(Pattern::kString, "ab", ""), "cabd", "cd"));
  EXPECT_TRUE(becomes(replace(Pattern::kString, "", "x"), "ab", "ab")) << "nothing is not found everywhere";
  EXPECT_TRUE(becomes(replace(Pattern::kWhitespaceRun, "", "_"), "a \t b" + utf8({0x3000}), "a_b_"));
  EXPECT_TRUE(becomes(replace(Pattern::kSpaceRun, "", "_"), "a b  c   d ", "a b_c_d "));
  EXPECT_TRUE(becomes({{NormalizerKind::kPrepend, 0, "<<"}}, "ab", "<<ab"));
  for (const uint32_t sides : {0u, 1u, 2u, 3u}) {
    const std::string left = (sides & 1) != 0 ? "" : " " + utf8({0x3000}), right = (sides & 2) != 0 ? "" : utf8({0x3000}) + " ";
    EXPECT_TRUE(
        becomes({{NormalizerKind::kStrip, sides}}, " " + utf8({0x3000}) + "a b" + utf8({0x3000}) + " ", left + "a b" + right))
        << sides;
  }
  UsedText used(normalizing({{NormalizerKind::kStrip, 3}}, "x"));
  EXPECT_EQ(used.encode("   ").ids, std::vector<int32_t>{}) << "nothing is left";
}

// A step that makes more of a text than the header promises (hostile: the room is what the header says) is refused, and nothing behind the memory is written.
TEST(TextNormalize, MoreThanTheTablesPromiseIsRefused) {
  const auto status = [](const std::vector<NormalizerStep>& steps, std::initializer_list<uint32_t> codes) {
    TextTables t = normalizing(steps, "x");
    t.header.expansion = 1, t.header.extra = 0;
    UsedText used(t);
    EXPECT_EQ(used.status, ERT_OK);
    std::string text;
    for (int i = 0; i < 400; ++i) text += utf8(codes);
    return used.encode(text).status;
  };
  EXPECT_EQ(status({{NormalizerKind::kNfd}}, {0xe9}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kNfd}}, {0xac00}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kNfd}}, {0xac01}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kNfd}}, {0xac01, 'a'}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kNfc}}, {0x1e69}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kLowercase}}, {0x130}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kLowercase}}, {0x130, 'b'}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kBertChinese}}, {0x4e00}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kBertChinese}}, {0x4e00, 'a', 'b'}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kReplace, 0, "a", "long enough"}}, {'a'}), ERT_ERR_MODEL);
  EXPECT_EQ(status({{NormalizerKind::kReplace, 0, "a", "long enough"}}, {'a', 'b', 'c', 'd'}), ERT_ERR_MODEL);
  EXPECT_EQ(
      status({{NormalizerKind::kPrepend, 0, std::string(250, 'a')}, {NormalizerKind::kPrepend, 0, std::string(250, 'b')}}, {'a'}),
      ERT_ERR_MODEL);
}

}  // namespace
}  // namespace ert::testing
