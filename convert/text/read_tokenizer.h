// Tokenizers from files.
#pragma once

#include <string>

#include "convert/text/files/json_place.h"
#include "convert/text/tokenizer.h"

namespace edgeconv::text {

// A tokenizer.json or a SentencePiece .model, as it is; a vocab.txt, or vocab.json with merges.txt, with the configuration beside it; or a folder that has one of
// them, as AutoTokenizer of transformers reads it. Throws FatalError: kIo; kMalformed with the place inside the file; UnsupportedTokenizer (kUnsupported) with
// all components that no code knows; kLimit.
Tokenizer read_tokenizer(const std::string& path);

// The readers behind it, of contents. `name` is how messages call the file.
Tokenizer read_tokenizer_json(const std::string& contents, const std::string& name);
Tokenizer read_tokenizer_tree(const JsonTree& tree, const std::string& name);
Tokenizer read_sentencepiece(const std::string& contents, const std::string& name);

}  // namespace edgeconv::text
