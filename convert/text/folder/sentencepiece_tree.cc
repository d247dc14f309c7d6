// A SentencePiece .model as XLMRobertaConverter, T5Converter, AlbertConverter and LlamaConverter of transformers read it.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "convert/ir/diagnostics.h"
#include "convert/text/files/base64.h"
#include "convert/text/folder/vocabulary_trees.h"
#include "convert/text/files/sentencepiece.pb.h"

namespace edgeconv::text {

namespace {

enum PieceType { kControl = 3, kUserDefined = 4 };
constexpr int kUnigramModel = 1, kBpeModel = 2;

// T5's marks of gaps, behind the pieces of its file.
constexpr uint32_t kExtraIds = 100, kMostExtraIds = 10000;
uint32_t extra_ids(const FolderConfig& config) {
  const uint32_t n = config.number("extra_ids").value_or(kExtraIds);
  if (n > kMostExtraIds)
    throw FatalError(ExitCode::kLimit, "$.extra_ids of tokenizer_config.json is " + std::to_string(n) + ", at most " + std::to_string(kMostExtraIds) + " are read");
  return n;
}
std::string extra_id(uint32_t i) { return "<extra_id_" + std::to_string(i) + ">"; }

JsonTree piece(const std::string& text, double score) { return JsonTree::array({text, score}); }

// ALBERT puts numbers that end with a comma last.
bool is_number_with_comma(const std::string& p) {
  return p.size() > 1 && p.back() == ',' && p[p.size() - 2] >= '0' && p[p.size() - 2] <= '9';
}

JsonTree unigram_pieces(const spm::ModelProto& m, const FolderConfig& config) {
  JsonTree out = JsonTree::array();
  if (config.kind() == TokenizerClass::kXlmRoberta) {
    for (const char* first : {"<s>", "<pad>", "</s>", "<unk>"}) out.push_back(piece(first, 0));
    for (int i = 3; i < m.pieces_size(); ++i) out.push_back(piece(m.pieces(i).piece(), static_cast<double>(m.pieces(i).score())));
    out.push_back(piece("<mask>", 0));
    return out;
  }
  const bool albert = config.kind() == TokenizerClass::kAlbert;
  for (const auto& p : m.pieces())
    out.push_back(piece(p.piece(), static_cast<double>(p.score()) - (albert && is_number_with_comma(p.piece()) ? 100 : 0)));
  if (config.kind() == TokenizerClass::kT5)
    for (uint32_t i = extra_ids(config); i-- > 0;) out.push_back(piece(extra_id(i), 0));
  return out;
}

// Merges are not in the file: every way to cut a piece in two pieces is one, those of pieces with better scores first.
JsonTree merges_of(const spm::ModelProto& m, const std::vector<std::string>& pieces) {
  std::map<std::string_view, uint32_t> ids;
  for (size_t i = 0; i < pieces.size(); ++i) ids[pieces[i]] = static_cast<uint32_t>(i);
  struct Merge {
    std::string_view left, right;
    double score;
    size_t left_characters, right_characters;
  };
  const auto characters = [](std::string_view s) {
    return static_cast<size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
  };
  std::vector<Merge> merges;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view whole = pieces[i];
    const double score = i < 3 ? 0.0 : static_cast<double>(m.pieces(static_cast<int>(i)).score());
    std::vector<std::tuple<uint32_t, uint32_t, Merge>> cuts;
    for (size_t cut = 1; cut < whole.size(); ++cut) {
      if ((static_cast<uint8_t>(whole[cut]) & 0xc0) == 0x80) continue;
      const auto left = ids.find(whole.substr(0, cut)), right = ids.find(whole.substr(cut));
      if (left == ids.end() || right == ids.end()) continue;
      cuts.emplace_back(left->second, right->second,
                        Merge{left->first, right->first, score, characters(left->first), characters(right->first)});
    }
    std::sort(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (auto& cut : cuts) merges.push_back(std::move(std::get<2>(cut)));
  }
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) {
    return std::tie(a.score, a.left_characters, a.right_characters) > std::tie(b.score, b.left_characters, b.right_characters);
  });
  JsonTree out = JsonTree::array();
  for (const Merge& merge : merges) out.push_back({std::string(merge.left), std::string(merge.right)});
  return out;
}

// What _get_prepend_scheme of transformers and its converters ask of the slow class: only T5's and Llama's have both keys.
struct SpaceBefore {
  explicit SpaceBefore(const FolderConfig& config) {
    if (config.kind() != TokenizerClass::kT5 && config.kind() != TokenizerClass::kLlama) return;
    legacy = config.flag("legacy").value_or(true);
    // The constructors' default is true; null is Python's None, which is false.
    added = config.flag("add_prefix_space").value_or(!config.says_null("add_prefix_space"));
  }
  const char* scheme() const { return !added ? "never" : legacy ? "always" : "first"; }
  JsonTree metaspace(bool split) const {
    return {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", scheme()}, {"split", split}};
  }
  bool legacy = true, added = true;
};

JsonTree replace(const char* kind, const std::string& from, const std::string& to) {
  return {{"type", "Replace"}, {"pattern", {{kind, from}}}, {"content", to}};
}

JsonTree normalizer_of(const spm::ModelProto& m, const FolderConfig& config) {
  JsonTree list = JsonTree::array();
  const std::string& charsmap = m.normalizer_spec().precompiled_charsmap();
  const JsonTree precompiled = {{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(charsmap)}};
  if (config.kind() == TokenizerClass::kLlama) {
    const SpaceBefore space(config);
    if (!space.legacy) return nullptr;  // its pre-tokenizer does it
    if (space.added) list.push_back({{"type", "Prepend"}, {"prepend", "\u2581"}});
    list.push_back(replace("String", " ", "\u2581"));
  } else if (config.kind() == TokenizerClass::kAlbert) {
    list = {replace("String", "``", "\""), replace("String", "''", "\"")};
    if (!config.flag("keep_accents").value_or(false))
      list.push_back({{"type", "NFKD"}}), list.push_back({{"type", "StripAccents"}});
    if (config.flag("do_lower_case").value_or(true)) list.push_back({{"type", "Lowercase"}});
    if (!charsmap.empty()) list.push_back(precompiled);
    list.push_back(replace("Regex", " {2,}", " "));
  } else {
    if (!charsmap.empty()) list.push_back(precompiled);
    list.push_back({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}});
    list.push_back(replace("Regex", " {2,}", "\u2581"));
  }
  return {{"type", "Sequence"}, {"normalizers", list}};
}

// "<s> A </s> B": tokens of the vocabulary, and A and B for the texts.
class Template {
 public:
  // `file`: its name, for messages.
  Template(const std::map<std::string, uint32_t>& ids, const std::string& file) : ids_(ids), file_(file) {}
  JsonTree parts(const std::vector<std::pair<std::string, uint32_t>>& names) {
    JsonTree out = JsonTree::array();
    for (const auto& [name, type_id] : names) {
      const bool text = name == "A" || name == "B";
      JsonTree part;
      part[text ? "Sequence" : "SpecialToken"] = {{"id", name}, {"type_id", type_id}};
      out.push_back(part);
      if (!text && ids_.count(name) == 0)
        throw FatalError(ExitCode::kMalformed, "'" + file_ + "' has no " + printable(name) + ", which its class puts around texts");
      if (!text)
        specials_[name] = {{"id", name}, {"ids", JsonTree::array({ids_.at(name)})}, {"tokens", JsonTree::array({name})}};
    }
    return out;
  }
  JsonTree processor(const JsonTree& single, const JsonTree& pair) const {
    return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", specials_}};
  }

 private:
  const std::map<std::string, uint32_t>& ids_;
  const std::string& file_;
  JsonTree specials_ = JsonTree::object();
};

// Adds the ids of tokens that the model has not, as adding them one after another gives them.
void number_added_tokens(JsonTree tree, size_t vocabulary, const FolderConfig& config, std::map<std::string, uint32_t>* ids) {
  config.add_tokens(tree, true);
  size_t next = vocabulary;
  for (const JsonTree& token : tree["added_tokens"])
    if (ids->emplace(token["content"].get<std::string>(), static_cast<uint32_t>(next)).second) ++next;
}

JsonTree processor_of(const std::map<std::string, uint32_t>& ids, const std::string& file, const FolderConfig& config) {
  Template t(ids, file);
  if (config.kind() == TokenizerClass::kXlmRoberta)
    return t.processor(t.parts({{"<s>", 0}, {"A", 0}, {"</s>", 0}}),
                       t.parts({{"<s>", 0}, {"A", 0}, {"</s>", 0}, {"</s>", 0}, {"B", 0}, {"</s>", 0}}));
  if (config.kind() == TokenizerClass::kAlbert)
    return t.processor(t.parts({{"[CLS]", 0}, {"A", 0}, {"[SEP]", 0}}),
                       t.parts({{"[CLS]", 0}, {"A", 0}, {"[SEP]", 0}, {"B", 1}, {"[SEP]", 1}}));
  if (config.kind() == TokenizerClass::kT5)
    return t.processor(t.parts({{"A", 0}, {"</s>", 0}}), t.parts({{"A", 0}, {"</s>", 0}, {"B", 0}, {"</s>", 0}}));
  const std::string bos = config.token("bos_token"), eos = config.token("eos_token");
  std::vector<std::pair<std::string, uint32_t>> single, pair;
  if (config.flag("add_bos_token").value_or(true)) single.emplace_back(bos, 0);
  single.emplace_back("A", 0);
  if (config.flag("add_eos_token").value_or(false)) single.emplace_back(eos, 0);
  pair = single;
  for (const auto& [name, type_id] : single) pair.emplace_back(name == "A" ? "B" : name, 1u);
  return t.processor(t.parts(single), t.parts(pair));
}

}  // namespace

JsonTree sentencepiece_tree(const std::string& contents, const std::string& name, const FolderConfig& config) {
  spm::ModelProto m;
  if (!m.ParseFromString(contents)) throw FatalError(ExitCode::kMalformed, "'" + name + "' is no SentencePiece model");
  const bool llama = config.kind() == TokenizerClass::kLlama;
  const int type = m.trainer_spec().model_type(), wanted = llama ? kBpeModel : kUnigramModel;
  if (type != wanted || m.pieces_size() < 4)
    throw FatalError(ExitCode::kMalformed, "'" + name + "' is no model of " + printable(config.class_name()) + ": its type is " +
                                               std::to_string(type) + ", not " + std::to_string(wanted));
  // Every way to cut a piece is looked at: in work that grows with the square of its length.
  constexpr size_t kLongestCut = 1024;
  for (int i = 0; i < m.pieces_size(); ++i) {
    const auto& p = m.pieces(i);
    if (!std::isfinite(p.score())) throw FatalError(ExitCode::kMalformed, "'" + name + "': the score of piece " + std::to_string(i) + " is no number");
    if (llama && p.piece().size() > kLongestCut)
      throw FatalError(ExitCode::kLimit, "'" + name + "': piece " + std::to_string(i) + " has more than " + std::to_string(kLongestCut) + " bytes");
  }
  JsonTree tree;
  std::map<std::string, uint32_t> ids;
  const SpaceBefore space(config);
  if (llama) {
    std::vector<std::string> pieces;
    JsonTree vocab = JsonTree::object();
    for (const auto& p : m.pieces()) pieces.push_back(p.piece());
    for (size_t i = 0; i < pieces.size(); ++i)
      vocab[pieces[i]] = static_cast<uint32_t>(i), ids[pieces[i]] = static_cast<uint32_t>(i);
    tree["model"] = {
        {"type", "BPE"},    {"vocab", vocab},       {"merges", merges_of(m, pieces)}, {"unk_token", m.pieces(0).piece()},
        {"fuse_unk", true}, {"byte_fallback", true}};
    if (!space.legacy) tree["pre_tokenizer"] = space.metaspace(false);
    JsonTree decoders = {{{"type", "Replace"}, {"pattern", {{"String", "\u2581"}}}, {"content", " "}},
                         {{"type", "ByteFallback"}},
                         {{"type", "Fuse"}}};
    if (space.added) decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
    tree["decoder"] = {{"type", "Sequence"}, {"decoders", decoders}};
  } else {
    const JsonTree pieces = unigram_pieces(m, config);
    for (size_t i = 0; i < pieces.size(); ++i) ids[pieces[i][0].get<std::string>()] = static_cast<uint32_t>(i);
    const uint32_t unknown = config.kind() == TokenizerClass::kXlmRoberta ? 3 : static_cast<uint32_t>(m.trainer_spec().unk_id());
    tree["model"] = {{"type", "Unigram"}, {"vocab", pieces}, {"unk_id", unknown}, {"byte_fallback", false}};
    tree["pre_tokenizer"] = space.metaspace(true);
    tree["decoder"] = tree["pre_tokenizer"];
  }
  tree["added_tokens"] = JsonTree::array();
  for (const auto& p : m.pieces())
    if (p.type() == kControl || p.type() == kUserDefined)
      tree["added_tokens"].push_back(
          {{"id", 0u}, {"content", p.piece()}, {"normalized", false}, {"special", p.type() == kControl}});
  if (config.kind() == TokenizerClass::kT5)
    for (uint32_t i = 0; i < extra_ids(config); ++i)
      tree["added_tokens"].push_back({{"id", 0u}, {"content", extra_id(i)}, {"normalized", false}, {"special", true}});
  tree["normalizer"] = normalizer_of(m, config);
  number_added_tokens({{"added_tokens", tree["added_tokens"]}}, static_cast<size_t>(tree["model"]["vocab"].size()), config, &ids);
  tree["post_processor"] = processor_of(ids, name, config);
  return tree;
}

}  // namespace edgeconv::text
