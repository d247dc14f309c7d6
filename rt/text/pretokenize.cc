// Which pre-tokenizer a step is. A build that defines ERT_TEXT_PRETOKENIZERS, a sum of 1 << PretokenizerKind, links only those.
#include "rt/text/pretokenize.h"

#ifndef ERT_TEXT_PRETOKENIZERS
#define ERT_TEXT_PRETOKENIZERS 0xffffffffu
#endif

namespace ert::text {

namespace {

constexpr bool linked_pretokenizer(PretokenizerKind k) { return ((ERT_TEXT_PRETOKENIZERS >> static_cast<uint32_t>(k)) & 1) != 0; }

bool run_pretokenizer(Encoder& e, const Step& s) {
  switch (static_cast<PretokenizerKind>(s.kind)) {
    case PretokenizerKind::kBert:
      if constexpr (linked_pretokenizer(PretokenizerKind::kBert)) return pretokenize_bert(e);
      break;
    case PretokenizerKind::kWhitespace:
      if constexpr (linked_pretokenizer(PretokenizerKind::kWhitespace)) return pretokenize_whitespace(e);
      break;
    case PretokenizerKind::kWhitespaceSplit:
      if constexpr (linked_pretokenizer(PretokenizerKind::kWhitespaceSplit))
        return pretokenize_characters(e, kClassSpace, Behavior::kRemoved);
      break;
    case PretokenizerKind::kMetaspace:
      if constexpr (linked_pretokenizer(PretokenizerKind::kMetaspace)) return pretokenize_metaspace(e, s);
      break;
    case PretokenizerKind::kByteLevel:
      if constexpr (linked_pretokenizer(PretokenizerKind::kByteLevel)) return pretokenize_byte_level(e, s);
      break;
    case PretokenizerKind::kDigits:
      if constexpr (linked_pretokenizer(PretokenizerKind::kDigits))
        return pretokenize_characters(e, kClassNumeric, s.option == 1 ? Behavior::kIsolated : Behavior::kContiguous);
      break;
    case PretokenizerKind::kPunctuation:
      if constexpr (linked_pretokenizer(PretokenizerKind::kPunctuation))
        return pretokenize_characters(e, kClassPunctuation, static_cast<Behavior>(s.option));
      break;
    case PretokenizerKind::kSplit:
      if constexpr (linked_pretokenizer(PretokenizerKind::kSplit)) return pretokenize_split(e, s);
      break;
    case PretokenizerKind::kCount: break;
  }
  return false;
}

}  // namespace

bool pretokenize(Encoder& e) {
  const Tables& t = *e.tables;
  for (uint32_t i = 0; i < t.pretokenizer.size && e.main.size != 0; ++i)
    if (!run_pretokenizer(e, t.pretokenizer.data[i])) return false;
  return true;
}

}  // namespace ert::text
