// Tokenizers and tasks of hostile blobs: whatever is accepted encodes, answers and decodes inside its memory.
#include <cstdlib>

#include "tests/support/opened_text.h"
#include "tests/support/seeded_random.h"
#include "tests/support/text_changes.h"

namespace ert::testing {
namespace {

using text::TaskKind;

void use(Opened* o) {
  std::string many;  // more tokens than bytes, where there are n-grams
  for (int i = 0; i < 200; ++i) many += i < 150 ? "ab1" : "x";
  const std::string texts[] = {"", "a b ab 12 <m> A^",
                               "Hello \xc3\xa9\xcc\x81 w\xc3\xb6rld \xef\xbf\xbd\xff\xe4\xb8\xad\xef\xb7\xba the FILE's  x\r\nx",
                               std::string(60, 'a') + "b", many};
  for (const std::string& s : texts) {
    o->ask(s, nullptr);
    o->ask(s, &texts[1]);
    size_t need = 0;
    if (ert_text_bytes(&o->text, s.size(), 0, &need) != ERT_OK || need > (1u << 22)) continue;
    ExactMemory work(need);
    int32_t ids[64], attention[64];
    ert_span offsets[64];
    ert_encoding e{};
    e.struct_size = sizeof e, e.capacity = 64, e.ids = ids, e.attention = attention, e.offsets = offsets;
    if (ert_text_encode(&o->text, nullptr, s.data(), s.size(), nullptr, 0, work.data(), need, &e) != ERT_OK) continue;
    EXPECT_TRUE(work.intact());
    char out[200];
    size_t bytes = 0;
    ert_text_decode(&o->text, ids, e.tokens, 0, out, sizeof out, &bytes);
    for (uint32_t w = 1; w < e.windows && w < 5; ++w) ert_text_window(&o->text, work.data(), w, &e);
  }
  const char* name = nullptr;
  size_t bytes = 0;
  volatile uint8_t sum = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    if (ert_text_label(&o->text, i, &name, &bytes) != ERT_OK) continue;
    for (size_t k = 0; k < bytes; ++k) sum = static_cast<uint8_t>(sum + name[k]);
  }
}

// Bytes of the tokenizer segment changed, by structure or blindly, in a blob whose checksums hold: what is accepted encodes, answers and decodes
// within the memory that it asks for.
class HostileText : public ::testing::TestWithParam<uint32_t> {};

TEST_P(HostileText, WhatIsAcceptedStaysInside) {
  SeededRandom random;
  size_t opened = 0, refused = 0, tasks = 0;
  const char* rounds = std::getenv("ERT_HOSTILE_ROUNDS");
  for (int round = 0; round < (rounds != nullptr ? std::atoi(rounds) : 1500); ++round) {
    const TaskKind task = kTasks[round % 5];
    TextTables t = small_tables(GetParam(), task, round % 3 == 0);
    for (int k = random.integer(1, 3); k > 0; --k) change_tables(&t, &random);
    TextModelShape shape;
    shape.task = task;
    shape.tokenizer = t.build();
    if (round % 8 == 0) {  // header and section table too
      shape.tokenizer[static_cast<size_t>(random.integer(0, 500))] = static_cast<uint8_t>(random.bits());
    }
    Opened o(text_model(shape));
    (o.status == ERT_OK ? opened : refused) += 1;
    if (o.status != ERT_OK) continue;
    tasks += o.task() == ERT_OK && o.info.task != 0;
    ASSERT_EQ(o.start(), ERT_OK);
    use(&o);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(opened, 300u);
  EXPECT_GT(refused, 300u);
  EXPECT_GT(tasks, 300u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostileText,
                         ::testing::Values(ERT_TEXT_WORDPIECE, ERT_TEXT_BPE, ERT_TEXT_UNIGRAM, ERT_TEXT_WORDLEVEL,
                                           ERT_TEXT_SENTENCEPIECE_BPE, ERT_TEXT_NGRAM));

}  // namespace
}  // namespace ert::testing
