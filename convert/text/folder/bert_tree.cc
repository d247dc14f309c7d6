// vocab.txt as BertConverter and MPNetConverter of transformers read it.
#include <sstream>

#include "convert/ir/diagnostics.h"
#include "convert/text/folder/vocabulary_trees.h"
#include "rt/text/format.h"

namespace edgeconv::text {

namespace {

JsonTree part(const char* kind, const std::string& id, uint32_t type_id) {
  JsonTree out;
  out[kind] = {{"id", id}, {"type_id", type_id}};
  return out;
}

}  // namespace

JsonTree vocab_txt_tree(const std::string& contents, const std::string& name, const FolderConfig& config, bool lowercase) {
  JsonTree vocab = JsonTree::object();
  std::istringstream lines(contents);
  std::string line;
  for (uint32_t id = 0; std::getline(lines, line); ++id) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > ert::text::kLongestPiece)
      throw FatalError(ExitCode::kMalformed, "'" + name + "': line " + std::to_string(id + 1) + " is longer than any piece");
    if (!line.empty()) vocab[line] = id;
  }
  const bool mpnet = config.kind() == TokenizerClass::kMpnet;
  const auto token = [&](const char* key, const char* bert) {
    const std::string said = config.token(key);
    const std::string content = said.empty() ? bert : said;
    if (!vocab.contains(content))
      throw FatalError(ExitCode::kMalformed, "'" + name + "' has no " + printable(content) + ", the " + key +
                                                 ": it is no vocabulary of " + (mpnet ? "MPNet" : "BERT"));
    return content;
  };
  const std::string unknown = token("unk_token", "[UNK]"), cls = token("cls_token", "[CLS]"), sep = token("sep_token", "[SEP]");
  JsonTree pair = {part("SpecialToken", cls, 0), part("Sequence", "A", 0), part("SpecialToken", sep, 0)};
  const JsonTree single = pair;
  if (mpnet) pair.push_back(part("SpecialToken", sep, 0));
  pair.push_back(part("Sequence", "B", 1)), pair.push_back(part("SpecialToken", sep, 1));
  JsonTree specials;
  for (const std::string& s : {cls, sep})
    specials[s] = {{"id", s}, {"ids", JsonTree::array({vocab[s]})}, {"tokens", JsonTree::array({s})}};
  JsonTree tree;
  const bool lower = config.flag("do_lower_case").value_or(lowercase);
  tree["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", config.flag("tokenize_chinese_chars").value_or(true)},
                        {"strip_accents", config.flag("strip_accents").value_or(lower)},
                        {"lowercase", lower}};
  tree["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  tree["model"] = {{"type", "WordPiece"},
                   {"unk_token", unknown},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 100u},
                   {"vocab", vocab}};
  tree["post_processor"] = {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", specials}};
  tree["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  return tree;
}

}  // namespace edgeconv::text
