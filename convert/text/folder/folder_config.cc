// See folder_config.h.
#include "convert/text/folder/folder_config.h"

#include <map>
#include <set>

#include "convert/files/mapped_file.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::text {

namespace {

// In the order in which transformers adds them.
constexpr const char* kTokenKeys[] = {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

// As `AddedToken(**token)` of tokenizers reads an object.
JsonTree added_token(const JsonTree& token, const std::string& content, bool special) {
  const auto flag = [&](const char* key, bool otherwise) {
    return token.is_object() && token.contains(key) && token[key].is_boolean() ? token[key].get<bool>() : otherwise;
  };
  return {{"id", 0u},
          {"content", content},
          {"lstrip", flag("lstrip", false)},
          {"rstrip", flag("rstrip", false)},
          {"single_word", flag("single_word", false)},
          {"normalized", flag("normalized", !special)},
          {"special", special}};
}

bool is_special(const JsonTree& token) {
  return token.contains("special") && token["special"].is_boolean() && token["special"].get<bool>();
}

}  // namespace

std::optional<FolderConfig::File> FolderConfig::read(const std::filesystem::path& path) {
  // What stands there and is no file (a loop of links, a device) has no less to say than a file that cannot be read.
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return {};
  const auto mapped = MappedFile::open(path.string());
  File file{path.string(), parse_tree(std::string(reinterpret_cast<const char*>(mapped->data), mapped->bytes), path.string())};
  if (!file.tree.is_object()) malformed(file, "$", "is not an object");
  return file;
}

void FolderConfig::malformed(const File& file, const std::string& path, const std::string& why) {
  throw FatalError(ExitCode::kMalformed, "'" + file.name + "': " + printable(path) + " " + why);
}

FolderConfig::FolderConfig(const std::filesystem::path& folder)
    : config_(read(folder / "tokenizer_config.json")),
      special_map_(read(folder / "special_tokens_map.json")),
      added_tokens_(read(folder / "added_tokens.json")) {
  // Newer files have all in one: the older ones beside it count no more.
  if (find("added_tokens_decoder")) special_map_.reset(), added_tokens_.reset();
  class_name_ = text("tokenizer_class").value_or("");
  kind_ = tokenizer_class(class_name_);
  if (kind_ != TokenizerClass::kNotSaid) return;
  const std::optional<File> model = read(folder / "config.json");
  if (!model) return;
  const auto name = [&](const char* key) {
    const auto it = model->tree.find(key);
    return it != model->tree.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  class_name_ = name("tokenizer_class");
  kind_ = tokenizer_class(class_name_);
  if (kind_ != TokenizerClass::kNotSaid) return;
  class_name_ = name("model_type");
  kind_ = tokenizer_class_of_model(class_name_);
}

const JsonTree* FolderConfig::find(const char* key) const {
  if (!config_) return nullptr;
  const auto it = config_->tree.find(key);
  return it == config_->tree.end() || it->is_null() ? nullptr : &*it;
}

bool FolderConfig::says_null(const char* key) const {
  if (!config_) return false;
  const auto it = config_->tree.find(key);
  return it != config_->tree.end() && it->is_null();
}

std::optional<bool> FolderConfig::flag(const char* key) const {
  const JsonTree* j = find(key);
  if (!j) return {};
  if (!j->is_boolean()) malformed(*config_, std::string("$.") + key, "is neither true nor false");
  return j->get<bool>();
}

std::optional<std::string> FolderConfig::text(const char* key) const {
  const JsonTree* j = find(key);
  if (!j) return {};
  if (!j->is_string()) malformed(*config_, std::string("$.") + key, "is not a string");
  return j->get<std::string>();
}

std::optional<uint32_t> FolderConfig::number(const char* key) const {
  const JsonTree* j = find(key);
  if (!j) return {};
  if (!j->is_number_unsigned() || j->get<uint64_t>() > INT32_MAX)
    malformed(*config_, std::string("$.") + key, "is no number from 0 to 2147483647");
  return j->get<uint32_t>();
}

// special_tokens_map.json wins.
const JsonTree* FolderConfig::special(const char* key, const File** from) const {
  for (const std::optional<File>* file : {&special_map_, &config_}) {
    if (!*file) continue;
    const auto it = (*file)->tree.find(key);
    if (it == (*file)->tree.end() || it->is_null()) continue;
    *from = &**file;
    return &*it;
  }
  return nullptr;
}

std::string FolderConfig::content_of(const File& file, const std::string& path, const JsonTree& token) {
  if (token.is_string()) return token.get<std::string>();
  if (!token.is_object() || !token.contains("content") || !token["content"].is_string())
    malformed(file, path, "is neither a token nor an object with its content");
  return token["content"].get<std::string>();
}

std::string FolderConfig::token(const char* key) const {
  const File* from = nullptr;
  const JsonTree* token = special(key, &from);
  return token ? content_of(*from, std::string("$.") + key, *token) : default_token(kind_, key);
}

// Objects as they are; names as strings.
std::vector<JsonTree> FolderConfig::special_tokens(bool defaults) const {
  std::vector<JsonTree> out;
  const auto take = [&](const File& file, const std::string& path, const JsonTree& token) {
    const std::string content = content_of(file, path, token);
    out.push_back(token.is_object() ? added_token(token, content, true) : JsonTree(content));
  };
  for (const char* key : kTokenKeys) {
    const File* from = nullptr;
    if (const JsonTree* token = special(key, &from)) {
      take(*from, std::string("$.") + key, *token);
    } else if (const std::string name = defaults ? default_token(kind_, key) : ""; !name.empty()) {
      out.push_back(name);
    }
    // Their constructors make an object of the name: it takes the space before it.
    const bool lstrip = kind_ == TokenizerClass::kRoberta || kind_ == TokenizerClass::kMpnet ||
                        kind_ == TokenizerClass::kXlmRoberta || kind_ == TokenizerClass::kAlbert;
    if (defaults && lstrip && std::string(key) == "mask_token" && !out.empty() && out.back().is_string())
      out.back() = added_token({{"lstrip", true}, {"normalized", false}}, out.back().get<std::string>(), true);
  }
  for (const std::optional<File>* file : {&config_, &special_map_}) {
    if (!*file) continue;
    const auto it = (*file)->tree.find("additional_special_tokens");
    if (it == (*file)->tree.end() || it->is_null()) continue;
    if (!it->is_array()) malformed(**file, "$.additional_special_tokens", "is not an array");
    for (size_t i = 0; i < it->size(); ++i) take(**file, "$.additional_special_tokens[" + std::to_string(i) + "]", (*it)[i]);
  }
  return out;
}

void FolderConfig::add_tokens(JsonTree& tokenizer, bool defaults) const {
  if (!tokenizer.contains("added_tokens") || tokenizer["added_tokens"].is_null()) tokenizer["added_tokens"] = JsonTree::array();
  JsonTree& list = tokenizer["added_tokens"];
  if (!list.is_array()) return;  // its reader says so
  const std::vector<JsonTree> specials = special_tokens(defaults);
  const auto content_in = [](const JsonTree& s) { return s.is_string() ? s.get<std::string>() : s["content"].get<std::string>(); };
  std::set<std::string> special_names, there;
  for (const JsonTree& s : specials) special_names.insert(content_in(s));
  const auto named_special = [&](const std::string& content) { return special_names.count(content) != 0; };
  std::map<int64_t, JsonTree> by_id;
  if (const JsonTree* decoder = find("added_tokens_decoder")) {
    if (!decoder->is_object()) malformed(*config_, "$.added_tokens_decoder", "is not an object");
    for (const auto& [id, token] : decoder->items()) {
      const std::string path = "$.added_tokens_decoder." + id;
      const bool digits = !id.empty() && id.size() < 9 && id.find_first_not_of("0123456789") == std::string::npos;
      if (!digits) malformed(*config_, path, "is no id");
      if (!token.is_object()) malformed(*config_, path, "is not an object");
      const std::string content = content_of(*config_, path, token);
      by_id[std::stoll(id)] = added_token(token, content, is_special(token));
    }
  }
  if (added_tokens_)
    for (const auto& [content, id] : added_tokens_->tree.items()) {
      if (!id.is_number_unsigned()) malformed(*added_tokens_, "$." + content, "is no id");
      by_id[id.get<int64_t>()] = added_token({}, content, named_special(content));
    }
  for (auto& [id, token] : by_id) {
    if (named_special(token["content"].get<std::string>())) token["special"] = true;
    list.push_back(token);
  }
  for (const JsonTree& t : list)
    if (t.is_object() && t.contains("content") && t["content"].is_string()) there.insert(t["content"].get<std::string>());
  for (const JsonTree& s : specials) {
    const std::string content = content_in(s);
    // An object replaces what is there, but for what added_tokens_decoder says of it, which transformers takes instead.
    const bool replaces = s.is_object() && find("added_tokens_decoder") == nullptr;
    if (there.insert(content).second || replaces) list.push_back(s.is_object() ? s : added_token({}, content, true));
  }
}

}  // namespace edgeconv::text
