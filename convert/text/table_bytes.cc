// More than 300 lines, because it writes every section of one format.
#include "convert/text/table_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "convert/ir/diagnostics.h"
#include "convert/text/code_tables.h"
#include "convert/text/components.h"
#include "convert/text/double_array.h"
#include "convert/text/expansion.h"
#include "convert/text/hash_tables.h"
#include "convert/text/little_endian.h"
#include "convert/text/plain_spaces.h"
#include "convert/text/table_probe.h"
#include "convert/text/whole_pieces.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;

// Strings that others refer to, each once.
class Strings {
 public:
  Text add(const std::string& s) {
    const auto [it, fresh] = index_.try_emplace(s, static_cast<uint32_t>(bytes_.size()));
    if (fresh) bytes_ += s;
    return {it->second, static_cast<uint32_t>(s.size())};
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::map<std::string, uint32_t> index_;
  std::string bytes_;
};

void put_text(std::string& out, const Text& t) { put32(out, t.offset), put32(out, t.bytes); }

class TableWriter {
 public:
  explicit TableWriter(const Tokenizer& t) : t_(t) {}
  // Added tokens of normalized texts need the normalizer, which needs tables: they come with the second writing.
  // So do the pieces that words become without merging (whole_pieces).
  std::string write(const std::map<int32_t, std::string>* normalized, const Expansion& expansion, const std::string& whole);

 private:
  void add(SectionKind kind, std::string bytes, size_t count) {
    if (!bytes.empty()) sections_[kind] = {std::move(bytes), static_cast<uint32_t>(count)};
  }
  void add_steps(SectionKind kind, const std::vector<edgeconv::text::Step>& steps);
  void add_pieces();
  void add_trie(SectionKind kind, const std::map<std::string, uint32_t>& keys);
  void add_added(const std::map<int32_t, std::string>* normalized);
  void add_charsmap();
  void add_endings();
  void add_task();
  void add_ngrams();

  struct Content {
    std::string bytes;
    uint32_t count;
  };
  const Tokenizer& t_;
  std::map<SectionKind, Content> sections_;
  Strings strings_;
  uint32_t flags_ = 0, longest_ = 0;
};

void TableWriter::add_steps(SectionKind kind, const std::vector<edgeconv::text::Step>& steps) {
  // Longer strings no tokenizer has; measuring what they make of texts would take seconds.
  if (steps.size() > kMostSteps)
    throw FatalError(ExitCode::kLimit, "the tokenizer has " + std::to_string(steps.size()) + " steps one behind the other, a blob's at most " +
                                           std::to_string(kMostSteps));
  std::string out;
  for (const auto& s : steps) {
    if (std::max(s.a.size(), s.b.size()) > kLongestString)
      throw FatalError(ExitCode::kLimit, "a step of the tokenizer has a string of " + std::to_string(std::max(s.a.size(), s.b.size())) +
                                             " bytes, a blob's at most " + std::to_string(kLongestString));
    put32(out, s.kind), put32(out, s.option);
    put_text(out, strings_.add(s.a)), put_text(out, strings_.add(s.b));
  }
  add(kind, out, steps.size());
}

// Of pieces that may begin at every character. Longer ones no tokenizer has.
void require_short(const std::string& key) {
  if (key.size() > kLongestKey)
    throw FatalError(ExitCode::kLimit, "the tokenizer has a piece or added token of " + std::to_string(key.size()) + " bytes, a blob's at most " +
                                           std::to_string(kLongestKey));
}

void TableWriter::add_trie(SectionKind kind, const std::map<std::string, uint32_t>& keys) {
  for (const auto& [key, value] : keys) require_short(key);
  const std::vector<uint32_t> units = double_array(keys);
  std::string out;
  for (const uint32_t u : units) put32(out, u);
  add(kind, out, units.size());
}

void TableWriter::add_pieces() {
  const uint32_t n = t_.vocabulary();
  if (n >= 65535) flags_ |= kWideIds;
  for (const std::string& p : t_.pieces)
    if (p.size() > 255) flags_ |= kWideLengths;
  std::string pieces, blocks, lengths;
  std::map<std::string, uint32_t> trie;
  for (uint32_t i = 0; i < n; ++i) {
    const std::string& p = t_.pieces[i];
    if (p.size() > kLongestPiece)
      throw FatalError(ExitCode::kLimit, "the tokenizer has a piece of " + std::to_string(p.size()) + " bytes");
    if (i % kPiecesPerBlock == 0) put32(blocks, static_cast<uint32_t>(pieces.size()));
    pieces += p;
    if ((flags_ & kWideLengths) != 0)
      put16(lengths, static_cast<uint32_t>(p.size()));
    else
      lengths.push_back(static_cast<char>(p.size()));
    if (!t_.found[i] || p.empty()) continue;
    const std::string key = piece_in_text(t_, p);
    if (t_.kind == ERT_TEXT_WORDPIECE) require_short(key);
    longest_ = std::max(longest_, static_cast<uint32_t>(key.size()));
    if (t_.kind == ERT_TEXT_UNIGRAM && key.find('\0') == std::string::npos) trie[key] = i;
  }
  add(SectionKind::kPieces, pieces, pieces.size());
  add(SectionKind::kPieceBlocks, blocks, blocks.size() / 4);
  add(SectionKind::kPieceLengths, lengths, n);
  if (t_.kind == ERT_TEXT_UNIGRAM)
    add_trie(SectionKind::kPieceTrie, trie);
  else if (const HashTable index = piece_index(t_, (flags_ & kWideIds) != 0); index.slots != 0)
    add(SectionKind::kPieceIndex, index.bytes, index.slots);
}

void TableWriter::add_added(const std::map<int32_t, std::string>* normalized) {
  std::map<std::string, uint32_t> raw, later;
  std::string out;
  for (uint32_t i = 0; i < t_.added.size(); ++i) {
    const auto& a = t_.added[i];
    put32(out, static_cast<uint32_t>(a.id));
    // The reference decodes what the normalizer makes of a token, and leaves it out if that is a special one.
    std::string decoded = normalized != nullptr && a.normalized && (t_.flags & kSpmUtf8) == 0 ? normalized->at(a.id) : a.content;
    const bool other = decoded != a.content;
    const auto is_special = [&decoded](const auto& b) { return b.special && b.content == decoded; };
    const bool special = other ? std::any_of(t_.added.begin(), t_.added.end(), is_special) : a.special;
    if (std::string bytes; other && (t_.flags & kByteLevel) != 0 && (t_.flags & kSpelledBytes) == 0 && byte_level_bytes(decoded, &bytes)) decoded = bytes;
    put_text(out, strings_.add(decoded));
    uint32_t flags = 0;
    const auto set = [&flags](bool on, AddedFlags f) { flags |= on ? uint32_t{f} : 0u; };
    if (other) flags |= kAddedDecoded, flags_ |= kSpelledBytes;
    set(special, kAddedSpecial), set(a.lstrip, kAddedLstrip), set(a.rstrip, kAddedRstrip);
    set(a.single_word, kAddedSingleWord), set(a.normalized, kAddedNormalized);
    put32(out, flags);
    // Of SentencePiece models only what users defined is looked for.
    if ((t_.flags & kSpmUtf8) != 0) {
      if (!a.special) raw[a.content] = i;
    } else if (!a.normalized)
      raw[a.content] = i;
    else if (normalized != nullptr && !normalized->at(a.id).empty())
      later.emplace(normalized->at(a.id), i);  // of equal ones the first: the reference takes any
  }
  add(SectionKind::kAddedTokens, out, t_.added.size());
  add_trie(SectionKind::kAddedTrie, raw);
  add_trie(SectionKind::kAddedNormalizedTrie, later);
}

void TableWriter::add_charsmap() {
  if (t_.charsmap.empty()) return;
  const auto* p = reinterpret_cast<const uint8_t*>(t_.charsmap.data());
  const size_t size = t_.charsmap.size();
  const uint32_t trie = size < 4 ? 0 : p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
  if (size < 4 || trie > size - 4 || trie % 4 != 0)
    throw FatalError(ExitCode::kMalformed, "the tokenizer's precompiled_charsmap is cut off");
  std::string strings = t_.charsmap.substr(4 + trie);
  if (strings.empty() || strings.back() != '\0') strings.push_back('\0');
  for (size_t at = 0, end; at < strings.size(); at = end + 1) {
    end = strings.find('\0', at);
    if (end - at > kLongestMapping)
      throw FatalError(ExitCode::kLimit, "the tokenizer's precompiled_charsmap makes a character " + std::to_string(end - at) + " bytes, a blob's at most " +
                                             std::to_string(kLongestMapping));
  }
  add(SectionKind::kCharsmapTrie, t_.charsmap.substr(4, trie), trie / 4);
  add(SectionKind::kCharsmapStrings, strings, strings.size());
}

void TableWriter::add_endings() {
  const Endings& e = t_.endings;
  if (e.single.size() + e.pair.size() > kMostTemplatePieces)
    throw FatalError(ExitCode::kLimit, "the tokenizer puts " + std::to_string(e.single.size() + e.pair.size()) +
                                           " pieces around texts, a blob's at most " + std::to_string(kMostTemplatePieces));
  std::string pieces, out;
  for (const auto* list : {&e.single, &e.pair})
    for (const TemplatePiece& p : *list)
      put32(pieces, p.kind), put32(pieces, static_cast<uint32_t>(p.id)), put32(pieces, p.type_id);
  add(SectionKind::kTemplate, pieces, e.single.size() + e.pair.size());
  for (const uint32_t v :
       {static_cast<uint32_t>(e.single.size()), e.max_tokens, e.truncation, e.stride, uint32_t{e.cut_left}, e.pad_to,
        e.pad_multiple, uint32_t{e.pad_left}, static_cast<uint32_t>(e.pad_id), e.pad_type_id, e.trim})
    put32(out, v);
  for (const std::string* s : {&t_.prefix, &t_.suffix}) put_text(out, strings_.add(*s));
  put_text(out, strings_.add({}));
  add(SectionKind::kEnding, out, 1);
}

void TableWriter::add_task() {
  const TaskDescription& k = t_.task;
  if (k.kind == TaskKind::kNone) return;
  std::string out, labels;
  for (const uint32_t v :
       {static_cast<uint32_t>(k.kind), k.pooling, uint32_t{k.normalize}, uint32_t{k.sigmoid}, k.max_tokens, k.entailment})
    put32(out, v);
  put_text(out, strings_.add(k.hypothesis));
  for (const uint32_t input : k.inputs) put32(out, input);
  out.resize(sizeof(Task), '\0');
  add(SectionKind::kTask, out, 1);
  for (const std::string& l : k.labels) put_text(labels, strings_.add(l));
  add(SectionKind::kLabels, labels, k.labels.size());
}

void TableWriter::add_ngrams() {
  if (t_.kind != ERT_TEXT_NGRAM) return;
  const NgramTable& n = t_.ngrams;
  std::string out;
  for (const uint32_t v : {n.buckets, n.first_hash, n.first_script, n.no_text, n.longest_word}) put32(out, v);
  out.resize(sizeof n, '\0');
  add(SectionKind::kNgrams, out, 1);
}

std::string TableWriter::write(const std::map<int32_t, std::string>* normalized, const Expansion& expansion, const std::string& whole) {
  flags_ = t_.flags;
  add(SectionKind::kWholePieces, whole, whole.size());
  add_steps(SectionKind::kNormalizer, t_.normalizer);
  add_steps(SectionKind::kPretokenizer, t_.pretokenizer);
  add_steps(SectionKind::kDecoder, t_.decoder);
  if (t_.merges.size() > 65535) flags_ |= kWideIds;
  add_pieces();
  if (!t_.merges.empty()) {
    const HashTable merges = merge_table(t_, (flags_ & kWideIds) != 0);
    add(SectionKind::kMerges, merges.bytes, merges.slots);
    const std::string results = merge_results(t_, (flags_ & kWideIds) != 0);
    add(SectionKind::kMergeResults, results, results.size() / ((flags_ & kWideIds) != 0 ? 4 : 2));
  }
  if (!t_.scores.empty()) {
    bool floats = true;
    for (const double s : t_.scores) floats &= static_cast<double>(static_cast<float>(s)) == s;
    if (!floats) flags_ |= kDoubleScores;
    add(SectionKind::kScores, score_bytes(t_.scores, !floats), t_.scores.size());
  }
  if ((flags_ & (kByteLevel | kByteFallback)) != 0) {
    std::string ids;
    for (const int32_t id : t_.byte_ids) put32(ids, static_cast<uint32_t>(id));
    add(SectionKind::kByteIds, ids, 256);
  }
  add_added(normalized);
  add_charsmap();
  add_endings();
  add_task();
  add_ngrams();
  CodeTables codes = code_tables(t_);
  if (!codes.conflicts.empty())
    throw FatalError(ExitCode::kUnsupported, "this tokenizer has " + codes.conflicts[0] + ", which no tokenizer of a blob has");
  add(SectionKind::kClasses, codes.classes, 1);
  add(SectionKind::kRuleClasses, codes.rule_classes, 1);
  add(SectionKind::kDecompositions, codes.decompositions, 1);
  add(SectionKind::kCompatible, codes.compatible, 1);
  add(SectionKind::kCombining, codes.combining, 1);
  add(SectionKind::kCompositions, codes.compositions, codes.composition_count);
  add(SectionKind::kLowercase, codes.lowercase, 1);
  add(SectionKind::kMappings, codes.mappings, codes.mappings.size());
  add(SectionKind::kGraphemes, codes.graphemes, 1);
  add(SectionKind::kStrings, strings_.bytes(), strings_.bytes().size());

  std::string body, rows;
  const size_t first = sizeof(TablesHeader) + sizeof(Section) * sections_.size();
  for (const auto& [kind, content] : sections_) {
    body.resize((first + body.size() + 7) / 8 * 8 - first, '\0');
    put32(rows, static_cast<uint32_t>(kind)), put32(rows, static_cast<uint32_t>(first + body.size()));
    put32(rows, static_cast<uint32_t>(content.bytes.size())), put32(rows, content.count);
    body += content.bytes;
    if (body.size() > INT32_MAX) throw FatalError(ExitCode::kLimit, "the tokenizer's tables are larger than 2 GiB");
  }
  std::string out;
  for (const uint32_t v :
       {kTablesMagic, kTablesVersion, static_cast<uint32_t>(first + body.size()), static_cast<uint32_t>(sections_.size()),
        static_cast<uint32_t>(t_.kind), flags_, t_.vocabulary(), expansion.of_byte, expansion.extra,
        static_cast<uint32_t>(t_.unknown), longest_, t_.max_characters, t_.least, 0u, 0u, 0u})
    put32(out, v);
  return out + rows + body;
}

Expansion expansion_of(const Tokenizer& t) {
  TableProbe probe(TableWriter(t).write(nullptr, {}, {}));
  return measure_expansion(t, probe);
}

std::string written(const Tokenizer& t, const Expansion& expansion) {
  TableProbe probe(TableWriter(t).write(nullptr, {}, {}));
  std::map<int32_t, std::string> normalized;
  for (const auto& a : t.added) {
    normalized[a.id] = a.normalized ? probe.normalized(a.content) : a.content;
    // The reference finds the empty text everywhere.
    if (normalized[a.id].empty())
      throw FatalError(ExitCode::kUnsupported, fmt::format("the added token '{}' of id {} is 'normalized', and the normalizer leaves nothing of it: "
                                                           "save the tokenizer without the token, or with \"normalized\": false",
                                                           printable(a.content), a.id));
  }
  const std::string bytes = TableWriter(t).write(&normalized, expansion, whole_pieces(t, probe));
  const TableProbe accepted(bytes);
  return bytes;
}

}  // namespace

std::string table_bytes(const Tokenizer& t) {
  const Expansion expansion = expansion_of(t);
  if (allows_plain_spaces(t)) {
    // Older readers refuse the flag, so that only tokenizers have it that it saves memory.
    const Tokenizer plain = with_plain_spaces(t);
    if (const Expansion less = expansion_of(plain); less.of_byte < expansion.of_byte) return written(plain, less);
  }
  return written(t, expansion);
}

}  // namespace edgeconv::text
