// Vocabularies without a tokenizer.json, as the tokenizer.json that transformers makes of them (convert_slow_tokenizer.py of transformers 4.57).
#pragma once

#include <string>

#include "convert/text/folder/folder_config.h"

namespace edgeconv::text {

// vocab.txt of BERT and MPNet, a piece a line. `lowercase`: what is taken where the configuration does not say. Throws FatalError(kMalformed) with the line.
JsonTree vocab_txt_tree(const std::string& contents, const std::string& name, const FolderConfig& config, bool lowercase);

// vocab.json and merges.txt of GPT-2, RoBERTa and CLIP. Throws FatalError(kMalformed) with the line.
JsonTree vocab_and_merges_tree(const std::string& vocab, const std::string& merges, const std::string& name,
                               const FolderConfig& config);

// A SentencePiece .model of XLM-R, T5, ALBERT or Llama, whose classes give other ids than the .model, put tokens around texts, or normalize first.
JsonTree sentencepiece_tree(const std::string& contents, const std::string& name, const FolderConfig& config);

// Changes to a tokenizer.json which its folder's configuration asks for: the normalizer of BERT's kinds, add_prefix_space, trim_offsets, the beginning and
// end of Llama's texts. Only what the configuration says.
void apply_configuration(JsonTree& tokenizer, const FolderConfig& config);

}  // namespace edgeconv::text
