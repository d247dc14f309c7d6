// The pieces of BPE that a word becomes as a whole (SectionKind::kWholePieces).
#pragma once

#include <string>

#include "convert/text/table_probe.h"
#include "convert/text/tokenizer.h"

namespace edgeconv::text {

// A bit for each id, lowest first: merging makes this one token of a word that is its piece. Most words of a text are such pieces, and one look-up takes the
// place of all their merges. Empty where no id is, or where the tokenizer takes every piece without merging (ignore_merges), and for other kinds.
// `probe`: of the same tokenizer's tables without them.
std::string whole_pieces(const Tokenizer& t, TableProbe& probe);

}  // namespace edgeconv::text
