// Which normalizer a step is, of those that are linked (linked.h).
#include "rt/text/normalize.h"

#include "rt/text/linked.h"

namespace ert::text {

namespace {

bool run_normalizer(Encoder& e, const Step& s) {
  switch (static_cast<NormalizerKind>(s.kind)) {
    case NormalizerKind::kNfc:
      if constexpr (linked_normalizer(NormalizerKind::kNfc)) return normalize_unicode(e, false, true);
      break;
    case NormalizerKind::kNfd:
      if constexpr (linked_normalizer(NormalizerKind::kNfd)) return normalize_unicode(e, false, false);
      break;
    case NormalizerKind::kNfkc:
      if constexpr (linked_normalizer(NormalizerKind::kNfkc)) return normalize_unicode(e, true, true);
      break;
    case NormalizerKind::kNfkd:
      if constexpr (linked_normalizer(NormalizerKind::kNfkd)) return normalize_unicode(e, true, false);
      break;
    case NormalizerKind::kLowercase:
      if constexpr (linked_normalizer(NormalizerKind::kLowercase)) return normalize_lowercase(e);
      break;
    case NormalizerKind::kStripAccents:
      if constexpr (linked_normalizer(NormalizerKind::kStripAccents)) return normalize_strip_marks(e, s);
      break;
    case NormalizerKind::kBertClean:
      if constexpr (linked_normalizer(NormalizerKind::kBertClean)) return normalize_bert_clean(e);
      break;
    case NormalizerKind::kBertChinese:
      if constexpr (linked_normalizer(NormalizerKind::kBertChinese)) return normalize_bert_chinese(e);
      break;
    case NormalizerKind::kNmt:
      if constexpr (linked_normalizer(NormalizerKind::kNmt)) return normalize_nmt(e);
      break;
    case NormalizerKind::kPrecompiled:
      if constexpr (linked_normalizer(NormalizerKind::kPrecompiled)) return normalize_precompiled(e);
      break;
    case NormalizerKind::kReplace:
      if constexpr (linked_normalizer(NormalizerKind::kReplace)) return normalize_replace(e, s);
      break;
    case NormalizerKind::kPrepend:
      if constexpr (linked_normalizer(NormalizerKind::kPrepend)) return normalize_prepend(e, s);
      break;
    case NormalizerKind::kStrip:
      if constexpr (linked_normalizer(NormalizerKind::kStrip)) return normalize_strip(e, s);
      break;
    case NormalizerKind::kSentencePiece:
      if constexpr (linked_normalizer(NormalizerKind::kSentencePiece)) return normalize_sentencepiece(e, s);
      break;
    case NormalizerKind::kCount: break;
  }
  return false;
}

}  // namespace

bool normalize(Encoder& e) {
  const Tables& t = *e.tables;
  for (uint32_t i = 0; i < t.normalizer.size && e.main.size != 0; ++i) {
    e.place_next();
    if (!run_normalizer(e, t.normalizer.data[i])) return false;
  }
  return true;
}

}  // namespace ert::text
