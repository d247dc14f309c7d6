// Tokenizer segments with one thing wrong in their header, section table or the form of a section: ert_text_open_tables refuses each, with its
// status. Each check of rt/text/open.cc has its case here or in text_contents_test.cc (tests/checks/check_deletion.py).
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tests/rt/changed_tables.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

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

const std::vector<TablesCase> kHeader = {
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
