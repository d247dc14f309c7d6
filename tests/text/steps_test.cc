// What tokenizers give whose steps, added tokens and decoders meet in ways that no model in use has: as the reference does.
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>

#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"
#include "rt/text/format.h"

namespace edgeconv::text {
namespace {

// The ids that a text becomes.
std::vector<int32_t> ids_of(const std::string& json, const std::string& text) {
  return TextRunner(table_bytes(read_tokenizer_json(json, "tokenizer.json"))).encode(text, nullptr, nullptr).ids;
}

// They were refused: the two want other tables of decompositions, or of marks.
TEST(ReadSteps, StepsWithTablesOfTheirOwnStandTogether) {
  const std::string model = R"("model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "X1\u00e9": 1, "\u2460": 2, "e": 3}})";
  const auto with = [&model](const std::string& steps) {
    return R"({"normalizer": {"type": "Sequence", "normalizers": [)" + steps + "]}, " + model + "}";
  };
  const std::string circled = "\xe2\x91\xa0", accent = "e\xcc\x81";
  EXPECT_EQ(ids_of(with(R"({"type": "NFC"}, {"type": "Prepend", "prepend": "X"}, {"type": "NFKC"})"), circled + accent), std::vector<int32_t>({1}));
  EXPECT_EQ(ids_of(with(R"({"type": "NFC"})"), circled), std::vector<int32_t>({2}));
  const std::string both = with(R"({"type": "StripAccents"}, {"type": "BertNormalizer", "lowercase": false, "strip_accents": true})");
  EXPECT_EQ(ids_of(both, accent), std::vector<int32_t>({3}));
  EXPECT_EQ(ids_of(both, "\xc3\xa9"), std::vector<int32_t>({3}));
}

TEST(ReadSteps, OffsetsAreTrimmedByPiecesThatAreNotBytes) {
  const std::string json = R"({"added_tokens": [{"id": 0, "content": "u", "special": true}],
    "post_processor": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
    "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "\u3000a": 1}}})";
  TextRunner runner(table_bytes(read_tokenizer_json(json, "tokenizer.json")));
  const Encoding known = runner.encode("\xe3\x80\x80" "a", nullptr, nullptr);
  ASSERT_EQ(known.ids, std::vector<int32_t>({1}));
  EXPECT_EQ(known.offsets[0].start, 3u);
  // The unknown token is called u, without white space, though u is an added token too.
  const Encoding unknown = runner.encode("\xe3\x80\x80" "b", nullptr, nullptr);
  ASSERT_EQ(unknown.ids, std::vector<int32_t>({0}));
  EXPECT_EQ(unknown.offsets[0].start, 0u);
}

// Readers of before the flag would decode other text.
bool spells_bytes(const std::string& json) {
  ert::text::TablesHeader h;
  const std::string tables = table_bytes(read_tokenizer_json(json, "t"));
  std::memcpy(&h, tables.data(), sizeof h);
  return (h.flags & ert::text::kSpelledBytes) != 0;
}

TEST(ReadSteps, BytesAreLettersWhereTheDecoderSaysSo) {
  const std::string bytes = R"("pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": {"\u0120": 0, "a": 1}, "merges": []})";
  EXPECT_EQ(TextRunner(table_bytes(read_tokenizer_json("{" + bytes + "}", "t"))).decode({1, 0, 1}, true), "a \xc4\xa0 a");
  EXPECT_EQ(TextRunner(table_bytes(read_tokenizer_json(R"({"decoder": {"type": "ByteLevel"}, )" + bytes + "}", "t"))).decode({1, 0, 1}, true), "a a");
  EXPECT_TRUE(spells_bytes("{" + bytes + "}"));
  EXPECT_FALSE(spells_bytes(R"({"decoder": {"type": "ByteLevel"}, )" + bytes + "}"));
  EXPECT_EQ(TextRunner(table_bytes(read_tokenizer_json(
                           R"({"decoder": {"type": "ByteLevel"}, "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "\u0120a": 1, "\u4e2d": 2}}})", "t")))
                .decode({1, 2}, true),
            " a\xe4\xb8\xad");
}

const std::string kTrimming = R"("post_processor": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}, )";

TEST(ReadSteps, WhatUnigramDoesNotKnowIsTrimmedByItsText) {
  TextRunner runner(table_bytes(read_tokenizer_json("{" + kTrimming + R"("model": {"type": "Unigram", "unk_id": 0, "vocab": [["u", 0], ["a", -1]]}})", "t")));
  const Encoding e = runner.encode("a\xe2\x80\xa8" "ba", nullptr, nullptr);
  ASSERT_EQ(e.ids, std::vector<int32_t>({1, 0, 1}));
  EXPECT_EQ(e.offsets[1].start, 4u);  // behind U+2028
  EXPECT_EQ(e.offsets[1].end, 5u);
}

// A token that the normalizer makes of a space is no white space any more.
TEST(ReadSteps, NormalizedAddedTokensAreTrimmedAndDecodedAsTheyAreThen) {
  const std::string json = R"({"normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "_"},
    "added_tokens": [{"id": 1, "content": " ", "special": false, "normalized": true}, {"id": 2, "content": "_ ", "special": true, "normalized": true}], )" + kTrimming +
                           R"("model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}})";
  TextRunner runner(table_bytes(read_tokenizer_json(json, "t")));
  const Encoding e = runner.encode("x x", nullptr, nullptr);
  ASSERT_EQ(e.ids, std::vector<int32_t>({0, 1, 0}));
  EXPECT_EQ(e.offsets[1].start, 1u);
  EXPECT_EQ(runner.decode({1, 2}, true), "_ __");  // no special token is called __
  EXPECT_TRUE(spells_bytes(json));
}

TEST(ReadSteps, AddedTokensDoNotBeginInWhatEarlierOnesTook) {
  for (const char* normalized : {"false", "true"}) {
    const std::string more = std::string(R"("special": false, "single_word": false, "normalized": )") + normalized + "}";
    const std::string model = R"(], "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}})";
    const std::string letters = R"({"added_tokens": [{"id": 1, "content": "a", "lstrip": false, "rstrip": true, )" + more +
                                R"(, {"id": 2, "content": "  b", "lstrip": true, "rstrip": false, )" + more + model;
    const std::string spaces = R"({"added_tokens": [{"id": 1, "content": "  ", "lstrip": true, "rstrip": true, )" + more + model;
    EXPECT_EQ(ids_of(letters, "Ma   b1"), std::vector<int32_t>({0, 1, 2, 0}));
    EXPECT_EQ(ids_of(spaces, "M    1"), std::vector<int32_t>({0, 1, 0}));
  }
}

TEST(ReadSteps, OfAddedTokensThatTheNormalizerMakesEqualTheFirstIsFound) {
  EXPECT_EQ(ids_of(R"({"normalizer": {"type": "Lowercase"}, "added_tokens": [{"id": 1, "content": "A", "special": false, "normalized": true},
    {"id": 2, "content": "a", "special": true, "normalized": true}], "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}})", "aA"),
            std::vector<int32_t>({1, 1}));
}

TEST(ReadSteps, WhiteSpaceThatATokenTookIsInItsSpanThoughAnotherBeginsThere) {
  const std::string json = R"({"added_tokens": [{"id": 1, "content": " ", "rstrip": true, "special": false, "normalized": true}],
    "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}})";
  const Encoding e = TextRunner(table_bytes(read_tokenizer_json(json, "t"))).encode("b  x", nullptr, nullptr);
  ASSERT_EQ(e.ids, std::vector<int32_t>({0, 1, 1, 0}));
  EXPECT_EQ(e.offsets[1].start, 1u);
  EXPECT_EQ(e.offsets[1].end, 3u);
  EXPECT_EQ(e.offsets[2].start, 2u);
  EXPECT_EQ(e.offsets[2].end, 3u);
}

// Each of many spaces looked at all behind it.
TEST(ReadSteps, WhiteSpaceThatTokensTakeIsLookedAtOnce) {
  const std::string json = R"({"added_tokens": [{"id": 1, "content": " ", "rstrip": true, "normalized": false}],
    "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}})";
  const std::clock_t start = std::clock();
  EXPECT_EQ(ids_of(json, std::string(300000, ' ')).size(), 300000u);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0);
}

}  // namespace
}  // namespace edgeconv::text
