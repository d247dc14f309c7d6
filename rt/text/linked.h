// Which kinds of tokenizers are linked. A build that defines ERT_TEXT_KINDS, a sum of 1 << ert_text_kind, for models.cc, open.cc and bpe.cc has only those.
#pragma once

#include "rt/include/ert_text.h"

#ifndef ERT_TEXT_KINDS
#define ERT_TEXT_KINDS 0xffffffffu
#endif

namespace ert::text {

constexpr bool linked_kind(ert_text_kind kind) { return ((ERT_TEXT_KINDS >> static_cast<uint32_t>(kind)) & 1) != 0; }
// Both kinds are one model in two forms, of which a build may have one (bpe.cc).
constexpr bool kBpeIsLinked = linked_kind(ERT_TEXT_BPE) || linked_kind(ERT_TEXT_SENTENCEPIECE_BPE);

}  // namespace ert::text
