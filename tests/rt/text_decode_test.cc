// Ids to text: each decoder on pieces that show what it does, and text that is cut at every length.
#include "tests/support/used_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

struct DecoderStep {
  DecoderKind kind;
  uint32_t option = 0;
  std::string a = "", b = "";
};

// Twenty pieces, of which the first are these, and decoder steps. Added tokens: 18 is special, 17 is spelled by its content "<M>".
TextTables decoding(const std::vector<DecoderStep>& steps, std::vector<std::string> pieces, uint32_t kind = ERT_TEXT_BPE) {
  TextTables t = small_tables(kind, TaskKind::kNone);
  Strings strings;
  std::vector<Step> rows;
  for (const DecoderStep& s : steps)
    rows.push_back({static_cast<uint32_t>(s.kind), s.option, strings.add(s.a), strings.add(s.b)});
  t.put(K::kDecoder, rows);
  while (pieces.size() < 17) pieces.push_back("piece" + std::to_string(pieces.size()));
  pieces.insert(pieces.end(), {"<m>", "[C]", "[S]"});
  put_pieces(&t, pieces);
  t.put(K::kAddedTokens,
        std::vector<AddedToken>{{17, strings.add("<M>"), kAddedDecoded}, {18, strings.add("[C]"), kAddedSpecial}});
  t.row<Ending>(K::kEnding).prefix = t.row<Ending>(K::kEnding).suffix = {0, 0};
  t.row<Ending>(K::kEnding).unknown = {0, 0};
  t.row<Task>(K::kTask).hypothesis = {0, 0};
  t.sections.erase(K::kLabels), t.sections.erase(K::kTask);
  strings.put(&t);
  return t;
}

std::string decoded(const TextTables& t, const std::vector<int32_t>& ids, bool skip_special = false) {
  UsedText used(t);
  EXPECT_EQ(used.status, ERT_OK);
  return used.decode(ids, skip_special);
}

TEST(TextDecode, IdsWithoutPieceAreLeftOut) {
  const TextTables t = decoding({}, {"ab", "", "c"});
  EXPECT_EQ(decoded(t, {0, 1, 2, -1, 20, INT32_MAX, INT32_MIN, 0}), "abcab");
  EXPECT_EQ(decoded(t, {}), "");
  EXPECT_EQ(decoded(t, {17, 18, 19}), "<M>[C][S]");
  EXPECT_EQ(decoded(t, {18, 17, 18, 19, 18}, true), "<M>[S]");
}

TEST(TextDecode, Join) { EXPECT_EQ(decoded(decoding({{DecoderKind::kJoin}}, {"ab", "", "c"}), {0, 1, 2, 0}), "ab c ab"); }

TEST(TextDecode, WordPieceCleansUp) {
  const std::vector<std::string> pieces = {"he", "##llo", ".", "n't", "'s", "'ve", "'re", "'m",
                                           "'x", "n",     "?", "!",   ",",  "##",  "'"};
  const std::vector<int32_t> ids = {1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  EXPECT_EQ(decoded(decoding({{DecoderKind::kWordPiece, 1, "##"}}, pieces), ids), "##llo hello.n't's've're'm 'x n?!, '");
  EXPECT_EQ(decoded(decoding({{DecoderKind::kWordPiece, 0, "##"}}, pieces), ids), "##llo hello . n't 's 've 're 'm 'x n ? ! , '");
}

TEST(TextDecode, Metaspace) {
  const std::string mark = "\xe2\x96\x81";
  const std::vector<std::string> pieces = {mark + "a", "b" + mark + mark + "c", "\xe2\x96"};
  EXPECT_EQ(decoded(decoding({{DecoderKind::kMetaspace, kPrependAlways, mark}}, pieces), {0, 1, 0}), "ab  c a");
  EXPECT_EQ(decoded(decoding({{DecoderKind::kMetaspace, kPrependNever, mark}}, pieces), {0, 1, 0}), " ab  c a");
  EXPECT_EQ(decoded(decoding({{DecoderKind::kMetaspace, kPrependNever, ""}}, pieces), {0}), mark + "a")
      << "nothing is not found everywhere";
  EXPECT_EQ(decoded(decoding({{DecoderKind::kMetaspace, kPrependNever, mark}}, pieces), {2}), "\xe2\x96") << "half of it";
}

TEST(TextDecode, SuffixesAreSpaces) {
  EXPECT_EQ(decoded(decoding({{DecoderKind::kBpeSuffix, 0, "</w>"}}, {"a", "b</w>"}), {0, 1, 0, 1}), "ab ab");
}

TEST(TextDecode, Replace) {
  EXPECT_EQ(decoded(decoding({{DecoderKind::kReplace, 0, "aa", "x"}}, {"aaa", "ba"}), {0, 1, 0}), "xabaxa");
}

// Printable letters are their bytes; those from U+0100 on are the others. A piece with another character is the bytes that it has.
TEST(TextDecode, LettersForBytes) {
  const std::string space = utf8({0x120}), line_end = utf8({0x10a}), soft_hyphen = utf8({0x143}), e_acute = utf8({0xc3, 0xa9});
  const std::string cut = utf8({0xc3}), rest = utf8({0xa9}), euro = utf8({0xe2, 0x12b, 0xac}),
                    face = utf8({0xf0, 0x141, 0x13a, 0x122});
  const std::vector<std::string> pieces = {
      "a" + space + "b",   line_end,     e_acute,       cut,         rest,        euro, face, "a b", utf8({0x3b1}),
      utf8({0xe2, 0x12b}), utf8({0xf0}), utf8({0x144}), soft_hyphen, utf8({0xff})};
  const auto text = [&](const std::vector<int32_t>& ids) {
    return decoded(decoding({{DecoderKind::kByteLevel, 1}}, pieces), ids);
  };
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(text({0, 1, 2}), "a b\n\xc3\xa9");
  EXPECT_EQ(text({3, 4}), "\xc3\xa9") << "a character of two tokens";
  EXPECT_EQ(text({5, 6}), "\xe2\x89\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(text({7, 8}), "a b\xce\xb1") << "pieces that are no letters of bytes";
  EXPECT_EQ(text({11}), utf8({0x144}));
  EXPECT_EQ(text({3}), bad) << "half a character at the end";
  EXPECT_EQ(text({3, 0}), bad + "a b");
  EXPECT_EQ(text({4}), bad) << "a byte that begins nothing";
  EXPECT_EQ(text({9, 3, 4}), bad + "\xc3\xa9") << "one for the part that began a character";
  EXPECT_EQ(text({10, 10}), bad + bad);
  EXPECT_EQ(text({12, 13}), bad + bad);
  EXPECT_EQ(text({3, 17, 4}), bad + "<M>" + bad);
  const auto bytes = [&](const std::vector<int32_t>& ids) {
    return decoded(decoding({{DecoderKind::kByteLevel, 0}}, {"\xc3", "\xa9", bad}), ids);
  };
  EXPECT_EQ(bytes({0, 1, 2}), "\xc3\xa9" + bad) << "pieces are bytes already";
}

TEST(TextDecode, BytesAreWrittenAsLetters) {
  const std::vector<std::string> pieces = {" a", "\n", "\xc3\xa9", "\xad", "!~"};
  EXPECT_EQ(decoded(decoding({{DecoderKind::kLetters}}, pieces), {0, 1, 2, 3, 4}),
            utf8({0x120, 'a', 0x10a, 0xc3, 0xa9, 0x143, '!', '~'}));
  EXPECT_EQ(decoded(decoding({{DecoderKind::kLetters}}, pieces), {17, 18}), "<M>[C]") << "added tokens are as they are";
}

// A run of bytes that is no text is as many U+FFFD (Hugging Face's ByteFallback).
TEST(TextDecode, ByteFallback) {
  const std::vector<std::string> pieces = {"<0xC3>", "<0xa9>", "a",      "<0x41>", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>",
                                           "<0xG1>", "<0x1G>", "<0x41]", "<0y41>", "[0x41>", "<1x41>", "<0x411>"};
  const auto text = [&](const std::vector<int32_t>& ids) {
    return decoded(decoding({{DecoderKind::kByteFallback}}, pieces), ids);
  };
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(text({2, 0, 1, 2, 3}),
            "a\xc3\xa9"
            "aA");
  EXPECT_EQ(text({4, 5, 6, 7, 3}),
            "\xf0\x9f\x98\x80"
            "A");
  EXPECT_EQ(text({0, 3, 2}), bad + bad + "a");
  EXPECT_EQ(text({4, 5, 6}), bad + bad + bad);
  EXPECT_EQ(text({3, 20, 3}), "AA") << "an id without piece is not there";
  EXPECT_EQ(text({8, 9, 10, 11, 12, 13, 14}), "<0xG1><0x1G><0x41]<0y41>[0x41><1x41><0x411>");
}

// SentencePiece gives what is text of a run of bytes, and bytes are the ids that its table names.
TEST(TextDecode, SentencePiece) {
  const std::string mark = "\xe2\x96\x81", bad = "\xef\xbf\xbd";
  const std::vector<std::string> pieces = {"<0xC3>", "<0xA9>", mark + "a", "<unk>", mark, "b", "<0x41>", bad};
  const auto text = [&](uint32_t option, const std::vector<int32_t>& ids, bool named = true) {
    TextTables t = decoding({{DecoderKind::kSentencePiece, option, " ?? "}}, pieces);
    t.header.unknown = 3;
    std::vector<int32_t> bytes(256, -1);
    bytes[0xc3] = 0, bytes[0xa9] = 1;
    if (named) bytes[0x41] = 6;
    t.put(K::kByteIds, bytes);
    return decoded(t, ids);
  };
  EXPECT_EQ(text(kAddDummyPrefix, {2, 5, 2}), "ab a");
  EXPECT_EQ(text(0, {2, 5, 2}), " ab a");
  EXPECT_EQ(text(kRemoveExtraSpaces, {4, 4, 2}), text(kRemoveExtraSpaces | kAddDummyPrefix, {4, 4, 2}));
  EXPECT_EQ(text(kRemoveExtraSpaces, {4, 2}), "a") << "all spaces at the beginning";
  EXPECT_EQ(text(kAddDummyPrefix, {4, 2}), " a") << "the first alone";
  EXPECT_EQ(text(0, {5, 3, 5}), "b ?? b");
  EXPECT_EQ(text(0, {5, 18, 5}), "bb") << "control tokens are silent";
  EXPECT_EQ(text(0, {0, 1, 6, 5}),
            "\xc3\xa9"
            "Ab");
  EXPECT_EQ(text(0, {0, 6, 1}), bad + "A" + bad);
  EXPECT_EQ(text(0, {6, 5}, false), "<0x41>b") << "not one of its bytes";
  EXPECT_EQ(text(kAddDummyPrefix, {0, 1, 2}), "\xc3\xa9 a");
  EXPECT_EQ(text(0, {7}), bad);
}

TEST(TextDecode, StripDropsAtBothEnds) {
  const auto text = [&](uint32_t start, uint32_t stop, const std::string& what, const std::vector<int32_t>& ids) {
    return decoded(decoding({{DecoderKind::kStrip, start | stop << 16, what}}, {"_", "a", "__b__", "\xc3", "\xa9"}), ids);
  };
  EXPECT_EQ(text(1, 0, "_", {0, 0, 1}), "_a");
  EXPECT_EQ(text(2, 0, "_", {0, 0, 1}), "a");
  EXPECT_EQ(text(5, 0, "_", {0, 1, 0}), "a_");
  EXPECT_EQ(text(0, 1, "_", {1, 0, 0}), "a_");
  EXPECT_EQ(text(0, 5, "_", {1, 0, 0}), "a");
  EXPECT_EQ(text(2, 2, "_", {2}), "b");
  EXPECT_EQ(text(1, 1, "", {0, 1, 0}), "_a_");
  EXPECT_EQ(text(9, 9, "_", {0, 0}), "");
  EXPECT_EQ(text(2, 0, "\xc3\xa9", {3, 4, 3, 1}),
            "\xc3"
            "a")
      << "a character of two bytes that is cut";
  EXPECT_EQ(text(2, 0, "\xc3\xa9", {3}), "\xc3");
}

}  // namespace
}  // namespace ert::testing
