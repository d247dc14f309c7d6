// tokenizer.json as a whole, and its added tokens.
#include "convert/text/code_tables.h"
#include "convert/text/components.h"
#include "convert/text/read_tokenizer.h"

namespace edgeconv::text {

void read_added_tokens(const JsonPlace& list, Tokenizer& t, const Vocabulary& vocabulary) {
  // Ids as the reference gives them out: those of the model's pieces, then the next ones, whatever the file says.
  std::map<std::string, AddedToken> added;
  int32_t next = static_cast<int32_t>(t.kind == ERT_TEXT_UNIGRAM ? t.scores.size() : vocabulary.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPlace p = list.item(i);
    AddedToken a;
    a.content = p.at("content").string();
    a.special = p.boolean("special", false);
    a.lstrip = p.boolean("lstrip", false), a.rstrip = p.boolean("rstrip", false);
    a.single_word = p.boolean("single_word", false);
    a.normalized = p.boolean("normalized", !a.special);
    p.at("id").number();
    if (a.content.empty()) continue;
    if (a.content.size() > ert::text::kLongestPiece || a.content.find('\0') != std::string::npos)
      p.at("content").malformed("has a zero byte or more than " + std::to_string(ert::text::kLongestPiece) + " bytes");
    if (const auto known = added.find(a.content); known != added.end()) {
      a.id = known->second.id;
    } else if (const auto piece = vocabulary.find(a.content); piece != vocabulary.end()) {
      a.id = piece->second;
    } else {
      a.id = next++;
    }
    added[a.content] = a;
  }
  for (const auto& [content, a] : added) t.added.push_back(a);
  std::sort(t.added.begin(), t.added.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  for (size_t i = 1; i < t.added.size(); ++i)
    if (t.added[i].id == t.added[i - 1].id) list.malformed("gives the id " + std::to_string(t.added[i].id) + " to two tokens");
  for (const AddedToken& a : t.added) {
    std::string bytes = a.content;
    if ((t.flags & ert::text::kByteLevel) != 0) byte_level_bytes(a.content, &bytes);
    t.piece(a.id) = bytes;
  }
  if (t.kind == ERT_TEXT_UNIGRAM) t.scores.resize(t.pieces.size());
}

Tokenizer read_tokenizer_json(const std::string& contents, const std::string& name) { return read_tokenizer_tree(parse_tree(contents, name), name); }

Tokenizer read_tokenizer_tree(const JsonTree& tree, const std::string& name) {
  Unknowns unknowns;
  const JsonPlace whole(tree, name, "$", unknowns);
  if (!tree.is_object()) whole.malformed("is not an object");
  // As the reference: what it does not know it refuses, but for a file that says nothing.
  if (tree.contains("version") && tree["version"] != "1.0") whole.at("version").malformed("is not \"1.0\"");
  Tokenizer t;
  Vocabulary vocabulary;
  if (whole.has("normalizer")) read_normalizer(whole.at("normalizer"), t);
  if (whole.has("pre_tokenizer")) read_pretokenizer(whole.at("pre_tokenizer"), t);
  read_model(whole.at("model"), t, vocabulary);
  if (whole.has("post_processor")) read_postprocessor(whole.at("post_processor"), t);
  read_decoder(whole, t);
  if (whole.has("added_tokens")) read_added_tokens(whole.at("added_tokens"), t, vocabulary);
  read_limits(whole, t);
  if (t.kind == ERT_TEXT_NGRAM)
    for (const char* key : {"normalizer", "pre_tokenizer", "added_tokens"})
      if (whole.has(key) && !whole.at(key).value().empty()) whole.at(key).unsupported("of a HashedNgram tokenizer '" + std::string(key) + "'");
  for (const std::string& both : code_tables(t).conflicts) whole.unsupported(both);
  unknowns.check(name);
  if (t.endings.single.empty()) t.endings.single = {{1, 0, 0}};
  if (t.endings.pair.empty()) t.endings.pair = {{1, 0, 0}, {2, 0, 1}};
  return t;
}

}  // namespace edgeconv::text
