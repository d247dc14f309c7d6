// What the files beside a vocabulary say of its tokenizer: tokenizer_config.json, special_tokens_map.json, added_tokens.json, config.json. Read as
// PreTrainedTokenizerBase._from_pretrained of transformers 4.57 does it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "convert/text/folder/tokenizer_class.h"
#include "convert/text/files/json_place.h"

namespace edgeconv::text {

class FolderConfig {
 public:
  // Throws FatalError(kMalformed) with the file and the path inside it.
  explicit FolderConfig(const std::filesystem::path& folder);

  TokenizerClass kind() const { return kind_; }
  const std::string& class_name() const { return class_name_; }  // as the folder has it, for messages
  bool says_anything() const { return config_.has_value(); }     // there is a tokenizer_config.json

  std::optional<bool> flag(const char* key) const;  // of tokenizer_config.json; absent and null are nothing
  bool says_null(const char* key) const;  // where null is not the same as nothing
  std::optional<std::string> text(const char* key) const;
  std::optional<uint32_t> number(const char* key) const;

  // The token for a key ("cls_token"): what the files name, else the class's own, else "".
  std::string token(const char* key) const;

  // Puts all tokens that the files add into "added_tokens" of a tokenizer.json. `defaults`: the class's own special tokens too.
  void add_tokens(JsonTree& tokenizer, bool defaults) const;

 private:
  struct File {
    std::string name;
    JsonTree tree;
  };
  static std::optional<File> read(const std::filesystem::path& path);
  const JsonTree* find(const char* key) const;
  const JsonTree* special(const char* key, const File** from) const;
  [[noreturn]] static void malformed(const File& file, const std::string& path, const std::string& why);
  static std::string content_of(const File& file, const std::string& path, const JsonTree& token);
  std::vector<JsonTree> special_tokens(bool defaults) const;

  std::optional<File> config_, special_map_, added_tokens_;
  TokenizerClass kind_ = TokenizerClass::kNotSaid;
  std::string class_name_;
};

}  // namespace edgeconv::text
