// The models behind words, and the normalizers of SentencePiece that belong to them: what tables may ask for, and what they may not.
#include "tests/support/used_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;
using Ids = std::vector<int32_t>;

const ert_text_options kPlain{
    sizeof(ert_text_options), ERT_TEXT_NO_SPECIAL_TOKENS | ERT_TEXT_NO_TRUNCATION | ERT_TEXT_NO_PADDING, 0, 0, 0, 0};

// "a" to "e" are 1 to 5, "ab" 6. Nothing is normalized or cut before.
TextTables model(uint32_t kind, uint32_t flags = 0, const std::function<void(TextTables&)>& change = nullptr) {
  TextTables t = small_tables(kind, TaskKind::kNone);
  for (const K k :
       {K::kTask, K::kLabels, K::kAddedTokens, K::kAddedTrie, K::kAddedNormalizedTrie, K::kNormalizer, K::kPretokenizer})
    t.sections.erase(k);
  t.header.flags |= flags;
  if (change) change(t);
  return t;
}
Encoded encoded(const TextTables& t, const std::string& text) {
  UsedText used(t);
  EXPECT_EQ(used.status, ERT_OK);
  return used.encode(text, nullptr, &kPlain);
}

// A double array of words: each byte takes a block of 256 units of its own.
std::vector<uint32_t> trie_of(const std::map<std::string, uint32_t>& words) {
  std::vector<uint32_t> units(256, 0);
  struct Node {
    uint32_t unit, block;
  };
  std::map<std::string, Node> nodes;
  const auto new_block = [&units] {
    units.resize(units.size() + 256, 0);
    return static_cast<uint32_t>(units.size()) - 256;
  };
  const uint32_t first = new_block();
  units[0] = first << 10;
  nodes[""] = {0, first};
  for (const auto& [word, value] : words) {
    for (size_t n = 1; n <= word.size(); ++n) {
      const std::string prefix = word.substr(0, n);
      if (nodes.count(prefix) != 0) continue;
      const uint8_t byte = static_cast<uint8_t>(prefix.back());
      const uint32_t at = nodes[prefix.substr(0, n - 1)].block ^ byte, block = new_block();
      units[at] = byte | (at ^ block) << 10;
      nodes[prefix] = {at, block};
    }
    const Node& n = nodes[word];
    units[n.unit] |= 1u << 8;
    units[n.block] = value | 1u << 31;
  }
  return units;
}

TEST(TextUnigram, TheBestWayIsTaken) {
  const auto ids = [](float both, uint32_t flags) {
    return encoded(model(ERT_TEXT_UNIGRAM, flags,
                         [both](TextTables& t) {
                           t.put(K::kPieceTrie, trie_of({{"a", 1}, {"b", 2}, {"c", 3}, {"ab", 6}}));
                           t.row<float>(K::kScores, 6) = both;
                         }),
                   "cab")
        .ids;
  };
  for (const uint32_t flags : {0u, uint32_t{kFloatSums}}) {
    EXPECT_EQ(ids(-1.5f, flags), (Ids{3, 6}));
    EXPECT_EQ(ids(-2.5f, flags), (Ids{3, 1, 2}));
    EXPECT_EQ(ids(-2.0f, flags), (Ids{3, 6})) << "of equal ways the first";
  }
}

// Sums of floats begin anew where they would lose their digits; long words give the ids that short ones do.
TEST(TextUnigram, LargeScoresBeginAnew) {
  for (const float score : {-60000.0f, 60000.0f}) {
    const TextTables t = model(ERT_TEXT_UNIGRAM, kFloatSums, [score](TextTables& x) {
      x.put(K::kPieceTrie, trie_of({{"a", 1}, {"b", 2}, {"ab", 6}}));
      x.row<float>(K::kScores, 1) = x.row<float>(K::kScores, 2) = score;
      x.row<float>(K::kScores, 6) = 2 * score + 1;
    });
    EXPECT_EQ(encoded(t, "abababab").ids, (Ids{6, 6, 6, 6}));
  }
}

TEST(TextUnigram, WhatHasNoPiece) {
  const auto with = [](uint32_t flags, int32_t unknown, const std::string& text) {
    return encoded(model(ERT_TEXT_UNIGRAM, flags,
                         [=](TextTables& t) {
                           t.put(K::kPieceTrie, trie_of({{"a", 1}, {"b", 2}, {"yz", 9}}));
                           t.header.unknown = unknown;
                           std::vector<int32_t> bytes(256, -1);
                           bytes['x'] = 11;
                           t.put(K::kByteIds, bytes);
                         }),
                   text);
  };
  EXPECT_EQ(with(0, 0, "axyb").ids, (Ids{1, 0, 0, 2}));
  EXPECT_EQ(with(kFuseUnknown, 0, "axyb").ids, (Ids{1, 0, 2}));
  EXPECT_EQ(with(kFuseUnknown, 0, "xy").ids, (Ids{0}));
  EXPECT_EQ(with(kByteFallback, 0, "axyb").ids, (Ids{1, 11, 0, 2})) << "where the byte has an id";
  EXPECT_EQ(with(kByteFallback | kFuseUnknown, 0, "xxa").ids, (Ids{11, 11, 1}));
  EXPECT_EQ(with(0, -1, "ab").ids, (Ids{1, 2}));
  EXPECT_EQ(with(0, -1, "axb").status, ERT_ERR_MODEL);
}

TEST(TextUnigram, HostileTriesAreRefused) {
  const auto status = [](uint32_t value) {
    return encoded(model(ERT_TEXT_UNIGRAM, 0,
                         [value](TextTables& t) {
                           t.put(K::kPieceTrie, trie_of({{"a", value}}));
                         }),
                   "a")
        .status;
  };
  EXPECT_EQ(status(19), ERT_OK);
  EXPECT_EQ(status(20), ERT_ERR_MODEL) << "an id that is not there";
}

TEST(TextBpe, WhatHasNoPiece) {
  const auto with = [](uint32_t flags, int32_t unknown, const std::string& text) {
    return encoded(model(ERT_TEXT_BPE, flags,
                         [=](TextTables& t) {
                           t.header.unknown = unknown;
                           std::vector<int32_t> bytes(256, -1);
                           bytes['x'] = 11;
                           t.put(K::kByteIds, bytes);
                         }),
                   text);
  };
  EXPECT_EQ(with(0, 0, "abxyb").ids, (Ids{6, 0, 0, 2}));
  EXPECT_EQ(with(kFuseUnknown, 0, "abxyb").ids, (Ids{6, 0, 2}));
  EXPECT_EQ(with(kByteFallback, 0, "xyab").ids, (Ids{11, 0, 6}));
  EXPECT_EQ(with(0, -1, "axb").ids, (Ids{6})) << "left out, and its neighbours meet";
  EXPECT_EQ(with(0, -1, "x").ids, Ids{});
}

// Merges by score: of the larger of both signs first.
TEST(TextBpe, SentencePieceMergesByScore) {
  const auto with = [](float ab, float bc, int32_t unknown = 0, const std::string& text = "abc") {
    TextTables t = model(ERT_TEXT_SENTENCEPIECE_BPE, kFuseUnknown, [&](TextTables& x) {
      std::vector<std::string> pieces = {"?", "a", "b", "c", "d", "e", "ab", "bc"};
      while (pieces.size() < 20) pieces.push_back("piece" + std::to_string(pieces.size()));
      put_pieces(&x, pieces);
      x.row<float>(K::kScores, 6) = ab, x.row<float>(K::kScores, 7) = bc;
      x.header.unknown = unknown;
    });
    return encoded(t, text);
  };
  EXPECT_EQ(with(-1.0f, -2.0f).ids, (Ids{6, 3}));
  EXPECT_EQ(with(-2.0f, -1.0f).ids, (Ids{1, 7}));
  EXPECT_EQ(with(1.0f, 2.0f).ids, (Ids{1, 7}));
  EXPECT_EQ(with(2.0f, 1.0f).ids, (Ids{6, 3}));
  EXPECT_EQ(with(-1.0f, 1.0f).ids, (Ids{1, 7}));
  EXPECT_EQ(with(1.0f, -1.0f).ids, (Ids{6, 3}));
  EXPECT_EQ(with(0, 0, 0, "xya").ids, (Ids{0, 1}));
  EXPECT_EQ(with(0, 0, -1, "xa").status, ERT_ERR_MODEL);
}

// A charsmap: 'A' becomes a, U+00C4 two letters, "zz" nothing, U+FB01 two; "Ae" is longer than its own first letter.
TextTables charsmap(NormalizerKind kind, uint32_t option, uint32_t flags, const std::string& expected) {
  return model(ERT_TEXT_WORDLEVEL, flags, [&](TextTables& t) {
    const std::string strings("a\0ae\0\0fi\0 \0x\0", 13);
    t.put(K::kCharsmapStrings, std::vector<uint8_t>(strings.begin(), strings.end()));
    t.put(K::kCharsmapTrie,
          trie_of({{"A", 0}, {utf8({0xc4}), 2}, {"zz", 5}, {utf8({0xfb01}), 6}, {utf8({0x3000}), 9}, {"Ae", 11}}));
    t.put(K::kNormalizer, std::vector<Step>{{static_cast<uint32_t>(kind), option, {0, 0}, {0, 0}}});
    t.put(K::kGraphemes, code_table_of({{0x301, kExtend}, {'\r', kCr}, {'\n', kLf}}, 1));
    std::vector<std::string> pieces(20);
    for (size_t i = 1; i < pieces.size(); ++i) pieces[i] = "<" + std::to_string(i) + ">";
    pieces[0] = expected;
    put_pieces(&t, pieces);
    t.header.unknown = 19, t.header.longest = 255;
  });
}

TEST(TextNormalize, PrecompiledByGraphemes) {
  const auto becomes = [](const std::string& text, const std::string& expected) {
    return encoded(charsmap(NormalizerKind::kPrecompiled, 0, 0, expected), text).ids == Ids{0};
  };
  EXPECT_TRUE(becomes("xAy", "xay"));
  EXPECT_TRUE(becomes(utf8({'x', 0xc4, 'y'}), "xaey")) << "one becomes two";
  EXPECT_TRUE(becomes(utf8({0xfb01, 'n'}), "fin"));
  EXPECT_TRUE(becomes("Aez", "aez")) << "the shortest key of a grapheme";
  EXPECT_TRUE(becomes(utf8({'A', 0x301, 'b'}), "ab")) << "two become one";
  EXPECT_TRUE(becomes(utf8({0xc4, 0x301, 0x301, 'b'}), "ae" + utf8({0x301, 0x301}) + "b"))
      << "a long grapheme, character by character";
  EXPECT_TRUE(becomes("\r\nA", "\r\na"));
  EXPECT_TRUE(becomes(utf8({0xe9, 'b'}), utf8({0xe9, 'b'})));
}

TEST(TextNormalize, SentencePieceByTheLongestKey) {
  const auto becomes = [](uint32_t option, const std::string& text, const std::string& expected, uint32_t flags = 0) {
    const Encoded e = encoded(charsmap(NormalizerKind::kSentencePiece, option, flags | kSpmUtf8, expected), text);
    EXPECT_EQ(e.status, ERT_OK);
    return e.ids == Ids{0};
  };
  const std::string mark = "\xe2\x96\x81", bad = "\xef\xbf\xbd";
  EXPECT_TRUE(becomes(0, "xAeA", "xxa")) << "Ae, then A";
  EXPECT_TRUE(becomes(0, "xzzy", "xy"));
  EXPECT_TRUE(becomes(kEscapeSpaces, " a  b ", mark + "a" + mark + mark + "b" + mark));
  EXPECT_TRUE(becomes(kRemoveExtraSpaces, "  a " + utf8({0x3000}) + " b  ", "a b"));
  EXPECT_TRUE(becomes(kRemoveExtraSpaces | kEscapeSpaces | kAddDummyPrefix, " a  b ", mark + "a" + mark + "b"));
  EXPECT_TRUE(becomes(kEscapeSpaces | kAddDummyPrefix | kSpaceAsSuffix, "a b", "a" + mark + "b" + mark));
  EXPECT_TRUE(becomes(0,
                      "a\xff"
                      "b" +
                          bad,
                      "a" + bad + "b" + bad))
      << "bytes that are no text, and the character itself";
  EXPECT_EQ(encoded(charsmap(NormalizerKind::kSentencePiece, kRemoveExtraSpaces, kSpmUtf8, "x"), "   ").ids, Ids{})
      << "nothing is left";
}

}  // namespace
}  // namespace ert::testing
