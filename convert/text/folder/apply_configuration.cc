// What classes of transformers change of a tokenizer.json by tokenizer_config.json.
#include "convert/text/folder/vocabulary_trees.h"

namespace edgeconv::text {

namespace {

// The member `key` of tokenizer's component, if it is an object of this type.
JsonTree* component(JsonTree& tokenizer, const char* key, const char* type) {
  const auto it = tokenizer.find(key);
  if (it == tokenizer.end() || !it->is_object() || it->value("type", JsonTree()) != type) return nullptr;
  return &*it;
}

// BertTokenizerFast and its kin.
void change_bert_normalizer(JsonTree& tokenizer, const FolderConfig& config) {
  JsonTree* normalizer = component(tokenizer, "normalizer", "BertNormalizer");
  if (!normalizer) return;
  if (const auto lower = config.flag("do_lower_case")) (*normalizer)["lowercase"] = *lower;
  if (const auto strip = config.flag("strip_accents")) (*normalizer)["strip_accents"] = *strip;
  if (const auto chinese = config.flag("tokenize_chinese_chars")) (*normalizer)["handle_chinese_chars"] = *chinese;
}

// LlamaTokenizerFast.update_post_processor.
void change_llama_ends(JsonTree& tokenizer, const FolderConfig& config) {
  const std::optional<bool> bos = config.flag("add_bos_token"), eos = config.flag("add_eos_token");
  if (!bos && !eos) return;
  JsonTree ids = JsonTree::object();
  const auto add = [&](JsonTree& parts, const char* key, uint32_t type_id) {
    const std::string token = config.token(key);
    JsonTree id;
    if (tokenizer.contains("added_tokens") && tokenizer["added_tokens"].is_array())
      for (const JsonTree& t : tokenizer["added_tokens"])
        if (t.is_object() && t.value("content", JsonTree()) == token && t.contains("id")) id = t["id"];
    // By steps: a pointer into an array throws, and no reader has looked at the model yet.
    if (const auto model = tokenizer.find("model"); model != tokenizer.end() && model->is_object())
      if (const auto vocab = model->find("vocab"); vocab != model->end() && vocab->is_object() && vocab->contains(token)) id = (*vocab)[token];
    ids[token] = {{"id", token}, {"ids", JsonTree::array({id})}, {"tokens", JsonTree::array({token})}};
    JsonTree part;
    part["SpecialToken"] = {{"id", token}, {"type_id", type_id}};
    parts.push_back(part);
  };
  JsonTree single = JsonTree::array(), pair = JsonTree::array();
  for (const auto& [text, type_id] : {std::pair("A", 0u), std::pair("B", 1u)}) {
    JsonTree parts = JsonTree::array();
    if (bos.value_or(true)) add(parts, "bos_token", type_id);
    JsonTree middle;
    middle["Sequence"] = {{"id", text}, {"type_id", type_id}};
    parts.push_back(middle);
    if (eos.value_or(false)) add(parts, "eos_token", type_id);
    if (type_id == 0) single = parts;
    pair.insert(pair.end(), parts.begin(), parts.end());
  }
  tokenizer["post_processor"] = {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", ids}};
}

}  // namespace

void apply_configuration(JsonTree& tokenizer, const FolderConfig& config) {
  const TokenizerClass kind = config.kind();
  if (kind == TokenizerClass::kBert || kind == TokenizerClass::kMpnet) change_bert_normalizer(tokenizer, config);
  if (kind == TokenizerClass::kLlama) change_llama_ends(tokenizer, config);
  if (const auto space = config.flag("add_prefix_space")) {
    if (JsonTree* p = component(tokenizer, "pre_tokenizer", "ByteLevel")) (*p)["add_prefix_space"] = *space;
    if (JsonTree* p = component(tokenizer, "post_processor", "RobertaProcessing"); p && kind == TokenizerClass::kRoberta)
      (*p)["add_prefix_space"] = *space;
  }
  if (const auto trim = config.flag("trim_offsets"); trim && kind == TokenizerClass::kRoberta)
    if (JsonTree* p = component(tokenizer, "post_processor", "RobertaProcessing")) (*p)["trim_offsets"] = *trim;
}

}  // namespace edgeconv::text
