// Classes of tokenizers of transformers 4, which a folder names: they say what vocabularies without a tokenizer.json are tokenized by, and which keys of
// tokenizer_config.json have a meaning.
#pragma once

#include <string>

namespace edgeconv::text {

enum class TokenizerClass {
  kNotSaid,
  kOther,  // no code here knows it
  kBert,   // and the classes that only bear another name
  kMpnet,
  kGpt2,
  kRoberta,
  kClip,
  kLlama,
  kXlmRoberta,
  kT5,
  kAlbert,
};

// "BertTokenizerFast" -> kBert; "" -> kNotSaid.
TokenizerClass tokenizer_class(const std::string& name);

// Of config.json's model_type where no class is named: "bert" -> kBert.
TokenizerClass tokenizer_class_of_model(const std::string& model_type);

// The token that the class has by default for a key of tokenizer_config.json ("cls_token"); "" where it has none.
std::string default_token(TokenizerClass c, const std::string& key);

}  // namespace edgeconv::text
