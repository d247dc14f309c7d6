// A SentencePiece .model: its own normalizer, Unigram or BPE by scores, no special tokens.
#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/ir/diagnostics.h"
#include "convert/text/components.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/files/sentencepiece.pb.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;

enum PieceType { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

constexpr int kCharacterModel = 4;

size_t characters_of(const std::string& s) {
  return static_cast<size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

class SentencePieceReader {
 public:
  SentencePieceReader(const spm::ModelProto& m, const std::string& name) : m_(m), name_(name) {}
  Tokenizer read();

 private:
  [[noreturn]] void malformed(const std::string& why) const { throw FatalError(ExitCode::kMalformed, "'" + name_ + "': " + why); }
  void unsupported(const std::string& what) { unknowns_.add(what); }
  void read_piece(int i, Tokenizer& t);
  void set_scores(Tokenizer& t);

  const spm::ModelProto& m_;
  const std::string& name_;
  Unknowns unknowns_;
  std::set<std::string> seen_, reserved_;
};

void SentencePieceReader::read_piece(int i, Tokenizer& t) {
  const auto& p = m_.pieces(i);
  const std::string where = "piece " + std::to_string(i);
  if (p.piece().empty()) malformed(where + " is empty");
  if (!std::isfinite(p.score())) malformed("the score of " + where + " is no number");
  if (p.piece().size() > kLongestPiece || p.piece().find('\0') != std::string::npos) malformed(where + " is too long, or has a zero byte");
  const bool normal = p.type() == kNormal || p.type() == kUserDefined || p.type() == kUnused;
  if (!(normal ? seen_ : reserved_).insert(p.piece()).second) malformed(where + ", '" + printable(p.piece()) + "', is there twice");
  t.piece(i) = p.piece();
  t.found[static_cast<size_t>(i)] = p.type() == kNormal || p.type() == kUserDefined;
  // Characters are what BPE begins with: it goes no further where no pair spells a piece.
  if (m_.trainer_spec().model_type() == kCharacterModel && p.type() == kNormal && characters_of(p.piece()) != 1) t.found[static_cast<size_t>(i)] = false;
  AddedToken a;
  a.id = i, a.content = p.piece();
  switch (p.type()) {
    case kNormal: break;
    case kUnknown:
      if (t.unknown >= 0) malformed(where + " is a second unknown piece");
      t.unknown = i;
      break;
    case kControl: a.special = true, t.added.push_back(a); break;  // never found in text
    case kUserDefined: t.added.push_back(a); break;
    case kUnused:
      if (t.kind == ERT_TEXT_SENTENCEPIECE_BPE) unsupported("unused pieces of a BPE model (" + where + ")");
      break;
    case kByte: {
      const std::string& s = p.piece();
      const size_t end = s.size() == 6 && s.rfind("<0x", 0) == 0 && s[5] == '>' ? s.find_first_not_of("0123456789ABCDEFabcdef", 3) : 0;
      if (end != 5) malformed(where + ", '" + printable(s) + "', is no byte");
      if ((t.flags & kByteFallback) == 0) malformed(where + " is a byte, but byte_fallback is off");
      t.byte_ids[std::stoul(s.substr(3, 2), nullptr, 16)] = i;
      break;
    }
    default: malformed(where + " has the type " + std::to_string(p.type()));
  }
}

// User defined pieces get what sentencepiece 0.2.3 gives them, which makes them chosen before all others.
void SentencePieceReader::set_scores(Tokenizer& t) {
  float least = std::numeric_limits<float>::max();
  for (int i = 0; i < m_.pieces_size(); ++i) {
    const auto& p = m_.pieces(i);
    double score = static_cast<double>(p.score());
    if (p.type() == kUserDefined && t.kind == ERT_TEXT_UNIGRAM) score = static_cast<double>(static_cast<float>(0.1 * (static_cast<double>(p.piece().size()) - 1)));
    t.scores.push_back(score);
    if (p.type() == kNormal && p.score() < least) least = p.score(), t.least = static_cast<uint32_t>(i);
  }
}

Tokenizer SentencePieceReader::read() {
  Tokenizer t;
  const auto& trainer = m_.trainer_spec();
  const auto& normalizer = m_.normalizer_spec();
  t.flags = kSpmUtf8;
  if (trainer.model_type() == 1)
    t.kind = ERT_TEXT_UNIGRAM, t.flags |= kFloatSums;
  else if (trainer.model_type() == 2 || trainer.model_type() == kCharacterModel)
    t.kind = ERT_TEXT_SENTENCEPIECE_BPE;
  else
    unsupported("model type " + std::to_string(trainer.model_type()) + " (1 is Unigram, 2 BPE, 4 characters; 3, words, is none of them)");
  if (trainer.byte_fallback())
    t.flags |= kByteFallback;
  else
    t.flags |= kFuseUnknown;
  if (m_.denormalizer_spec().precompiled_charsmap().size() != 0) unsupported("a denormalizer");
  if (m_.pieces_size() == 0) malformed("has no pieces");
  for (int i = 0; i < m_.pieces_size(); ++i) read_piece(i, t);
  if (t.unknown < 0) malformed("has no unknown piece");
  for (const int32_t id : t.byte_ids)
    if (trainer.byte_fallback() && id < 0) malformed("has byte_fallback, but not all 256 bytes");
  set_scores(t);
  t.charsmap = normalizer.precompiled_charsmap();
  if (const std::string wrong = t.charsmap.empty() ? "" : wrong_with_charsmap(t.charsmap); !wrong.empty()) malformed("normalizer_spec.precompiled_charsmap " + wrong);
  const uint32_t options = (normalizer.remove_extra_whitespaces() ? kRemoveExtraSpaces : 0u) | (normalizer.add_dummy_prefix() ? kAddDummyPrefix : 0u) |
                           (normalizer.escape_whitespaces() ? kEscapeSpaces : 0u) | (trainer.treat_whitespace_as_suffix() ? kSpaceAsSuffix : 0u);
  t.normalizer = {{static_cast<uint32_t>(NormalizerKind::kSentencePiece), options, {}, {}}};
  t.decoder = {{static_cast<uint32_t>(DecoderKind::kSentencePiece), options, trainer.unk_surface(), {}}};
  t.endings.single = {{1, 0, 0}}, t.endings.pair = {{1, 0, 0}, {2, 0, 1}};
  unknowns_.check(name_);
  return t;
}

}  // namespace

Tokenizer read_sentencepiece(const std::string& contents, const std::string& name) {
  spm::ModelProto m;
  if (!m.ParseFromString(contents)) throw FatalError(ExitCode::kMalformed, "'" + name + "' is no SentencePiece model");
  return SentencePieceReader(m, name).read();
}

}  // namespace edgeconv::text
