// "model" of a tokenizer.json: WordPiece, BPE, Unigram, WordLevel, and hashed n-grams.
#include <fmt/format.h>

#include "convert/text/components.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;  // flags

constexpr int32_t kMostIds = 1 << 24;

Vocabulary read_vocabulary(const JsonPlace& p) {
  if (!p.value().is_object()) p.malformed("is not an object");
  Vocabulary v;
  std::map<int32_t, const std::string*> pieces;
  for (const auto& [piece, id] : p.value().items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= kMostIds)
      p.malformed("has no id from 0 to " + std::to_string(kMostIds - 1) + " for '" + printable(piece) + "'");
    if (piece.size() > kLongestPiece) p.malformed("has a piece of more than " + std::to_string(kLongestPiece) + " bytes");
    const auto added = v.emplace(piece, id.get<int32_t>()).first;
    // An id has one piece in a blob: the other would be lost.
    const auto [first, fresh] = pieces.emplace(added->second, &added->first);
    if (!fresh) p.malformed("gives the id " + std::to_string(added->second) + " to both '" + printable(*first->second) + "' and '" + printable(piece) + "'");
  }
  return v;
}

void take_pieces(Tokenizer& t, const Vocabulary& v) {
  for (const auto& [piece, id] : v) {
    t.piece(id) = piece;
    t.found[static_cast<size_t>(id)] = true;
  }
}

int32_t id_of(const Vocabulary& v, const std::string& piece) {
  const auto it = v.find(piece);
  return it == v.end() ? -1 : it->second;
}

void read_wordpiece(const JsonPlace& p, Tokenizer& t, Vocabulary& v) {
  t.kind = ERT_TEXT_WORDPIECE;
  v = read_vocabulary(p.at("vocab"));
  take_pieces(t, v);
  t.unknown = id_of(v, p.string("unk_token", "[UNK]"));
  t.prefix = p.string("continuing_subword_prefix", "##");
  if (!t.prefix.empty()) t.flags |= kHasPrefix;
  t.max_characters = p.number("max_input_chars_per_word", 100);
}

void read_wordlevel(const JsonPlace& p, Tokenizer& t, Vocabulary& v) {
  t.kind = ERT_TEXT_WORDLEVEL;
  v = read_vocabulary(p.at("vocab"));
  take_pieces(t, v);
  t.unknown = id_of(v, p.string("unk_token", "<unk>"));
}

void read_merges(const JsonPlace& p, Tokenizer& t, const Vocabulary& v) {
  for (size_t i = 0; i < p.size(); ++i) {
    const JsonTree& m = p.value()[i];
    std::string left, right;
    if (m.is_string()) {
      const std::string& line = m.get_ref<const std::string&>();
      const size_t space = line.find(' ');
      if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos) p.item(i).malformed("is not two pieces with a space between them");
      left = line.substr(0, space), right = line.substr(space + 1);
    } else if (m.is_array() && m.size() == 2 && m[0].is_string() && m[1].is_string()) {
      left = m[0].get<std::string>(), right = m[1].get<std::string>();
    } else {
      p.item(i).malformed("is no pair of pieces");
    }
    const std::string wrong = add_merge(t, v, left, right, static_cast<uint32_t>(i));
    if (!wrong.empty()) p.item(i).malformed(wrong);
  }
}

void read_bpe(const JsonPlace& p, Tokenizer& t, Vocabulary& v) {
  t.kind = ERT_TEXT_BPE;
  v = read_vocabulary(p.at("vocab"));
  if (p.has("dropout") && p.at("dropout").real() != 0) p.at("dropout").unsupported("BPE dropout, which gives other ids each time");
  t.prefix = p.string("continuing_subword_prefix", "");
  t.suffix = p.string("end_of_word_suffix", "");
  if (!t.prefix.empty()) t.flags |= kHasPrefix;
  if (!t.suffix.empty()) t.flags |= kHasSuffix;
  if (p.boolean("fuse_unk", false)) t.flags |= kFuseUnknown;
  if (p.boolean("ignore_merges", false)) t.flags |= kIgnoreMerges;
  if (p.boolean("byte_fallback", false)) {
    t.flags |= kByteFallback;
    if ((t.flags & (kHasPrefix | kHasSuffix | kByteLevel)) != 0) p.at("byte_fallback").unsupported("byte_fallback with a prefix, a suffix or ByteLevel");
  }
  if (p.has("unk_token")) t.unknown = id_of(v, p.at("unk_token").string());
  take_bpe_pieces(t, v);
  read_merges(p.at("merges"), t, v);
}

void read_unigram(const JsonPlace& p, Tokenizer& t, Vocabulary& v) {
  t.kind = ERT_TEXT_UNIGRAM;
  const JsonPlace list = p.at("vocab");
  if (list.size() == 0 || list.size() > kMostIds) list.malformed("has " + std::to_string(list.size()) + " pieces");
  t.pieces.resize(list.size()), t.found.assign(list.size(), false), t.scores.resize(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonTree& row = list.value()[i];
    if (!row.is_array() || row.size() != 2 || !row[0].is_string() || !row[1].is_number()) list.item(i).malformed("is no pair of a piece and its score");
    t.pieces[i] = row[0].get<std::string>();
    t.scores[i] = row[1].get<double>();
    if (t.pieces[i].size() > kLongestPiece) list.item(i).malformed("is a piece of more than " + std::to_string(kLongestPiece) + " bytes");
    v[t.pieces[i]] = static_cast<int32_t>(i);  // of equal ones the last
    if (t.scores[i] < t.scores[t.least]) t.least = static_cast<uint32_t>(i);
  }
  for (const auto& [piece, id] : v) t.found[static_cast<size_t>(id)] = true;
  t.flags |= kFuseUnknown;
  if (p.has("unk_id")) {
    if (p.at("unk_id").number() >= list.size()) p.at("unk_id").malformed("is not in the vocabulary");
    t.unknown = static_cast<int32_t>(p.at("unk_id").number());
  }
  if (p.boolean("byte_fallback", false)) {
    t.flags |= kByteFallback;
    for (int b = 0; b < 256; ++b) t.byte_ids[static_cast<size_t>(b)] = id_of(v, fmt::format("<0x{:02X}>", b));
  }
}

// Hashed n-grams are edgeconv's own (rt/text/ngram.h): no reference has a file for them.
void read_ngrams(const JsonPlace& p, Tokenizer& t) {
  t.kind = ERT_TEXT_NGRAM;
  t.flags |= kSpmUtf8;  // a byte that begins no valid sequence stands alone
  NgramTable& n = t.ngrams;
  n.buckets = p.at("buckets").number(), n.first_hash = p.at("first_hash").number(), n.first_script = p.at("first_script").number();
  n.no_text = p.at("no_text").number(), n.longest_word = p.at("longest_word").number();
  if (n.buckets > kMostBuckets) p.at("buckets").malformed("is more than " + std::to_string(kMostBuckets));
  if (n.first_hash >= n.buckets) p.at("first_hash").malformed("is not below buckets");
  if (n.first_script == 0 || n.first_hash < n.first_script + kNgramScripts)
    p.at("first_script").malformed("leaves no room for " + std::to_string(kNgramScripts) + " scripts before first_hash");
  if (n.no_text >= n.buckets) p.at("no_text").malformed("is not below buckets");
}

}  // namespace

std::string add_merge(Tokenizer& t, const Vocabulary& v, const std::string& left, const std::string& right, uint32_t rank) {
  const int32_t a = id_of(v, left), b = id_of(v, right);
  if (a < 0 || b < 0) return "joins '" + printable(a < 0 ? left : right) + "', which is not in the vocabulary";
  if (right.size() < t.prefix.size()) return "has a second piece that is shorter than the prefix";
  const std::string whole = left + right.substr(t.prefix.size());
  const int32_t result = id_of(v, whole);
  if (result < 0) return "makes '" + printable(whole) + "', which is not in the vocabulary";
  t.merges.push_back({static_cast<uint32_t>(a), static_cast<uint32_t>(b), rank, static_cast<uint32_t>(result)});
  return {};
}

void take_bpe_pieces(Tokenizer& t, const Vocabulary& v) {
  for (const auto& [piece, id] : v) {
    std::string bytes;
    // What the letters of bytes cannot spell no text becomes.
    const bool found = (t.flags & kByteLevel) == 0 || byte_level_bytes(piece, &bytes);
    t.piece(id) = (t.flags & kByteLevel) == 0 || !found ? piece : bytes;
    t.found[static_cast<size_t>(id)] = found;
  }
  for (int b = 0; b < 256; ++b) {
    const std::string name = (t.flags & kByteLevel) != 0 ? byte_level_letter(static_cast<uint8_t>(b)) : fmt::format("<0x{:02X}>", b);
    if ((t.flags & (kByteLevel | kByteFallback)) != 0) t.byte_ids[static_cast<size_t>(b)] = id_of(v, name);
  }
}

void read_model(const JsonPlace& p, Tokenizer& t, Vocabulary& v) {
  std::string type = p.string("type", "");
  // Old files do not say: they are told by what only one kind has.
  if (type.empty())
    type = p.has("merges") ? "BPE" : p.has("vocab") && p.at("vocab").value().is_array() ? "Unigram" : p.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
  if ((t.flags & kByteLevel) != 0 && type != "BPE") p.unsupported("model '" + type + "' behind ByteLevel");
  if (type == "WordPiece") {
    read_wordpiece(p, t, v);
  } else if (type == "BPE") {
    read_bpe(p, t, v);
  } else if (type == "Unigram") {
    read_unigram(p, t, v);
  } else if (type == "WordLevel") {
    read_wordlevel(p, t, v);
  } else if (type == "HashedNgram") {
    read_ngrams(p, t);
  } else {
    p.unsupported("model '" + type + "'");
  }
}

}  // namespace edgeconv::text
