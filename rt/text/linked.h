// What is linked of tokenizers. A build that defines one of these sums for the files of this folder has only the kinds, normalizers, pre-tokenizers and split
// rules whose bits (1 << enumerator) are in it; open refuses a tokenizer of another kind (UNSUPPORTED), encoding one with
// another step (MODEL).
#pragma once

#include "rt/include/ert_text.h"
#include "rt/text/format.h"

#ifndef ERT_TEXT_KINDS
#define ERT_TEXT_KINDS 0xffffffffu
#endif
#ifndef ERT_TEXT_NORMALIZERS
#define ERT_TEXT_NORMALIZERS 0xffffffffu
#endif
#ifndef ERT_TEXT_PRETOKENIZERS
#define ERT_TEXT_PRETOKENIZERS 0xffffffffu
#endif
#ifndef ERT_TEXT_SPLIT_RULES
#define ERT_TEXT_SPLIT_RULES 0xffffffffu
#endif

namespace ert::text {

constexpr bool linked_kind(ert_text_kind k) { return ((ERT_TEXT_KINDS >> static_cast<uint32_t>(k)) & 1) != 0; }
constexpr bool linked_normalizer(NormalizerKind k) { return ((ERT_TEXT_NORMALIZERS >> static_cast<uint32_t>(k)) & 1) != 0; }
constexpr bool linked_pretokenizer(PretokenizerKind k) { return ((ERT_TEXT_PRETOKENIZERS >> static_cast<uint32_t>(k)) & 1) != 0; }
constexpr bool linked_rule(SplitRule r) { return ((ERT_TEXT_SPLIT_RULES >> static_cast<uint32_t>(r)) & 1) != 0; }

// A bit for each of ert_text_kind that is linked.
constexpr uint32_t kLinkedKinds = (ERT_TEXT_KINDS) & ((2u << ERT_TEXT_NGRAM) - 2);
// Both kinds are one model.
constexpr bool kBpeIsLinked = linked_kind(ERT_TEXT_BPE) || linked_kind(ERT_TEXT_SENTENCEPIECE_BPE);
constexpr bool kCharsmapIsLinked = linked_normalizer(NormalizerKind::kPrecompiled) || linked_normalizer(NormalizerKind::kSentencePiece);
// Only these steps make marks of spaces, or leave them to the tables (kPlainSpaces).
constexpr bool kMarksAreLinked = linked_pretokenizer(PretokenizerKind::kMetaspace) || linked_normalizer(NormalizerKind::kSentencePiece);
// Llama's older files have Prepend and Replace in their place.
constexpr bool kWordsMayBeApart = kBpeIsLinked && (kMarksAreLinked || linked_normalizer(NormalizerKind::kPrepend));
// Only tokenizers of these have kSpmUtf8.
constexpr bool kSpmUtf8IsLinked = linked_normalizer(NormalizerKind::kSentencePiece) || linked_kind(ERT_TEXT_NGRAM);

}  // namespace ert::text
