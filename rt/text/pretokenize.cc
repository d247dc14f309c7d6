// Which pre-tokenizer a step is.
#include "rt/text/pretokenize.h"

namespace ert::text {

namespace {

bool run_pretokenizer(Encoder& e, const Step& s) {
  switch (static_cast<PretokenizerKind>(s.kind)) {
    case PretokenizerKind::kBert: return pretokenize_bert(e);
    case PretokenizerKind::kWhitespace: return pretokenize_whitespace(e);
    case PretokenizerKind::kWhitespaceSplit: return pretokenize_characters(e, kClassSpace, Behavior::kRemoved);
    case PretokenizerKind::kMetaspace: return pretokenize_metaspace(e, s);
    case PretokenizerKind::kByteLevel: return pretokenize_byte_level(e, s);
    case PretokenizerKind::kDigits:
      return pretokenize_characters(e, kClassNumeric, s.option == 1 ? Behavior::kIsolated : Behavior::kContiguous);
    case PretokenizerKind::kPunctuation: return pretokenize_characters(e, kClassPunctuation, static_cast<Behavior>(s.option));
    case PretokenizerKind::kSplit: return pretokenize_split(e, s);
    case PretokenizerKind::kCount: break;
  }
  return false;
}

}  // namespace

bool pretokenize(Encoder& e) {
  const Tables& t = *e.tables;
  for (uint32_t i = 0; i < t.pretokenizer.size; ++i)
    if (!run_pretokenizer(e, t.pretokenizer.data[i])) return false;
  return true;
}

}  // namespace ert::text
