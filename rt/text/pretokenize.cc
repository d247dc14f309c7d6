// Which pre-tokenizer a step is, of those that are linked (linked.h).
#include "rt/text/pretokenize.h"

#include "rt/text/linked.h"

namespace ert::text {

namespace {

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
