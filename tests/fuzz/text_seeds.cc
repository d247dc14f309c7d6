// Tokenizer tables of every kind for every task, narrow and wide, as the target text starts from them.
#include "tests/fuzz/seeds.h"
#include "tests/support/text_tables.h"

namespace ert::fuzz {

std::vector<Seed> text_seeds() {
  std::vector<Seed> seeds;
  for (const ert_text_kind kind :
       {ERT_TEXT_WORDPIECE, ERT_TEXT_BPE, ERT_TEXT_UNIGRAM, ERT_TEXT_WORDLEVEL, ERT_TEXT_SENTENCEPIECE_BPE, ERT_TEXT_NGRAM})
    for (uint32_t task = 0; task < static_cast<uint32_t>(text::TaskKind::kCount); ++task)
      for (const bool wide : {false, true}) {
        testing::TextTables t = testing::small_tables(kind, static_cast<text::TaskKind>(task), wide);
        if (task == 0) t.sections.erase(text::SectionKind::kTask);
        seeds.push_back({"kind" + std::to_string(kind) + "_task" + std::to_string(task) + (wide ? "_wide" : ""), t.build()});
      }
  return seeds;
}

}  // namespace ert::fuzz
