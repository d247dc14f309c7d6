#include "convert/text/table_probe.h"

#include <cstring>

#include "convert/ir/diagnostics.h"
#include "rt/text/models.h"
#include "rt/text/normalize.h"
#include "rt/text/pretokenize.h"

namespace edgeconv::text {

using namespace ert::text;

namespace {

constexpr size_t kRoomOfByte = 64;  // more than any chain of steps can make of a byte

// A step that decomposes on the way to something shorter.
ert::text::Step without_composition(ert::text::Step s) {
  if (s.kind == static_cast<uint32_t>(NormalizerKind::kNfc)) s.kind = static_cast<uint32_t>(NormalizerKind::kNfd);
  if (s.kind == static_cast<uint32_t>(NormalizerKind::kNfkc)) s.kind = static_cast<uint32_t>(NormalizerKind::kNfkd);
  return s;
}

}  // namespace

TableProbe::TableProbe(const std::string& tables) : bytes_((tables.size() + 7) / 8) {
  std::memcpy(bytes_.data(), tables.data(), tables.size());
  const ert_status s = open_tables(&tables_, reinterpret_cast<const uint8_t*>(bytes_.data()), tables.size());
  if (s != ERT_OK) throw FatalError(ExitCode::kInternal, std::string("the tables of the tokenizer are refused: ") + ert_status_str(s));
}

Encoder TableProbe::encoder(const std::string& text, size_t room) {
  if (tokens_.size() < room) tokens_.resize(room), spans_.resize(room), text_.resize(room), marks_.resize(room), spare_.resize(2 * room);
  Encoder e{};
  e.tables = &tables_;
  e.capacity = room;
  e.tokens = tokens_.data();
  e.main.spans = spans_.data(), e.main.text = text_.data(), e.main.size = text.size();
  e.marks = marks_.data(), e.spare = spare_.data();
  std::memcpy(text_.data(), text.data(), text.size());
  for (size_t i = 0; i < text.size(); ++i) spans_[i] = {static_cast<uint32_t>(i), static_cast<uint32_t>(i + 1)};
  return e;
}

std::string TableProbe::normalized(const std::string& text) {
  Encoder e = encoder(text, kRoomOfByte * (text.size() + 64));
  if (!normalize(e)) throw FatalError(ExitCode::kLimit, "a token of the tokenizer becomes too long when it is normalized");
  return std::string(reinterpret_cast<const char*>(e.main.text), e.main.size);
}

int32_t TableProbe::only_token(const std::string& word) {
  Encoder e = encoder(word, word.size() + kElementsBeside);
  const bool encoded = model_of(tables_.header->kind)(e, 0, word.size());
  return encoded && e.token_count == 1 && e.tokens[0].start == 0 && e.tokens[0].end == word.size() ? e.tokens[0].id : -1;
}

size_t TableProbe::largest(const std::string& text) {
  size_t most = text.size();
  const Tables whole = tables_;
  std::string now = text;
  Tables one = whole;
  for (uint32_t i = 0; i < whole.normalizer.size; ++i) {
    for (const bool plain : {false, true}) {
      const ert::text::Step step = plain ? whole.normalizer.data[i] : without_composition(whole.normalizer.data[i]);
      one.normalizer = {&step, 1};
      tables_ = one;
      const std::string out = normalized(now);
      most = std::max(most, out.size());
      if (most > kRoomOfByte * (text.size() + 64))
        throw FatalError(ExitCode::kLimit, "the tokenizer can make a byte of text more than " + std::to_string(kRoomOfByte) + " bytes");
      if (plain) now = out;
    }
  }
  tables_ = whole;
  if (now.empty()) return most;
  Encoder e = encoder(now, kRoomOfByte * (now.size() + 64));
  std::memset(e.marks, kInside, now.size());
  e.marks[0] = kPiece;
  if (!pretokenize(e)) throw FatalError(ExitCode::kLimit, "a text becomes too long when it is pre-tokenized");
  return std::max(most, e.main.size);
}

}  // namespace edgeconv::text
