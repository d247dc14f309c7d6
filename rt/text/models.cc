// Which model a tokenizer has. A build that defines ERT_TEXT_KINDS, a sum of 1 << ert_text_kind, links only those.
#include "rt/text/models.h"

#ifndef ERT_TEXT_KINDS
#define ERT_TEXT_KINDS 0xffffffffu
#endif

namespace ert::text {

Model model_of(uint32_t kind) {
#if (ERT_TEXT_KINDS >> 1) & 1
  if (kind == ERT_TEXT_WORDPIECE) return encode_wordpiece;
#endif
#if ((ERT_TEXT_KINDS >> 2) | (ERT_TEXT_KINDS >> 5)) & 1
  if (kind == ERT_TEXT_BPE || kind == ERT_TEXT_SENTENCEPIECE_BPE) return encode_bpe;
#endif
#if (ERT_TEXT_KINDS >> 3) & 1
  if (kind == ERT_TEXT_UNIGRAM) return encode_unigram;
#endif
#if (ERT_TEXT_KINDS >> 4) & 1
  if (kind == ERT_TEXT_WORDLEVEL) return encode_wordlevel;
#endif
#if (ERT_TEXT_KINDS >> 6) & 1
  if (kind == ERT_TEXT_NGRAM) return encode_ngrams;
#endif
  return nullptr;
}

}  // namespace ert::text
