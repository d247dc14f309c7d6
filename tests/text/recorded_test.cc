// Tokenizers of every kind on lines whose ids, offsets and masks the references gave (record.py): no Python is needed here.
#include <cstring>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "convert/files/json.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"

namespace edgeconv::text {
namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

std::string folder_of(const std::string& kind) {
  return std::string(std::getenv("ERT_SOURCE_DIR")) + "/tests/text/recorded/" + kind;
}

std::string tables_of_kind(const std::string& kind) { return table_bytes(read_tokenizer(folder_of(kind))); }

Json offsets_json(const Encoding& e) {
  Json out = Json::array();
  for (const ert_span& s : e.offsets) out.push_back({s.start, s.end});
  return out;
}

class Recorded : public testing::TestWithParam<const char*> {};

TEST_P(Recorded, LinesAreWhatTheReferenceGave) {
  TextRunner runner(tables_of_kind(GetParam()));
  ert_text_options options{};
  options.struct_size = sizeof options;
  options.flags = ERT_TEXT_NO_TRUNCATION | ERT_TEXT_NO_PADDING;
  std::ifstream file(folder_of(GetParam()) + "/expected.jsonl");
  size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const Json row = parse_json(line);
    SCOPED_TRACE(line.substr(0, 200));
    const std::string text = bytes_of_hex(row["text"].get<std::string>());
    std::string pair;
    if (!row["pair"].is_null()) pair = bytes_of_hex(row["pair"].get<std::string>());
    const Encoding& e = runner.encode(text, row["pair"].is_null() ? nullptr : &pair, &options);
    ASSERT_EQ(Json(e.ids), row["ids"]);
    if (row.contains("offsets")) {
      EXPECT_EQ(offsets_json(e), row["offsets"]);
      EXPECT_EQ(Json(e.type_ids), row["type_ids"]);
      EXPECT_EQ(Json(e.special), row["special_tokens_mask"]);
    }
    if (row.contains("decoded")) {
      EXPECT_EQ(runner.decode(row["ids"].get<std::vector<int32_t>>(), true), row["decoded"].get<std::string>());
    }
  }
  EXPECT_GT(lines, 40u);
}

// What firmware sets aside for a text: 24 * 11 bytes for each of its bytes at most, also where a charsmap makes U+FDFA four words, and each word gets a mark.
TEST_P(Recorded, AByteBecomesElevenAtMost) {
  TextRunner runner(tables_of_kind(GetParam()));
  ert_text_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_text_describe(&runner.tables(), &info), ERT_OK);
  EXPECT_LE(info.expansion, 11u);
}

// Tables with any byte changed are refused, or encode within their memory (the sanitizers look).
TEST_P(Recorded, ChangedTablesAreRefusedOrStayInside) {
  const std::string tables = tables_of_kind(GetParam());
  const std::string text = "Hello \xc3\xa9\xcc\x81 w\xc3\xb6rld 123 <mask> \xef\xbf\xbd\xff\xe4\xb8\xad \xef\xb7\xba the FILE's";
  std::vector<uint64_t> copy((tables.size() + 7) / 8), work;
  uint64_t state = 88172645463325252u;
  size_t opened = 0;
  for (int round = 0; round < 400; ++round) {
    std::memcpy(copy.data(), tables.data(), tables.size());
    auto* bytes = reinterpret_cast<uint8_t*>(copy.data());
    for (int k = 0; k <= round % 4; ++k) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      // Half of them in header, section table and steps.
      const size_t at = state % (round % 2 == 0 ? std::min<size_t>(tables.size(), 800) : tables.size());
      bytes[at] = static_cast<uint8_t>(state >> 40);
    }
    ert_text t;
    if (ert_text_open_tables(&t, bytes, tables.size()) != ERT_OK) continue;
    ++opened;
    size_t need = 0;
    if (ert_text_bytes(&t, text.size(), 0, &need) != ERT_OK || need > (1u << 24)) continue;
    work.assign((need + 7) / 8, 0);
    std::vector<int32_t> ids(4096);
    ert_encoding e{};
    e.struct_size = sizeof e;
    e.capacity = static_cast<uint32_t>(ids.size());
    e.ids = ids.data();
    ert_text_options options{};
    options.struct_size = sizeof options;
    options.flags = ERT_TEXT_NO_PADDING;
    if (ert_text_encode(&t, &options, text.data(), text.size(), nullptr, 0, work.data(), need, &e) != ERT_OK) continue;
    char out[4096];
    size_t written = 0;
    ert_text_decode(&t, ids.data(), std::min<size_t>(e.tokens, ids.size()), 0, out, sizeof out, &written);
  }
  EXPECT_GT(opened, 20u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Recorded,
                         testing::Values("wordpiece", "roberta", "clip", "llama", "o200k", "unigram", "wordlevel", "spm_unigram",
                                         "spm_bpe", "ngram"),
                         [](const auto& kind) { return std::string(kind.param); });

// sentencepiece 0.2.3 counts scores anew where they become large, so that floats tell pieces of a long word apart.
TEST(TextModels, LongWordsHaveTheFloatsOfSentencePiece) {
  TextRunner runner(tables_of_kind("spm_unigram"));
  std::string word;
  uint32_t state = 1;
  for (int i = 0; i < 60000; ++i) {
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    word.push_back(static_cast<char>('a' + (state >> 16) % 26));
  }
  ert_text_options whole{};
  whole.struct_size = sizeof whole;
  whole.flags = ERT_TEXT_NO_TRUNCATION;
  const Encoding& e = runner.encode(word, nullptr, &whole);
  uint32_t sum = 2166136261u;
  for (const int32_t id : e.ids) sum = (sum ^ static_cast<uint32_t>(id)) * 16777619u;
  EXPECT_EQ(e.ids.size(), 53138u);
  EXPECT_EQ(sum, 2169250190u);
}

// Code points that only a later Unicode version has for marks are graphemes of their own: the reference does not know them yet.
TEST(TextNormalizers, LaterMarksStandAlone) {
  TextRunner runner(tables_of_kind("unigram"));
  const std::vector<int32_t> mapped = runner.encode("A\xd7\x88", nullptr, nullptr).ids;
  EXPECT_EQ(mapped, runner.encode("a\xd7\x88", nullptr, nullptr).ids);
  EXPECT_NE(mapped, runner.encode("a", nullptr, nullptr).ids);
}

// Working memory is exact: one byte less is refused, whatever the text.
TEST(TextMemory, NeedIsExact) {
  TextRunner runner(tables_of_kind("unigram"));
  for (const size_t n : {size_t{0}, size_t{1}, size_t{7}, size_t{1000}}) {
    const std::string text(n, 'a');
    size_t need = 0;
    ASSERT_EQ(ert_text_bytes(&runner.tables(), n, 0, &need), ERT_OK);
    ert_text_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(ert_text_describe(&runner.tables(), &info), ERT_OK);
    EXPECT_LE(need, 4096 + 24 * info.expansion * n);
    std::vector<uint64_t> work(need / 8 + 1);
    std::vector<int32_t> ids(4 * n + 16);
    ert_encoding e{};
    e.struct_size = sizeof e;
    e.capacity = static_cast<uint32_t>(ids.size());
    e.ids = ids.data();
    EXPECT_EQ(ert_text_encode(&runner.tables(), nullptr, text.data(), n, nullptr, 0, work.data(), need, &e), ERT_OK);
    EXPECT_EQ(ert_text_encode(&runner.tables(), nullptr, text.data(), n, nullptr, 0, work.data(), need - 1, &e), ERT_ERR_NOMEM);
  }
}

// A text of nothing but what expands most fits into the memory that is asked for.
TEST(TextMemory, LongestExpansionFits) {
  for (const char* kind : {"wordpiece", "clip", "llama", "unigram", "wordlevel", "spm_unigram", "ngram"}) {
    SCOPED_TRACE(kind);
    TextRunner runner(tables_of_kind(kind));
    ert_text_options whole{};
    whole.struct_size = sizeof whole;
    whole.flags = ERT_TEXT_NO_TRUNCATION;
    for (const char* piece :
         {"\xff", "\xef\xb7\xba", "\xce\x90", "\xf0\x9d\x85\xa0", " ", "\xe4\xb8\xad", "\xc4\xb0", "!", "ab ", "a\xce\xb1 ",
          "\xce\xb1"
          "a\xe4\xb8\xad"}) {
      std::string text;
      for (int i = 0; i < 300; ++i) text += piece;
      EXPECT_NO_THROW(runner.encode(text, nullptr, &whole));
    }
  }
}

// A pair that is cut gives windows that share as many tokens as the tokenizer says.
TEST(TextWindows, PairIsCutIntoWindows) {
  TextRunner runner(tables_of_kind("wordpiece"));  // 12 tokens, stride 2, only the second text is cut, 16 with padding
  const std::string text = "a b", pair = "c d e f g h i j k l m n o p";
  const Encoding first = runner.encode(text, &pair, nullptr);
  EXPECT_TRUE(first.truncated);
  ASSERT_EQ(first.ids.size(), 16u);
  EXPECT_EQ(first.attention[11], 1);
  EXPECT_EQ(first.attention[12], 0);
  // 12 less [CLS], 2 tokens, [SEP], [SEP]: 7 of the pair; windows begin every 5 tokens.
  EXPECT_EQ(first.windows, 3u);
}

}  // namespace
}  // namespace edgeconv::text
