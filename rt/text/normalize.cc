// Which normalizer a step is.
#include "rt/text/normalize.h"

namespace ert::text {

namespace {

bool run_normalizer(Encoder& e, const Step& s) {
  switch (static_cast<NormalizerKind>(s.kind)) {
    case NormalizerKind::kNfc: return normalize_unicode(e, false, true);
    case NormalizerKind::kNfd: return normalize_unicode(e, false, false);
    case NormalizerKind::kNfkc: return normalize_unicode(e, true, true);
    case NormalizerKind::kNfkd: return normalize_unicode(e, true, false);
    case NormalizerKind::kLowercase: return normalize_lowercase(e);
    case NormalizerKind::kStripAccents: return normalize_strip_marks(e);
    case NormalizerKind::kBertClean: return normalize_bert_clean(e);
    case NormalizerKind::kBertChinese: return normalize_bert_chinese(e);
    case NormalizerKind::kNmt: return normalize_nmt(e);
    case NormalizerKind::kPrecompiled: return normalize_precompiled(e);
    case NormalizerKind::kReplace: return normalize_replace(e, s);
    case NormalizerKind::kPrepend: return normalize_prepend(e, s);
    case NormalizerKind::kStrip: return normalize_strip(e, s);
    case NormalizerKind::kSentencePiece: return normalize_sentencepiece(e, s);
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
