#include "convert/text/read_tokenizer.h"

#include <filesystem>

#include "convert/files/mapped_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/text/json_place.h"

namespace edgeconv::text {

namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  const auto file = MappedFile::open(path.string());
  return std::string(reinterpret_cast<const char*>(file->data), file->bytes);
}

// Whether a vocab.txt wants small letters: what the configuration beside it says, or what its pieces look like.
bool wants_lowercase(const fs::path& vocab, const std::string& contents) {
  const fs::path config = vocab.parent_path() / "tokenizer_config.json";
  if (fs::is_regular_file(config)) {
    Unknowns unknowns;
    const std::string name = config.string();
    const JsonTree tree = parse_tree(contents_of(config), name);
    const JsonPlace p(tree, name, "$", unknowns);
    if (p.has("do_lower_case")) return p.at("do_lower_case").boolean();
  }
  bool at_begin = true, bracket = false;
  for (const char c : contents) {
    if (at_begin) bracket = c == '[';
    at_begin = c == '\n';
    if (!bracket && c >= 'A' && c <= 'Z') return false;
  }
  return true;
}

Tokenizer read_folder(const fs::path& folder) {
  if (const fs::path json = folder / "tokenizer.json"; fs::is_regular_file(json)) return read_tokenizer_json(contents_of(json), json.string());
  for (const char* name : {"tokenizer.model", "sentencepiece.bpe.model", "spiece.model", "spm.model"})
    if (const fs::path model = folder / name; fs::is_regular_file(model)) return read_sentencepiece(contents_of(model), model.string());
  if (const fs::path vocab = folder / "vocab.json", merges = folder / "merges.txt"; fs::is_regular_file(vocab) && fs::is_regular_file(merges))
    return read_vocab_and_merges(contents_of(vocab), contents_of(merges), vocab.string());
  if (const fs::path vocab = folder / "vocab.txt"; fs::is_regular_file(vocab)) return read_tokenizer(vocab.string());
  throw FatalError(ExitCode::kIo, "'" + folder.string() + "' has no tokenizer: none of tokenizer.json, tokenizer.model, sentencepiece.bpe.model, spiece.model, "
                                  "spm.model, vocab.json with merges.txt, vocab.txt");
}

}  // namespace

Tokenizer read_tokenizer(const std::string& path) {
  if (fs::is_directory(path)) return read_folder(path);
  const std::string contents = contents_of(path);
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".json" && fs::path(path).filename() == "vocab.json")
    return read_vocab_and_merges(contents, contents_of(fs::path(path).parent_path() / "merges.txt"), path);
  if (extension == ".json") return read_tokenizer_json(contents, path);
  if (extension == ".txt") return read_vocab_txt(contents, path, wants_lowercase(path, contents));
  if (extension == ".model") return read_sentencepiece(contents, path);
  // By what it begins with: JSON, or the first piece of a SentencePiece model.
  const size_t first = contents.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && contents[first] == '{') return read_tokenizer_json(contents, path);
  if (!contents.empty() && contents[0] == '\n') return read_sentencepiece(contents, path);
  throw FatalError(ExitCode::kMalformed, "'" + path + "' is no tokenizer: neither a tokenizer.json nor a SentencePiece .model nor a vocab.txt");
}

}  // namespace edgeconv::text
