// Tokenizers that have U+2581 in the place of spaces, with the space left as it is on its way to the model: one byte of working memory and not three.
#pragma once

#include "convert/text/tokenizer.h"

namespace edgeconv::text {

// Can the device leave spaces as they are (ert::text::kPlainSpaces) and find the same pieces? It can where every space becomes a mark just before the
// model, the mark alone is a piece, and nothing else looks at marks behind that.
bool allows_plain_spaces(const Tokenizer& t);

// The same tokenizer with that flag. allows_plain_spaces(t).
Tokenizer with_plain_spaces(Tokenizer t);

// A piece as it stands in the text that the model gets: of tokenizers with kPlainSpaces a space in the place of each mark.
std::string piece_in_text(const Tokenizer& t, const std::string& piece);

}  // namespace edgeconv::text
