#include "convert/text/read_tokenizer.h"

#include <algorithm>
#include <filesystem>

#include "convert/files/mapped_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/text/folder/vocabulary_trees.h"
#include "convert/text/files/json_place.h"

namespace edgeconv::text {

namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  const auto file = MappedFile::open(path.string());
  return std::string(reinterpret_cast<const char*>(file->data), file->bytes);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether the pieces of a vocab.txt look like those of a model that wants small letters.
bool looks_lowercase(const std::string& contents) {
  bool at_begin = true, bracket = false;
  for (const char c : contents) {
    if (at_begin) bracket = c == '[';
    at_begin = c == '\n';
    if (!bracket && c >= 'A' && c <= 'Z') return false;
  }
  return true;
}

// Its class says how a vocabulary is used; where nobody here knows the class, any guess would give wrong ids.
void require_class(const FolderConfig& config, const std::string& name, std::initializer_list<TokenizerClass> known) {
  const TokenizerClass kind = config.kind();
  if (kind == TokenizerClass::kNotSaid || std::find(known.begin(), known.end(), kind) != known.end()) return;
  throw UnsupportedTokenizer(
      name, {"the tokenizer class '" + config.class_name() +
             "' of the files beside it, without a tokenizer.json; save one with save_pretrained of its fast class"});
}

Tokenizer read_tree(JsonTree tree, const std::string& name, const FolderConfig& config, bool defaults) {
  if (!tree.is_object()) throw FatalError(ExitCode::kMalformed, "'" + name + "': $ is not an object");
  config.add_tokens(tree, defaults);
  apply_configuration(tree, config);
  Tokenizer t = read_tokenizer_tree(tree, name);
  // What tokenizer.json leaves open, the configuration says.
  if (const auto side = config.text("truncation_side")) t.endings.cut_left = *side == "left";
  if (const auto side = config.text("padding_side")) t.endings.pad_left = *side == "left";
  if (const std::string pad = config.token("pad_token"); !pad.empty() && !tree.contains("padding"))
    for (const AddedToken& a : t.added)
      if (a.content == pad) t.endings.pad_id = a.id;
  return t;
}

Tokenizer read_vocab_txt(const fs::path& path, const std::string& contents) {
  const FolderConfig config(path.parent_path());
  require_class(config, path.string(), {TokenizerClass::kBert, TokenizerClass::kMpnet});
  const bool lowercase = config.says_anything() || looks_lowercase(contents);
  return read_tree(vocab_txt_tree(contents, path.string(), config, lowercase), path.string(), config, true);
}

Tokenizer read_vocab_json(const fs::path& path) {
  const FolderConfig config(path.parent_path());
  require_class(config, path.string(), {TokenizerClass::kGpt2, TokenizerClass::kRoberta, TokenizerClass::kClip});
  JsonTree tree = vocab_and_merges_tree(contents_of(path), contents_of(path.parent_path() / "merges.txt"), path.string(), config);
  return read_tree(std::move(tree), path.string(), config, true);
}

Tokenizer read_folder(const fs::path& folder) {
  if (const fs::path json = folder / "tokenizer.json"; is_file(json))
    return read_tree(parse_tree(contents_of(json), json.string()), json.string(), FolderConfig(folder), false);
  for (const char* name : {"tokenizer.model", "sentencepiece.bpe.model", "spiece.model", "spm.model", "sentencepiece.model"})
    if (const fs::path model = folder / name; is_file(model)) {
      const FolderConfig config(folder);
      require_class(config, model.string(),
                    {TokenizerClass::kXlmRoberta, TokenizerClass::kT5, TokenizerClass::kAlbert, TokenizerClass::kLlama});
      if (config.kind() == TokenizerClass::kNotSaid) return read_sentencepiece(contents_of(model), model.string());
      return read_tree(sentencepiece_tree(contents_of(model), model.string(), config), model.string(), config, true);
    }
  if (const fs::path vocab = folder / "vocab.json"; is_file(vocab) && is_file(folder / "merges.txt"))
    return read_vocab_json(vocab);
  if (const fs::path vocab = folder / "vocab.txt"; is_file(vocab)) return read_vocab_txt(vocab, contents_of(vocab));
  throw FatalError(ExitCode::kIo,
                   "'" + folder.string() +
                       "' has no tokenizer: none of tokenizer.json, tokenizer.model, sentencepiece.bpe.model, spiece.model, "
                       "spm.model, sentencepiece.model, vocab.json with merges.txt, vocab.txt");
}

}  // namespace

Tokenizer read_tokenizer(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return read_folder(path);
  const std::string contents = contents_of(path);
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".json" && fs::path(path).filename() == "vocab.json") return read_vocab_json(path);
  if (extension == ".json") return read_tokenizer_json(contents, path);
  if (extension == ".txt") return read_vocab_txt(path, contents);
  if (extension == ".model") return read_sentencepiece(contents, path);
  // By what it begins with: JSON, or the first piece of a SentencePiece model.
  const size_t first = contents.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && contents[first] == '{') return read_tokenizer_json(contents, path);
  if (!contents.empty() && contents[0] == '\n') return read_sentencepiece(contents, path);
  throw FatalError(ExitCode::kMalformed,
                   "'" + path + "' is no tokenizer: neither a tokenizer.json nor a SentencePiece .model nor a vocab.txt");
}

}  // namespace edgeconv::text
