// Which model a tokenizer has, of those that are linked (linked.h).
#include "rt/text/models.h"

#include "rt/text/linked.h"

namespace ert::text {

Model model_of(uint32_t kind) {
  if constexpr (linked_kind(ERT_TEXT_WORDPIECE))
    if (kind == ERT_TEXT_WORDPIECE) return encode_wordpiece;
  if constexpr (linked_kind(ERT_TEXT_BPE))
    if (kind == ERT_TEXT_BPE) return encode_bpe;
  if constexpr (linked_kind(ERT_TEXT_SENTENCEPIECE_BPE))
    if (kind == ERT_TEXT_SENTENCEPIECE_BPE) return encode_bpe;
  if constexpr (linked_kind(ERT_TEXT_UNIGRAM))
    if (kind == ERT_TEXT_UNIGRAM) return encode_unigram;
  if constexpr (linked_kind(ERT_TEXT_WORDLEVEL))
    if (kind == ERT_TEXT_WORDLEVEL) return encode_wordlevel;
  if constexpr (linked_kind(ERT_TEXT_NGRAM))
    if (kind == ERT_TEXT_NGRAM) return encode_ngrams;
  return nullptr;
}

}  // namespace ert::text
