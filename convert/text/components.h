// The components of a tokenizer.json, a file each. All add what they do not know to the place's list and go on.
#pragma once

#include <map>
#include <string>

#include "convert/text/files/json_place.h"
#include "convert/text/tokenizer.h"

namespace edgeconv::text {

using Vocabulary = std::map<std::string, int32_t>;  // as the file spells pieces

void read_normalizer(const JsonPlace& place, Tokenizer& t);
void read_pretokenizer(const JsonPlace& place, Tokenizer& t);
void read_model(const JsonPlace& place, Tokenizer& t, Vocabulary& vocabulary);
void read_postprocessor(const JsonPlace& place, Tokenizer& t);
void read_decoder(const JsonPlace& whole, Tokenizer& t);
void read_added_tokens(const JsonPlace& place, Tokenizer& t, const Vocabulary& vocabulary);
void read_limits(const JsonPlace& whole, Tokenizer& t);  // truncation and padding

// What is wrong with the bytes of a SentencePiece charsmap, or "".
std::string wrong_with_charsmap(const std::string& bytes);

// MetaspaceOptions and the mark of a Metaspace, which is a pre-tokenizer and a decoder.
uint32_t metaspace_options(const JsonPlace& place);
std::string metaspace_mark(const JsonPlace& place);

// The rule of an expression, or kCount.
ert::text::SplitRule rule_of(const std::string& expression);

// Byte-level vocabularies write each byte as a letter. False: the text has others; *bytes is then what it had.
bool byte_level_bytes(const std::string& letters, std::string* bytes);
std::string byte_level_letter(uint8_t byte);

// Adds a merge of two pieces; what is wrong with it, or "".
std::string add_merge(Tokenizer& t, const Vocabulary& vocabulary, const std::string& left, const std::string& right, uint32_t rank);

// Fills pieces, found and byte_ids of a BPE model from its vocabulary.
void take_bpe_pieces(Tokenizer& t, const Vocabulary& vocabulary);

}  // namespace edgeconv::text
