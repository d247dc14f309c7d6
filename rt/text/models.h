// The models: each makes tokens of one piece of Encoder::main, as the model of the same name of the reference does. Their search lies in the part of
// Encoder::tokens that is not used yet, one element for each byte of the piece; a token replaces what the search has behind itself.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

// False: the piece has no tokens, because the vocabulary has no id for unknown ones, or the tables lead nowhere.
using Model = bool (*)(Encoder& e, size_t begin, size_t end);

// Null for a kind that is not linked.
Model model_of(uint32_t kind);

bool encode_wordpiece(Encoder& e, size_t begin, size_t end);
bool encode_wordlevel(Encoder& e, size_t begin, size_t end);
bool encode_bpe(Encoder& e, size_t begin, size_t end);
bool encode_unigram(Encoder& e, size_t begin, size_t end);
bool encode_ngrams(Encoder& e, size_t begin, size_t end);

// Bytes [begin, end) by kByteIds, if the tokenizer has an id for each of them.
bool emit_bytes(Encoder& e, size_t begin, size_t end, bool whole_span);

}  // namespace ert::text
