// The normalizers: each rewrites Encoder::main, spans included, as the component of the same name of the reference does. While they work the marks
// are free to use. False: the text would take more room than the tables promise, or the tables lead nowhere.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

// All steps of the tokenizer, in order.
bool normalize(Encoder& e);

bool normalize_unicode(Encoder& e, bool compatible, bool compose);
bool normalize_lowercase(Encoder& e);
bool normalize_strip_marks(Encoder& e, const Step& s);
bool normalize_bert_clean(Encoder& e);
bool normalize_bert_chinese(Encoder& e);
bool normalize_nmt(Encoder& e);
bool normalize_precompiled(Encoder& e);
bool normalize_replace(Encoder& e, const Step& s);
bool normalize_prepend(Encoder& e, const Step& s);
bool normalize_strip(Encoder& e, const Step& s);
bool normalize_sentencepiece(Encoder& e, const Step& s);

// Puts bytes before byte `at` of main, and everything into next: what Prepend does to a text, and Metaspace to a piece. The new bytes have the
// span of the character that they stand before.
bool copy_with_prefix(Encoder& e, size_t from, size_t to, Bytes8 prefix);

}  // namespace ert::text
