// Tokenizer segments with one thing wrong: ert_text_open_tables refuses each, with its status.
// More than 300 lines, because each check of rt/text/open.cc has its case here (tests/checks/check_deletion.py).
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tests/support/text_tables.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

// In memory that ends where the tables end.
ert_status open_bytes(const std::vector<uint8_t>& bytes) {
  const auto memory = std::make_unique<uint64_t[]>((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  ert_text t;
  return ert_text_open_tables(&t, memory.get(), bytes.size());
}

using Change = std::function<void(TextTables&)>;
ert_status open_changed(uint32_t kind, bool wide, const Change& change) {
  TextTables t = small_tables(kind, TaskKind::kEmbed, wide);
  change(t);
  return open_bytes(t.build());
}

std::vector<int32_t> encoded(const TextTables& t, const std::string& line) {
  const std::vector<uint8_t> bytes = t.build();
  std::vector<uint64_t> memory((bytes.size() + 7) / 8), work;
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  ert_text text;
  EXPECT_EQ(ert_text_open_tables(&text, memory.data(), bytes.size()), ERT_OK);
  size_t need = 0;
  EXPECT_EQ(ert_text_bytes(&text, line.size(), 0, &need), ERT_OK);
  work.resize((need + 7) / 8);
  std::vector<int32_t> ids(16);
  ert_encoding e{};
  e.struct_size = sizeof e, e.capacity = 16, e.ids = ids.data();
  EXPECT_EQ(ert_text_encode(&text, nullptr, line.data(), line.size(), nullptr, 0, work.data(), need, &e), ERT_OK);
  ids.resize(e.tokens);
  return ids;
}

constexpr uint32_t kKinds[] = {ERT_TEXT_WORDPIECE, ERT_TEXT_BPE, ERT_TEXT_UNIGRAM, ERT_TEXT_WORDLEVEL,
                               ERT_TEXT_SENTENCEPIECE_BPE};

TEST(TextTables, SmallOnesOpenAndEncode) {
  for (const uint32_t kind : kKinds) {
    for (const bool wide : {false, true}) {
      SCOPED_TRACE(kind);
      EXPECT_EQ(open_changed(kind, wide, [](TextTables&) {}), ERT_OK);
      const std::vector<int32_t> ids = encoded(small_tables(kind, TaskKind::kEmbed, wide), "A d");
      ASSERT_EQ(ids.size(), 4u);
      EXPECT_EQ(ids[0], 18);
      EXPECT_EQ(ids[1], 1);  // lower case
      EXPECT_EQ(ids[2], 4);
      EXPECT_EQ(ids[3], 19);
    }
  }
}

struct Case {
  const char* name;
  ert_status status;
  Change change;
};

void expect_refused(const std::vector<Case>& cases, uint32_t kind, bool wide = false) {
  for (const Case& c : cases) EXPECT_EQ(open_changed(kind, wide, c.change), c.status) << c.name;
}

// One element more than there is, and one byte too many for whole elements.
TEST(TextTables, SectionsAreWholeRows) {
  for (const K kind : {K::kNormalizer, K::kPretokenizer, K::kDecoder, K::kAddedTokens, K::kTemplate, K::kPieceBlocks,
                       K::kPieceTrie, K::kAddedTrie, K::kAddedNormalizedTrie, K::kCharsmapTrie, K::kCompositions, K::kByteIds,
                       K::kEnding, K::kPieceLengths, K::kPieceIndex, K::kMerges, K::kMergeResults, K::kScores}) {
    for (const bool wide : {false, true}) {
      const int name = static_cast<int>(kind);
      EXPECT_EQ(open_changed(ERT_TEXT_UNIGRAM, wide, [&](TextTables& t) { ++t.sections[kind].count; }), ERT_ERR_MODEL) << name;
      EXPECT_EQ(open_changed(ERT_TEXT_UNIGRAM, wide, [&](TextTables& t) { --t.sections[kind].count; }), ERT_ERR_MODEL) << name;
      if (kind == K::kPieceLengths && !wide) continue;  // its rows are bytes
      EXPECT_EQ(open_changed(ERT_TEXT_UNIGRAM, wide, [&](TextTables& t) { t.sections[kind].bytes.push_back(0); }), ERT_ERR_MODEL)
          << name;
    }
  }
}

// The last rows that are looked at, in tables that need nothing behind them.
TEST(TextTables, NgramsAreWholeRowsOfAnyKind) {
  TextTables t;
  t.header = small_tables(ERT_TEXT_WORDLEVEL, TaskKind::kEmbed).header;
  t.header.vocabulary = 0, t.header.unknown = -1;
  t.put(K::kEnding, std::vector<Ending>(1));
  EXPECT_EQ(open_bytes(t.build()), ERT_OK);
  t.sections[K::kNgrams] = {{0}, 0};
  EXPECT_EQ(open_bytes(t.build()), ERT_ERR_MODEL);
}

TEST(TextTables, CodeTables) {
  for (const K kind :
       {K::kClasses, K::kDecompositions, K::kCombining, K::kLowercase, K::kGraphemes, K::kRuleClasses, K::kCompatible}) {
    const bool wide = kind == K::kRuleClasses || kind == K::kCompatible;  // other small tables have none
    const auto header = [&](auto change) {
      return open_changed(ERT_TEXT_UNIGRAM, wide, [&](TextTables& t) { change(t.row<CodeTableHeader>(kind)); });
    };
    const auto word = [&](size_t i, uint16_t value) {
      return open_changed(ERT_TEXT_UNIGRAM, wide,
                          [&](TextTables& t) { t.row<uint16_t>(kind, sizeof(CodeTableHeader) / 2 + i) = value; });
    };
    const auto resized = [&](uint32_t tops, uint32_t mids, uint32_t leaves) {
      return open_changed(ERT_TEXT_UNIGRAM, wide, [&](TextTables& t) {
        const CodeTableHeader h{tops, mids, leaves, t.row<CodeTableHeader>(kind).width};
        std::vector<uint8_t>& b = t.sections[kind].bytes;
        b.assign(sizeof h + (size_t{tops} + 64 * size_t{mids} + 1) / 2 * 4 + 64 * size_t{leaves} * h.width, 0);
        std::memcpy(b.data(), &h, sizeof h);
      });
    };
    const int name = static_cast<int>(kind);
    EXPECT_EQ(
        open_changed(ERT_TEXT_UNIGRAM, wide, [&](TextTables& t) { t.sections[kind].bytes.resize(sizeof(CodeTableHeader) - 1); }),
        ERT_ERR_MODEL)
        << name;
    EXPECT_EQ(open_changed(ERT_TEXT_UNIGRAM, wide,
                           [&](TextTables& t) {
                             t.sections[kind].bytes.resize(sizeof(CodeTableHeader));
                             t.row<CodeTableHeader>(kind) = {0, 0, 0, t.row<CodeTableHeader>(kind).width};
                           }),
              ERT_OK)
        << name;
    EXPECT_EQ(header([](CodeTableHeader& h) { h.width = 3 - h.width; }), ERT_ERR_MODEL) << name;
    EXPECT_EQ(open_changed(ERT_TEXT_UNIGRAM, wide,
                           [&](TextTables& t) {  // as many bytes with the other width
                             CodeTableHeader& h = t.row<CodeTableHeader>(kind);
                             t.sections[kind].bytes.resize(t.sections[kind].bytes.size() + 3 * 64 * h.width);
                             CodeTableHeader& wider = t.row<CodeTableHeader>(kind);
                             wider.width == 1 ? wider.width = 2 : (wider.width = 1, wider.leaves = 12);
                           }),
              ERT_ERR_MODEL)
        << name;
    EXPECT_EQ(resized(272, 1, 1), ERT_OK) << name;
    EXPECT_EQ(resized(273, 1, 1), ERT_ERR_MODEL) << name;
    EXPECT_EQ(resized(1, 4097, 1), ERT_ERR_MODEL) << name;
    EXPECT_EQ(resized(1, 1, 32769), ERT_ERR_MODEL) << name;
    EXPECT_EQ(header([](CodeTableHeader& h) { ++h.leaves; }), ERT_ERR_MODEL) << name;
    EXPECT_EQ(word(0, 1), ERT_ERR_MODEL) << name << " a top";
    EXPECT_EQ(word(64, 3), ERT_ERR_MODEL) << name << " a mid";
  }
}

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

const std::vector<Case> kHeader = {
    {"no kind", ERT_ERR_UNSUPPORTED, [](TextTables& t) { t.header.kind = 0; }},
    {"an unknown kind", ERT_ERR_UNSUPPORTED, [](TextTables& t) { t.header.kind = 7; }},
    {"a kind beyond the bits of a word", ERT_ERR_UNSUPPORTED, [](TextTables& t) { t.header.kind += 32; }},
    {"no expansion", ERT_ERR_MODEL, [](TextTables& t) { t.header.expansion = 0; }},
    {"too much expansion", ERT_ERR_MODEL, [](TextTables& t) { t.header.expansion = 65; }},
    {"the most expansion", ERT_OK, [](TextTables& t) { t.header.expansion = 64; }},
    {"too much in front", ERT_ERR_MODEL, [](TextTables& t) { t.header.extra = kMostExtra + 1; }},
    {"a vocabulary that ids do not reach", ERT_ERR_MODEL, [](TextTables& t) { t.header.vocabulary = 0x80000014u; }},
    {"unknown below", ERT_ERR_MODEL, [](TextTables& t) { t.header.unknown = -2; }},
    {"unknown behind", ERT_ERR_MODEL, [](TextTables& t) { t.header.unknown = 20; }},
    {"no unknown", ERT_OK, [](TextTables& t) { t.header.unknown = -1; }},
    {"plain spaces", ERT_OK, [](TextTables& t) { t.header.flags |= kPlainSpaces; }},
    {"plain spaces inside words", ERT_ERR_MODEL, [](TextTables& t) { t.header.flags |= kPlainSpaces | kHasPrefix; }},
    {"plain spaces before suffixes", ERT_ERR_MODEL, [](TextTables& t) { t.header.flags |= kPlainSpaces | kHasSuffix; }},
    {"plain spaces of bytes", ERT_ERR_MODEL, [](TextTables& t) { t.header.flags |= kPlainSpaces | kByteLevel; }},
    {"plain spaces of words", ERT_ERR_MODEL,
     [](TextTables& t) { t.header.flags |= kPlainSpaces, t.header.kind = ERT_TEXT_WORDLEVEL; }},
    {"the least piece is none", ERT_ERR_MODEL, [](TextTables& t) { t.header.least = 20; }},
};

TEST(TextTables, Header) { expect_refused(kHeader, ERT_TEXT_UNIGRAM); }

const std::vector<Case> kContents = {
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

TEST(TextTables, Contents) { expect_refused(kContents, ERT_TEXT_UNIGRAM); }

// Ids of four bytes take other paths.
TEST(TextTables, WideIds) {
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
TEST(TextTables, WhatIsNeededIsThere) {
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
    const auto with = [=](const Change& change) {
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
TEST(TextTables, Ngrams) {
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
TEST(TextTables, WordsThatAreNotApartAreNotCut) {
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

TEST(TextTables, WordsWithABitBecomeTheirPiece) {
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

struct RawCase {
  const char* name;
  ert_status status;
  std::function<void(std::vector<uint8_t>&)> change;
};

TablesHeader& header_of(std::vector<uint8_t>& b) { return *static_cast<TablesHeader*>(static_cast<void*>(b.data())); }
Section* rows_of(std::vector<uint8_t>& b) { return static_cast<Section*>(static_cast<void*>(b.data() + sizeof(TablesHeader))); }

TEST(TextTables, SectionTable) {
  const RawCase cases[] = {
      {"nothing", ERT_ERR_FORMAT, [](auto& b) { b.clear(); }},
      {"a header that is cut", ERT_ERR_FORMAT, [](auto& b) { b.resize(sizeof(TablesHeader) - 1); }},
      {"magic", ERT_ERR_FORMAT, [](auto& b) { ++header_of(b).magic; }},
      {"version", ERT_ERR_VERSION, [](auto& b) { ++header_of(b).version; }},
      {"a flag of later", ERT_ERR_VERSION, [](auto& b) { header_of(b).flags |= text::kKnownFlags + 1; }},
      {"bytes", ERT_ERR_FORMAT, [](auto& b) { ++header_of(b).bytes; }},
      {"reserved", ERT_ERR_FORMAT, [](auto& b) { header_of(b).reserved[0] = 1; }},
      {"reserved 1", ERT_ERR_FORMAT, [](auto& b) { header_of(b).reserved[1] = 1; }},
      {"reserved 2", ERT_ERR_FORMAT, [](auto& b) { header_of(b).reserved[2] = 1; }},
      {"sections behind the end", ERT_ERR_FORMAT,
       [](auto& b) {
         b.resize(sizeof(TablesHeader));
         header_of(b).bytes = sizeof(TablesHeader);
       }},
      {"a section of no kind", ERT_ERR_VERSION, [](auto& b) { rows_of(b)[0].kind = 0; }},
      {"a section of later", ERT_ERR_VERSION,
       [](auto& b) { rows_of(b)[header_of(b).sections - 1].kind = static_cast<uint32_t>(K::kCount); }},
      {"a section twice", ERT_ERR_FORMAT, [](auto& b) { rows_of(b)[1].kind = rows_of(b)[0].kind; }},
      {"a section elsewhere", ERT_ERR_FORMAT, [](auto& b) { rows_of(b)[3].offset += 8; }},
      {"a section over the end", ERT_ERR_FORMAT, [](auto& b) { rows_of(b)[header_of(b).sections - 1].bytes += 1; }},
      {"a section that wraps", ERT_ERR_FORMAT, [](auto& b) { rows_of(b)[header_of(b).sections - 1].bytes = UINT32_MAX; }},
      {"bytes behind the sections", ERT_ERR_FORMAT,
       [](auto& b) {
         b.push_back(0);
         header_of(b).bytes += 1;
       }},
  };
  for (const RawCase& c : cases) {
    std::vector<uint8_t> bytes = small_tables(ERT_TEXT_BPE, TaskKind::kEmbed).build();
    c.change(bytes);
    EXPECT_EQ(open_bytes(bytes), c.status) << c.name;
  }
  std::vector<uint8_t> many(sizeof(TablesHeader) + 65 * sizeof(Section));
  header_of(many) = {kTablesMagic, kTablesVersion, static_cast<uint32_t>(many.size()), 65, ERT_TEXT_BPE, 0, 0, 1, 0, -1, 0, 0, 0,
                     {0, 0, 0}};
  EXPECT_EQ(open_bytes(many), ERT_ERR_FORMAT) << "65 sections";
  std::vector<uint8_t> behind = small_tables(ERT_TEXT_BPE, TaskKind::kEmbed).build();
  header_of(behind).bytes = sizeof(TablesHeader);
  rows_of(behind)[0].kind = 0;  // who read it would say VERSION
  const auto memory = std::make_unique<uint64_t[]>((behind.size() + 7) / 8);
  std::memcpy(memory.get(), behind.data(), behind.size());
  ert_text t;
  EXPECT_EQ(ert_text_open_tables(&t, memory.get(), sizeof(TablesHeader)), ERT_ERR_FORMAT) << "rows behind the end are not read";
}

TEST(TextTables, EveryTruncationIsRefused) {
  const std::vector<uint8_t> whole = small_tables(ERT_TEXT_UNIGRAM, TaskKind::kEmbed).build();
  for (size_t n = 0; n < whole.size(); ++n)
    ASSERT_EQ(open_bytes({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)}), ERT_ERR_FORMAT) << n;
}

TEST(TextTables, Arguments) {
  std::vector<uint64_t> memory(1000);
  const std::vector<uint8_t> bytes = small_tables(ERT_TEXT_UNIGRAM, TaskKind::kEmbed).build();
  memory.resize(bytes.size() / 8 + 2);
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  ert_text t;
  EXPECT_EQ(ert_text_open_tables(nullptr, memory.data(), bytes.size()), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_open_tables(&t, nullptr, bytes.size()), ERT_ERR_ARG);
  std::memcpy(reinterpret_cast<uint8_t*>(memory.data()) + 4, bytes.data(), bytes.size());
  EXPECT_EQ(ert_text_open_tables(&t, reinterpret_cast<uint8_t*>(memory.data()) + 4, bytes.size()), ERT_ERR_ALIGN);
  EXPECT_EQ(ert_text_open(nullptr, nullptr), ERT_ERR_ARG);
}

}  // namespace
}  // namespace ert::testing
