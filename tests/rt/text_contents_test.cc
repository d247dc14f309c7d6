// Tokenizer segments with one thing wrong in what a section holds: ert_text_open_tables refuses each, with its status. Where tables say that
// words may be cut or looked up whole, what becomes of them.
#include <gtest/gtest.h>

#include <functional>

#include "tests/rt/changed_tables.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

// A step for long texts, of which there are some.
Step& long_step(TextTables& t) {
  t.sections[K::kStrings].bytes.resize(2 * kLongestString, 'x');
  return t.row<Step>(K::kDecoder);
}

void put_mapping(TextTables& t, size_t bytes) {
  std::vector<uint8_t> strings(bytes, 'a');
  strings.push_back(0);
  t.put(K::kCharsmapStrings, strings);
}

const std::vector<TablesCase> kContents = {
    {"an ending too many", ERT_ERR_MODEL,
     [](TextTables& t) { t.put(K::kEnding, std::vector<Ending>(2, t.row<Ending>(K::kEnding))); }},
    {"no ending", ERT_ERR_MODEL, [](TextTables& t) { t.sections.erase(K::kEnding); }},
    {"prefix", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<Ending>(K::kEnding).prefix = {22, 0};
     }},
    {"prefix at the end", ERT_OK,
     [](TextTables& t) {
       t.row<Ending>(K::kEnding).prefix = {21, 0};
     }},
    {"prefix over the end", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<Ending>(K::kEnding).prefix = {0, 22};
     }},
    {"suffix", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<Ending>(K::kEnding).suffix = {0, 22};
     }},
    {"unknown", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<Ending>(K::kEnding).unknown = {UINT32_MAX, 2};
     }},
    {"pieces of a text alone", ERT_ERR_MODEL, [](TextTables& t) { t.row<Ending>(K::kEnding).single_pieces = 9; }},
    {"truncation", ERT_ERR_MODEL, [](TextTables& t) { t.row<Ending>(K::kEnding).truncation = ERT_TRUNCATE_SECOND + 1; }},
    {"trim", ERT_ERR_MODEL, [](TextTables& t) { t.row<Ending>(K::kEnding).trim = 3; }},
    {"a long template", ERT_ERR_MODEL, [](TextTables& t) { t.put(K::kTemplate, std::vector<TemplatePiece>(257)); }},
    {"a piece of no kind", ERT_ERR_MODEL, [](TextTables& t) { t.row<TemplatePiece>(K::kTemplate).kind = 3; }},
    {"a block of pieces too many", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.put(K::kPieceBlocks, std::vector<uint32_t>{0, 23, 0});
     }},
    {"a block elsewhere", ERT_ERR_MODEL, [](TextTables& t) { ++t.row<uint32_t>(K::kPieceBlocks, 1); }},
    {"pieces left over", ERT_ERR_MODEL, [](TextTables& t) { t.sections[K::kPieces].bytes.push_back('z'); }},
    {"a length", ERT_ERR_MODEL, [](TextTables& t) { ++t.row<uint8_t>(K::kPieceLengths, 19); }},
    {"lengths of fewer pieces", ERT_ERR_MODEL,
     [](TextTables& t) {  // the last piece is empty, so that the sum still fits
       t.sections[K::kPieces].bytes.resize(t.sections[K::kPieces].bytes.size() - 3);
       t.sections[K::kPieceLengths].bytes.pop_back();
       --t.sections[K::kPieceLengths].count;
     }},
    {"scores of fewer pieces", ERT_ERR_MODEL, [](TextTables& t) { t.put(K::kScores, std::vector<float>(19)); }},
    {"a piece behind the last", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint16_t>(K::kPieceIndex) = 21; }},
    {"the last piece", ERT_OK, [](TextTables& t) { t.row<uint16_t>(K::kPieceIndex) = 20; }},
    {"a merge of no left", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.put(K::kMerges, std::vector<Merge16>(8, {20, 2, 0}));
     }},
    {"a merge of no right", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.put(K::kMerges, std::vector<Merge16>(8, {1, 20, 0}));
     }},
    {"a merge of no rank", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.put(K::kMerges, std::vector<Merge16>(8, {1, 2, 1}));
     }},
    {"a merge into no piece", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint16_t>(K::kMergeResults) = 20; }},
    {"a byte below", ERT_ERR_MODEL, [](TextTables& t) { t.row<int32_t>(K::kByteIds, 255) = -2; }},
    {"a byte behind", ERT_ERR_MODEL, [](TextTables& t) { t.row<int32_t>(K::kByteIds, 255) = 20; }},
    {"255 bytes", ERT_ERR_MODEL, [](TextTables& t) { t.put(K::kByteIds, std::vector<int32_t>(255)); }},
    {"a negative added token", ERT_ERR_MODEL, [](TextTables& t) { t.row<AddedToken>(K::kAddedTokens).id = -1; }},
    {"added tokens out of order", ERT_ERR_MODEL, [](TextTables& t) { t.row<AddedToken>(K::kAddedTokens, 1).id = 17; }},
    {"an added token of no text", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<AddedToken>(K::kAddedTokens).content = {21, 1};
     }},
    {"a step of no kind", ERT_ERR_MODEL, [](TextTables& t) { t.row<Step>(K::kNormalizer).kind = 0; }},
    {"an unknown normalizer", ERT_ERR_MODEL,
     [](TextTables& t) { t.row<Step>(K::kNormalizer).kind = static_cast<uint32_t>(NormalizerKind::kCount); }},
    {"an unknown pre-tokenizer", ERT_ERR_MODEL,
     [](TextTables& t) { t.row<Step>(K::kPretokenizer).kind = static_cast<uint32_t>(PretokenizerKind::kCount); }},
    {"an unknown decoder", ERT_ERR_MODEL,
     [](TextTables& t) { t.row<Step>(K::kDecoder).kind = static_cast<uint32_t>(DecoderKind::kCount); }},
    {"a step's first text", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<Step>(K::kDecoder).a = {0, 22};
     }},
    {"a step's second text", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.row<Step>(K::kDecoder).b = {22, 0};
     }},
    {"a step's first text of 257 bytes", ERT_ERR_MODEL, [](TextTables& t) { long_step(t).a = {0, kLongestString + 1}; }},
    {"a step's second text of 257 bytes", ERT_ERR_MODEL, [](TextTables& t) { long_step(t).b = {0, kLongestString + 1}; }},
    {"a step's texts of 256 bytes", ERT_OK, [](TextTables& t) { long_step(t).a = long_step(t).b = {0, kLongestString}; }},
    {"a mapping of 1025 bytes", ERT_ERR_MODEL, [](TextTables& t) { put_mapping(t, kLongestMapping + 1); }},
    {"a mapping of 1024 bytes", ERT_OK, [](TextTables& t) { put_mapping(t, kLongestMapping); }},
    {"65 steps", ERT_ERR_MODEL, [](TextTables& t) { t.put(K::kDecoder, std::vector<Step>(65, t.row<Step>(K::kDecoder))); }},
    {"64 steps", ERT_OK, [](TextTables& t) { t.put(K::kDecoder, std::vector<Step>(64, t.row<Step>(K::kDecoder))); }},
    {"a decomposition behind the mappings", ERT_ERR_MODEL,
     [](TextTables& t) { t.sections[K::kDecompositions].bytes.back() = 1; }},
    {"lower case behind the mappings", ERT_ERR_MODEL, [](TextTables& t) { t.sections[K::kLowercase].bytes.back() = 1; }},
    {"a decomposition for NFKC behind the mappings", ERT_ERR_MODEL,
     [](TextTables& t) {
       t.sections[K::kCompatible] = t.sections[K::kDecompositions];
       t.sections[K::kCompatible].bytes.back() = 1;
     }},
    {"a mapping over the end", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint8_t>(K::kMappings, 2) = 2; }},
};

TEST(TextContents, Contents) { expect_refused(kContents, ERT_TEXT_UNIGRAM); }

// Ids of four bytes take other paths.
TEST(TextContents, WideIds) {
  expect_refused({{"a piece behind the last", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint32_t>(K::kPieceIndex) = 1u << 24; }},
                  {"another", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint32_t>(K::kPieceIndex) = 1u << 16; }},
                  {"a merge of no left", ERT_ERR_MODEL,
                   [](TextTables& t) {
                     t.put(K::kMerges, std::vector<Merge32>(8, {20, 2, 0}));
                   }},
                  {"a merge of no right", ERT_ERR_MODEL,
                   [](TextTables& t) {
                     t.put(K::kMerges, std::vector<Merge32>(8, {1, 20, 0}));
                   }},
                  {"a merge of no rank", ERT_ERR_MODEL,
                   [](TextTables& t) {
                     t.put(K::kMerges, std::vector<Merge32>(8, {1, 2, 1}));
                   }},
                  {"a merge into no piece", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint32_t>(K::kMergeResults) = 1u << 16; }},
                  {"a length", ERT_ERR_MODEL, [](TextTables& t) { t.row<uint16_t>(K::kPieceLengths, 19) = 0x103; }}},
                 ERT_TEXT_BPE, true);
}

// What a kind or a step looks things up in is there.
TEST(TextContents, WhatIsNeededIsThere) {
  const auto without = [](K kind) { return [=](TextTables& t) { t.sections.erase(kind); }; };
  expect_refused({{"scores", ERT_ERR_MODEL, without(K::kScores)}, {"pieces", ERT_ERR_MODEL, without(K::kPieceTrie)}},
                 ERT_TEXT_UNIGRAM);
  for (const uint32_t kind : {ERT_TEXT_BPE, ERT_TEXT_SENTENCEPIECE_BPE}) {
    const auto byte_level = [](TextTables& t) { t.header.flags |= kByteLevel; };
    expect_refused({{"bytes", ERT_OK, byte_level},
                    {"no bytes", ERT_ERR_MODEL,
                     [&](TextTables& t) {
                       byte_level(t);
                       t.sections.erase(K::kByteIds);
                     }}},
                   kind);
  }
  for (const NormalizerKind kind : {NormalizerKind::kPrecompiled, NormalizerKind::kSentencePiece}) {
    const auto with = [=](const TablesChange& change) {
      return [=](TextTables& t) {
        t.row<Step>(K::kNormalizer).kind = static_cast<uint32_t>(kind);
        change(t);
      };
    };
    expect_refused({{"a charsmap", ERT_OK, with([](TextTables&) {})},
                    {"no end", ERT_ERR_MODEL, with([](TextTables& t) { t.row<uint8_t>(K::kCharsmapStrings, 1) = 'x'; })},
                    {"strings alone without end", ERT_ERR_MODEL, with([](TextTables& t) {
                       t.row<uint8_t>(K::kCharsmapStrings, 1) = 'x';
                       t.sections.erase(K::kCharsmapTrie);
                     })},
                    {"no strings", ERT_ERR_MODEL, with([](TextTables& t) { t.sections.erase(K::kCharsmapStrings); })},
                    {"neither", ERT_OK,
                     with([](TextTables& t) { t.sections.erase(K::kCharsmapStrings), t.sections.erase(K::kCharsmapTrie); })}},
                   ERT_TEXT_BPE);
  }
  // Nothing to merge into without a vocabulary.
  const auto empty = [](bool merges) {
    return [=](TextTables& t) {
      t.sections.clear();
      t.header.vocabulary = 0, t.header.unknown = -1;
      t.put(K::kEnding, std::vector<Ending>(1));
      if (merges) t.put(K::kMergeResults, std::vector<uint16_t>(1));
    };
  };
  expect_refused({{"empty", ERT_OK, empty(false)}, {"a merge", ERT_ERR_MODEL, empty(true)}}, ERT_TEXT_BPE);
}

// Ids of hashed n-grams lie where the header of their table says, which has room for them.
TEST(TextContents, Ngrams) {
  const auto with = [](auto change) { return [=](TextTables& t) { change(t.row<NgramTable>(K::kNgrams)); }; };
  const auto ids = [&](uint32_t buckets, uint32_t first_hash, uint32_t first_script, uint32_t no_text) {
    return with([=](NgramTable& n) { n = {buckets, first_hash, first_script, no_text, 5, {0, 0, 0}}; });
  };
  expect_refused({{"as they are", ERT_OK, [](TextTables&) {}},
                  {"no table", ERT_ERR_MODEL, [](TextTables& t) { t.sections.erase(K::kNgrams); }},
                  {"two tables", ERT_ERR_MODEL,
                   [](TextTables& t) { t.put(K::kNgrams, std::vector<NgramTable>(2, t.row<NgramTable>(K::kNgrams))); }},
                  {"a byte too many", ERT_ERR_MODEL, [](TextTables& t) { t.sections[K::kNgrams].bytes.push_back(0); }},
                  {"the most ids", ERT_OK, ids(kMostBuckets, 12, 2, 1)},
                  {"an id more", ERT_ERR_MODEL, ids(kMostBuckets + 1, 12, 2, 1)},
                  {"one hash", ERT_OK, ids(13, 12, 2, 1)},
                  {"no hash", ERT_ERR_MODEL, ids(12, 12, 2, 1)},
                  {"the last id for no text", ERT_OK, ids(20, 12, 2, 19)},
                  {"none for no text", ERT_ERR_MODEL, ids(20, 12, 2, 20)},
                  {"scripts from 0 on", ERT_ERR_MODEL, ids(20, 12, 0, 1)},
                  {"a script too many", ERT_ERR_MODEL, ids(20, 12, 3, 1)},
                  {"scripts behind the hashes", ERT_ERR_MODEL, ids(20, 12, 13, 1)},
                  {"reserved", ERT_ERR_MODEL, with([](NgramTable& n) { n.reserved[0] = 1; })},
                  {"reserved 1", ERT_ERR_MODEL, with([](NgramTable& n) { n.reserved[1] = 1; })},
                  {"reserved 2", ERT_ERR_MODEL, with([](NgramTable& n) { n.reserved[2] = 1; })}},
                 ERT_TEXT_NGRAM);
  for (const uint32_t kind : kKinds)
    expect_refused({{"of another kind", ERT_ERR_MODEL, [](TextTables& t) { t.put(K::kNgrams, std::vector<NgramTable>(1)); }}},
                   kind);
}

// A line is cut before U+2581 only where nothing that a word gives depends on what stands before it.
TEST(TextContents, WordsThatAreNotApartAreNotCut) {
  const auto pieces = [](const std::string& second, const std::string& sixth, const std::string& seventh) {
    return std::vector<std::string>{"[U]", "a", second, "c", "d", "e", sixth, seventh, "##c", "f",
                                    "g",   "h", "i",    "j", "k", "l", "m",   "<m>",   "[C]", "[S]"};
  };
  const std::string mark = "\xe2\x96\x81";
  TextTables joined = small_tables(ERT_TEXT_BPE, TaskKind::kEmbed);
  put_pieces(&joined, pieces(mark, "a" + mark, "##b"));
  EXPECT_EQ(encoded(joined, "a" + mark), (std::vector<int32_t>{18, 6, 19})) << "a piece over the end of a word";
  TextTables whole = small_tables(ERT_TEXT_BPE, TaskKind::kEmbed);
  put_pieces(&whole, pieces(mark, "ab", mark + "c"));
  EXPECT_EQ(encoded(whole, "d" + mark + "c"), (std::vector<int32_t>{18, 4, 2, 3, 19})) << "no merge makes piece 7";
  whole.header.flags |= kIgnoreMerges, whole.header.longest = 8;
  EXPECT_EQ(encoded(whole, mark + "c"), (std::vector<int32_t>{18, 7, 19})) << "a word that is a piece";
  EXPECT_EQ(encoded(whole, "d" + mark + "c"), (std::vector<int32_t>{18, 4, 2, 3, 19})) << "one word, which is none";
  TextTables unknown = small_tables(ERT_TEXT_BPE, TaskKind::kEmbed);
  unknown.header.flags |= kFuseUnknown;
  EXPECT_EQ(encoded(unknown, "?" + mark + "?"), (std::vector<int32_t>{18, 0, 19})) << "unknown characters on both sides are one";
}

TEST(TextContents, WordsWithABitBecomeTheirPiece) {
  TextTables t = small_tables(ERT_TEXT_BPE, TaskKind::kEmbed);
  put_pieces(&t, {"[U]", "a", "b", "c", "d", "e", "ab", "abc", "##c", "f", "g", "h", "i", "j", "k", "l", "m", "<m>", "[C]", "[S]"});
  t.header.longest = 3;
  t.put(K::kWholePieces, std::vector<uint8_t>{0x40, 0, 0});
  EXPECT_EQ(encoded(t, "ab"), (std::vector<int32_t>{18, 6, 19}));
  EXPECT_EQ(encoded(t, "abc"), (std::vector<int32_t>{18, 6, 3, 19})) << "merged: piece 7 has no bit";
  for (const size_t bytes : {1, 2, 4}) {
    t.put(K::kWholePieces, std::vector<uint8_t>(bytes));
    expect_refused({{"a bit for each of other ids", ERT_ERR_MODEL, [&](TextTables& o) { o.put(K::kWholePieces, std::vector<uint8_t>(bytes)); }}}, ERT_TEXT_BPE);
  }
}

}  // namespace
}  // namespace ert::testing
