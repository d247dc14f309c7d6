// Golden blobs with a tokenizer, as they were written when their format was new: each later runtime opens them and gives the same ids and bits.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "convert/files/json.h"
#include "convert/run/blob_runner.h"
#include "convert/run/text_session.h"
#include "convert/text/text_runner.h"
#include "rt/text/format.h"

namespace edgeconv {
namespace {

std::string file_of(const std::string& name) {
  std::ifstream in(std::string(std::getenv("ERT_SOURCE_DIR")) + "/tests/text/golden/" + name, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

class GoldenBlob : public testing::TestWithParam<const char*> {
 protected:
  GoldenBlob() : bytes_(file_of(std::string(GetParam()) + ".ert")), memory_(bytes_.size() + 64) {
    blob_ = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
    std::memcpy(blob_, bytes_.data(), bytes_.size());
  }
  std::string bytes_;
  std::vector<uint8_t> memory_;
  uint8_t* blob_;
};

TEST_P(GoldenBlob, GivesTheAnswersOfItsTime) {
  BlobRunner runner(blob_, bytes_.size());
  TextSession session(runner, {});
  text::TextRunner tokenizer(runner.model(), GetParam());
  std::istringstream rows(file_of(std::string(GetParam()) + ".jsonl"));
  size_t count = 0;
  for (std::string line; std::getline(rows, line); ++count) {
    const Json row = parse_json(line);
    SCOPED_TRACE(line);
    const std::string words = row["text"].get<std::string>();
    EXPECT_EQ(Json(tokenizer.encode(words, nullptr, nullptr).ids), row["ids"]);
    if (row.contains("decoded")) {
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(words, nullptr, nullptr).ids, true), row["decoded"].get<std::string>());
    }
    const Answered a = session.answer({words, {}, {}, 0});
    ASSERT_EQ(a.scored.size(), row["labels"].size());
    for (size_t i = 0; i < a.scored.size(); ++i) {
      EXPECT_EQ(a.scored[i].label, row["labels"][i]["label"].get<std::string>());
      EXPECT_EQ(a.scored[i].score, static_cast<float>(row["labels"][i]["score"].get<double>()));
    }
  }
  EXPECT_EQ(count, 6u);
}

// A reader of before knows neither the flag of a blob with a tokenizer nor section 31: what this one does with flags and sections of a later time.
TEST_P(GoldenBlob, LaterSectionsAndFlagsAreOfAnotherVersion) {
  const auto* magic = reinterpret_cast<const uint8_t*>("ETOK");
  uint8_t* tables = std::search(blob_, blob_ + bytes_.size(), magic, magic + 4);
  ASSERT_NE(tables, blob_ + bytes_.size());
  uint32_t header[16];
  std::memcpy(header, tables, sizeof header);
  std::vector<uint64_t> copy(header[2] / 8 + 1);
  auto* own = reinterpret_cast<uint8_t*>(copy.data());
  std::memcpy(own, tables, header[2]);
  ert_text t;
  EXPECT_EQ(ert_text_open_tables(&t, own, header[2]), ERT_OK);
  own[23] = 0x80;  // flags
  EXPECT_EQ(ert_text_open_tables(&t, own, header[2]), ERT_ERR_VERSION);
  own[23] = 0;
  const uint32_t last = 64 + 16 * (header[3] - 1);
  own[last] = static_cast<uint8_t>(ert::text::SectionKind::kCount);
  EXPECT_EQ(ert_text_open_tables(&t, own, header[2]), ERT_ERR_VERSION);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GoldenBlob, testing::Values("wordlevel", "ngram", "plain_spaces", "two_meanings", "whole_pieces"), [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace edgeconv
