// Which words become their piece without merging: those that merging makes it of.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/table_probe.h"
#include "convert/text/text_runner.h"
#include "convert/text/whole_pieces.h"

namespace edgeconv::text {
namespace {

std::vector<uint32_t> whole_of(const std::string& model) {
  const Tokenizer t = read_tokenizer_json(R"({"model": {"type": "BPE", )" + model + "}}", "tokenizer.json");
  TableProbe probe(table_bytes(t));
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; probe.tables().whole_pieces.size != 0 && id < t.vocabulary(); ++id)
    if (is_whole(probe.tables(), id)) ids.push_back(id);
  return ids;
}

constexpr const char* kMerges = R"("merges": ["b c", "a b", "ab c"])";

TEST(WholePieces, AreThoseThatMergingMakes) {
  // "abc" is merged to "a" "bc", which are no pair.
  const std::string vocab = R"("vocab": {"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "abc": 5, "<abc>": 6}, )";
  EXPECT_EQ(whole_of(vocab + kMerges), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
}

TEST(WholePieces, EndAsWordsDo) {
  const std::string vocab = R"("end_of_word_suffix": "$", "vocab": {"a": 0, "b": 1, "b$": 2, "ab$": 3, "ab": 4}, )";
  EXPECT_EQ(whole_of(vocab + R"("merges": ["a b$", "a b"])"), (std::vector<uint32_t>{2, 3}));
}

TEST(WholePieces, AreNotNeededWhereEveryPieceIsTaken) {
  EXPECT_TRUE(whole_of(std::string(R"("ignore_merges": true, "vocab": {"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "abc": 5}, )") + kMerges).empty());
}

// The same ids and offsets with and without, on the lines and tokenizers that were recorded.
TEST(WholePieces, ChangeNoTokens) {
  const std::string folder = std::string(std::getenv("ERT_SOURCE_DIR")) + "/tests/text/recorded/";
  for (const char* name : {"clip", "llama", "roberta", "spm_bpe"}) {
    SCOPED_TRACE(name);
    const std::string path = folder + name + (std::string(name) == "spm_bpe" ? "/spiece.model" : "/tokenizer.json");
    const std::string tables = table_bytes(read_tokenizer(path));
    std::string without = tables;
    TableProbe probe(tables);
    ASSERT_NE(probe.tables().whole_pieces.size, 0u);
    const size_t at = static_cast<size_t>(probe.tables().whole_pieces.data - probe.tables().base);
    std::fill_n(without.begin() + static_cast<std::ptrdiff_t>(at), probe.tables().whole_pieces.size, '\0');
    TextRunner fast(tables), slow(without);
    std::ifstream lines(std::string(std::getenv("ERT_SOURCE_DIR")) + "/README.md");
    size_t tokens = 0;
    for (std::string line; std::getline(lines, line);) {
      const Encoding a = fast.encode(line, nullptr, nullptr), b = slow.encode(line, nullptr, nullptr);
      ASSERT_EQ(a.ids, b.ids) << line;
      for (size_t i = 0; i < a.offsets.size(); ++i) ASSERT_TRUE(a.offsets[i].start == b.offsets[i].start && a.offsets[i].end == b.offsets[i].end) << line;
      tokens += a.ids.size();
    }
    EXPECT_GT(tokens, 1000u);
  }
}

}  // namespace
}  // namespace edgeconv::text
