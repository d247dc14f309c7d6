// Tokenizers from files.
#pragma once

#include <string>

#include "convert/text/tokenizer.h"

namespace edgeconv::text {

// A tokenizer.json, a SentencePiece .model, a vocab.txt, or a folder that has one of them or vocab.json and merges.txt. Throws FatalError: kIo; kMalformed with
// the place inside the file; kUnsupported with all components that no code knows; kLimit.
Tokenizer read_tokenizer(const std::string& path);

// The readers behind it, of contents. `name` is how messages call the file.
Tokenizer read_tokenizer_json(const std::string& contents, const std::string& name);
Tokenizer read_sentencepiece(const std::string& contents, const std::string& name);
Tokenizer read_vocab_txt(const std::string& contents, const std::string& name, bool lowercase);
Tokenizer read_vocab_and_merges(const std::string& vocab, const std::string& merges, const std::string& name);

}  // namespace edgeconv::text
