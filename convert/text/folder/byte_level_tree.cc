// vocab.json with merges.txt as GPT2Converter, RobertaConverter and CLIPConverter of transformers read them.
#include <sstream>

#include "convert/ir/diagnostics.h"
#include "convert/text/folder/vocabulary_trees.h"

namespace edgeconv::text {

namespace {

JsonTree merges_of(const std::string& merges, const std::string& name) {
  JsonTree out = JsonTree::array();
  std::istringstream lines(merges);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || (number == 1 && line.rfind("#version", 0) == 0)) continue;
    const size_t space = line.find(' ');
    if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
      throw FatalError(ExitCode::kMalformed, "merges.txt beside '" + name + "': line " + std::to_string(number) +
                                                 " is not two pieces with a space between them");
    out.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return out;
}

// Without a class in the folder the vocabulary tells: CLIP's words end with </w>, RoBERTa's has <s> and </s>.
TokenizerClass class_of_pieces(const JsonTree& vocab) {
  if (vocab.contains("<|startoftext|>") && vocab.contains("a</w>")) return TokenizerClass::kClip;
  return vocab.contains("<s>") && vocab.contains("</s>") ? TokenizerClass::kRoberta : TokenizerClass::kGpt2;
}

}  // namespace

JsonTree vocab_and_merges_tree(const std::string& vocab_text, const std::string& merges, const std::string& name,
                               const FolderConfig& config) {
  const JsonTree vocab = parse_tree(vocab_text, name);
  Unknowns unknowns;
  if (!vocab.is_object()) JsonPlace(vocab, name, "$", unknowns).malformed("is not an object");
  const TokenizerClass kind = config.kind() == TokenizerClass::kNotSaid ? class_of_pieces(vocab) : config.kind();
  const auto token = [&](const char* key) {
    const std::string said = config.token(key);
    return said.empty() ? default_token(kind, key) : said;
  };
  const auto id_of = [&](const std::string& content, const char* key) {
    if (!vocab.contains(content))
      throw FatalError(ExitCode::kMalformed, "'" + name + "' has no " + printable(content) + ", the " + key);
    return vocab[content];
  };
  JsonTree tree;
  const bool prefix_space = config.flag("add_prefix_space").value_or(false);
  const bool clip = kind == TokenizerClass::kClip;
  tree["model"] = {
      {"type", "BPE"}, {"vocab", vocab}, {"merges", merges_of(merges, name)}, {"end_of_word_suffix", clip ? "</w>" : ""}};
  tree["pre_tokenizer"] = {
      {"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"trim_offsets", true}, {"use_regex", true}};
  tree["decoder"] = {{"type", "ByteLevel"}};
  if (clip) {
    tree["model"]["unk_token"] = token("unk_token");
    tree["normalizer"] = {{"type", "Sequence"},
                          {"normalizers",
                           {{{"type", "NFC"}},
                            {{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}},
                            {{"type", "Lowercase"}}}}};
    const JsonTree split = {{"type", "Split"},
                            {"pattern", {{"Regex", R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"}}},
                            {"behavior", "Removed"},
                            {"invert", true}};
    tree["pre_tokenizer"] = {{"type", "Sequence"},
                             {"pretokenizers", JsonTree::array({split, {{"type", "ByteLevel"}, {"add_prefix_space", false}}})}};
  }
  if (clip || kind == TokenizerClass::kRoberta) {
    const char *first = clip ? "bos_token" : "cls_token", *last = clip ? "eos_token" : "sep_token";
    const std::string cls = token(first), sep = token(last);
    tree["post_processor"] = {{"type", "RobertaProcessing"},
                              {"sep", JsonTree::array({sep, id_of(sep, last)})},
                              {"cls", JsonTree::array({cls, id_of(cls, first)})},
                              {"add_prefix_space", clip ? false : prefix_space},
                              {"trim_offsets", clip ? false : config.flag("trim_offsets").value_or(true)}};
  } else if (config.flag("add_bos_token").value_or(false)) {
    const std::string bos = token("bos_token");
    JsonTree first, text, second, specials;
    first["SpecialToken"] = {{"id", bos}, {"type_id", 0u}};
    text["Sequence"] = {{"id", "A"}, {"type_id", 0u}};
    second["Sequence"] = {{"id", "B"}, {"type_id", 1u}};
    specials[bos] = {{"id", bos}, {"ids", JsonTree::array({id_of(bos, "bos_token")})}, {"tokens", JsonTree::array({bos})}};
    tree["post_processor"] = {{"type", "TemplateProcessing"},
                              {"single", JsonTree::array({first, text})},
                              {"pair", JsonTree::array({first, text, second})},
                              {"special_tokens", specials}};
  }
  return tree;
}

}  // namespace edgeconv::text
