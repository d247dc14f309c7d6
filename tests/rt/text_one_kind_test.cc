// A build of rt/text with one kind of tokenizer (ERT_TEXT_KINDS: WordLevel), as a device that knows its model makes it.
#include <gtest/gtest.h>

#include "tests/support/text_tables.h"

namespace ert::testing {
namespace {

using namespace text;

struct OpenedTables {
  explicit OpenedTables(uint32_t kind) : bytes(small_tables(kind, TaskKind::kEmbed).build()), memory((bytes.size() + 7) / 8) {
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    status = ert_text_open_tables(&text, memory.data(), bytes.size());
  }
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> memory;
  ert_text text;
  ert_status status;
};

// Opening gave OK, and the first text was refused: on a device in the field.
TEST(OneKind, OthersAreRefusedWhenTheyAreOpened) {
  for (const uint32_t kind : {ERT_TEXT_WORDPIECE, ERT_TEXT_BPE, ERT_TEXT_UNIGRAM, ERT_TEXT_SENTENCEPIECE_BPE, ERT_TEXT_NGRAM})
    EXPECT_EQ(OpenedTables(kind).status, ERT_ERR_UNSUPPORTED) << kind;
}

TEST(OneKind, ItsOwnEncodes) {
  const OpenedTables o(ERT_TEXT_WORDLEVEL);
  ASSERT_EQ(o.status, ERT_OK);
  size_t need = 0;
  ASSERT_EQ(ert_text_bytes(&o.text, 3, 0, &need), ERT_OK);
  std::vector<uint64_t> work((need + 7) / 8);
  int32_t ids[16];
  ert_encoding e{};
  e.struct_size = sizeof e, e.capacity = 16, e.ids = ids;
  ASSERT_EQ(ert_text_encode(&o.text, nullptr, "A d", 3, nullptr, 0, work.data(), need, &e), ERT_OK);
  EXPECT_EQ(std::vector<int32_t>(ids, ids + e.tokens), (std::vector<int32_t>{18, 1, 4, 19}));
}

}  // namespace
}  // namespace ert::testing
