// From ids to text. Nothing is kept of it: every token is written as soon as it is known. More than 300 lines: the decoders share one pass over the pieces.
#include "rt/text/decode.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

// UTF-8 that need not be valid, byte by byte, as Rust's from_utf8_lossy and Python's 'replace' make it valid.
class LossyText {
 public:
  explicit LossyText(TextSink& out) : out_(out) {}
  void put(const uint8_t* p, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
      held_[count_++] = p[i];
      settle(false);
    }
  }
  void end() {
    while (count_ != 0) settle(true);
  }

 private:
  // Writes what later bytes cannot change any more.
  void settle(bool last) {
    while (count_ != 0) {
      const Character c = foreign_character(held_, held_ + count_);
      const bool bad = c.code == kReplacement && !(c.bytes == 3 && held_[0] == 0xef);
      // A bad part that reaches to the end may still become a character.
      if (bad && !last && c.bytes == count_ && may_go_on()) return;
      if (bad)
        out_.put(placed<const uint8_t>("\xef\xbf\xbd"), 3);
      else
        out_.put(held_, c.bytes);
      count_ -= c.bytes;
      memmove(held_, held_ + c.bytes, count_);
    }
  }
  // Is there a byte that would make what is held longer? Any that a sequence can go on with is between 0x80 and 0xbf.
  bool may_go_on() const {
    uint8_t longer[5];
    memcpy(longer, held_, count_);
    for (uint32_t next = 0x80; next <= 0xa0; next += 0x10) {
      longer[count_] = static_cast<uint8_t>(next);
      if (foreign_character(longer, longer + count_ + 1).bytes == count_ + 1) return true;
    }
    return false;
  }
  TextSink& out_;
  uint8_t held_[8];
  uint32_t count_ = 0;
};

int byte_of_piece(Bytes8 p) {
  if (p.size != 6 || p.data[0] != '<' || p.data[1] != '0' || p.data[2] != 'x' || p.data[5] != '>') return -1;
  int value = 0;
  for (int i = 3; i < 5; ++i) {
    const int c = p.data[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = 16 * value + digit;
  }
  return value;
}

bool starts_with(const uint8_t* p, size_t bytes, const char* with) {
  // Not strlen: bare metal may have none.
  for (size_t i = 0; with[i] != 0; ++i)
    if (i == bytes || p[i] != static_cast<uint8_t>(with[i])) return false;
  return true;
}

// WordPiece's clean up: no space before punctuation and shortened words.
bool joins_left(const uint8_t* p, size_t bytes) {
  static constexpr char kJoined[][4] = {".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"};
  for (const char* s : kJoined)
    if (starts_with(p, bytes, s)) return true;
  return false;
}

// Letters that byte-level vocabularies have for bytes: printable ones are themselves, the others follow from U+0100 on.
bool is_itself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

uint32_t letter_of(uint32_t byte) {
  if (is_itself(byte)) return byte;
  uint32_t letter = 0x100;
  for (uint32_t b = 0; b < byte; ++b) letter += !is_itself(b);
  return letter;
}

// The byte of a letter, or -1.
int32_t byte_of_letter(uint32_t letter) {
  if (is_itself(letter)) return static_cast<int32_t>(letter);
  for (uint32_t b = 0; letter >= 0x100 && letter < 0x144 && b < 256; ++b)
    if (!is_itself(b) && letter-- == 0x100) return static_cast<int32_t>(b);
  return -1;
}

class Decoder {
 public:
  Decoder(const Tables& t, const int32_t* ids, size_t count, bool skip_special, TextSink& out)
      : t_(t), ids_(ids), count_(count), skip_(skip_special), out_(out), lossy_(out) {
    for (uint32_t i = 0; i < t.decoder.size; ++i) {
      const Step& s = t.decoder.data[i];
      if (s.kind < static_cast<uint32_t>(DecoderKind::kCount)) steps_[s.kind] = &s;
    }
    if (const Step* s = step(DecoderKind::kStrip); s != nullptr)
      out_.strip({string_of(t, s->a), s->a.bytes}, s->option & 0xffff, s->option >> 16);
  }

  void run() {
    size_t position = 0;
    for (size_t i = 0; i < count_; ++i) {
      Bytes8 piece;
      if (!piece_of(i, &piece)) continue;
      if (step(DecoderKind::kSentencePiece) != nullptr || step(DecoderKind::kByteFallback) != nullptr) {
        if (byte_of(i, piece) >= 0) {
          i = put_bytes(i);
          ++position;
          continue;
        }
      }
      put(piece, ids_[i], position++, is_last(i));
    }
    lossy_.end();
    out_.end();
  }

 private:
  const Step* step(DecoderKind k) const { return steps_[static_cast<uint32_t>(k)]; }
  // False: the id has no piece, or is left out.
  bool piece_of(size_t i, Bytes8* piece) const {
    const int32_t id = ids_[i];
    if (id < 0 || static_cast<uint32_t>(id) >= t_.header->vocabulary) return false;
    const AddedToken* a = added(id);
    if (a != nullptr && skip_ && (a->flags & kAddedSpecial) != 0) return false;
    *piece = {piece_data(t_, static_cast<uint32_t>(id)), piece_length(t_, static_cast<uint32_t>(id))};
    if (a != nullptr && (a->flags & kAddedDecoded) != 0) *piece = {string_of(t_, a->content), a->content.bytes};
    return piece->size != 0;
  }
  // Null: the id is no added token's.
  const AddedToken* added(int32_t id) const {
    uint32_t low = 0, high = t_.added.size;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const AddedToken& a = t_.added.data[middle];
      if (a.id == id) return &a;
      if (a.id < id)
        low = middle + 1;
      else
        high = middle;
    }
    return nullptr;
  }
  bool is_special(int32_t id) const {
    const AddedToken* a = added(id);
    return a != nullptr && (a->flags & kAddedSpecial) != 0;
  }
  bool is_last(size_t i) const {
    Bytes8 piece;
    for (size_t k = i + 1; k < count_; ++k)
      if (piece_of(k, &piece)) return false;
    return true;
  }
  int byte_of(size_t i, Bytes8 piece) const {
    const int b = byte_of_piece(piece);
    if (b < 0 || step(DecoderKind::kSentencePiece) == nullptr) return b;
    return t_.byte_ids.size == 256 && t_.byte_ids.data[b] == ids_[i] ? b : -1;
  }
  size_t put_bytes(size_t i);
  void put(Bytes8 piece, int32_t id, size_t position, bool last);
  void put_sentencepiece(Bytes8 piece, int32_t id);
  void put_byte_level(Bytes8 piece);
  void put_part(const uint8_t* p, uint32_t bytes);
  void put_replaced(Bytes8 piece, Bytes8 from, Bytes8 to);

  const Tables& t_;
  const int32_t* ids_;
  size_t count_;
  bool skip_;
  TextSink& out_;
  LossyText lossy_;
  const Step* steps_[static_cast<uint32_t>(DecoderKind::kCount)] = {};
  bool letters_ = false;                       // the piece at hand is bytes, and is written as letters
  bool at_begin_ = true, space_seen_ = false;  // SentencePiece: the first space is still to be dropped
};

// A run of bytes: the text that they are, or as many U+FFFD. SentencePiece gives the characters that are whole. The last of the run is given back.
size_t Decoder::put_bytes(size_t i) {
  const bool each = step(DecoderKind::kSentencePiece) != nullptr;
  bool valid = true;
  size_t end = i, bytes = 0;
  for (int pass = 0; pass < 2; ++pass) {
    uint8_t held[4];
    uint32_t n = 0;
    Bytes8 piece;
    size_t k = i;
    for (; k <= count_; ++k) {
      int b = -1;
      if (k < count_) {
        if (!piece_of(k, &piece)) continue;
        b = byte_of(k, piece);
      }
      if (b >= 0) {
        held[n++] = static_cast<uint8_t>(b);
        if (pass == 0) ++bytes, end = k;
      }
      while (n == 4 || (b < 0 && n != 0)) {
        const Character c = foreign_character_spm(held, held + n);
        const bool bad = c.code == kReplacement && !(c.bytes == 3 && held[0] == 0xef);
        valid &= !bad;
        if (pass == 1 && (each || valid)) {
          if (bad)
            out_.put(placed<const uint8_t>("\xef\xbf\xbd"), 3);
          else
            out_.put(held, c.bytes);
        }
        n -= c.bytes;
        memmove(held, held + c.bytes, n);
      }
      if (b < 0) break;
    }
    if (pass == 0 && !each && !valid) break;
  }
  if (!each && !valid)
    for (size_t k = 0; k < bytes; ++k) out_.put(placed<const uint8_t>("\xef\xbf\xbd"), 3);
  return end;
}

// A part of a piece, as the vocabulary's file spells it.
void Decoder::put_part(const uint8_t* p, uint32_t bytes) {
  if (!letters_) return out_.put(p, bytes);
  for (uint32_t i = 0; i < bytes; ++i) {
    uint8_t letter[4];
    out_.put(letter, put_character(letter_of(p[i]), letter));
  }
}

// A piece that has another character than letters is the bytes that it has.
void Decoder::put_byte_level(Bytes8 piece) {
  const uint8_t* end = piece.data + piece.size;
  bool spelled = step(DecoderKind::kByteLevel)->option == 1;
  for (uint32_t pass = 0; pass < 2; ++pass) {
    for (const uint8_t* p = piece.data; spelled && p < end;) {
      const Character c = character_at(p, end);
      const int32_t byte = byte_of_letter(c.code);
      const uint8_t one = static_cast<uint8_t>(byte);
      if (byte < 0)
        spelled = false;
      else if (pass == 1)
        lossy_.put(&one, 1);
      p += c.bytes;
    }
  }
  if (!spelled) lossy_.put(piece.data, piece.size);
}

void Decoder::put_replaced(Bytes8 piece, Bytes8 from, Bytes8 to) {
  for (uint32_t i = 0; i < piece.size;) {
    if (from.size != 0 && from.size <= piece.size - i && memcmp(piece.data + i, from.data, from.size) == 0) {
      out_.put(to.data, to.size);
      i += from.size;
    } else {
      put_part(piece.data + i++, 1);
    }
  }
}

void Decoder::put_sentencepiece(Bytes8 piece, int32_t id) {
  const Step& s = *step(DecoderKind::kSentencePiece);
  const Bytes8 space{placed<const uint8_t>("\xe2\x96\x81"), 3};
  if (space_seen_ || !out_.empty()) at_begin_ = false;
  space_seen_ = false;
  if (id == t_.header->unknown) {
    out_.put(string_of(t_, s.a), s.a.bytes);
    return;
  }
  if (is_special(id)) return;
  if (at_begin_ && (s.option & (kAddDummyPrefix | kRemoveExtraSpaces)) != 0 &&
      starts_with(piece.data, piece.size, "\xe2\x96\x81")) {
    piece = {piece.data + 3, piece.size - 3};
    space_seen_ = (s.option & kRemoveExtraSpaces) == 0;
  }
  const uint8_t plain = ' ';
  put_replaced(piece, space, {&plain, 1});
}

void Decoder::put(Bytes8 piece, int32_t id, size_t position, bool last) {
  const uint8_t plain = ' ';
  letters_ = step(DecoderKind::kLetters) != nullptr;
  if (const AddedToken* a = letters_ ? added(id) : nullptr)
    piece = {string_of(t_, a->content), a->content.bytes}, letters_ = false;
  if (step(DecoderKind::kSentencePiece) != nullptr) {
    put_sentencepiece(piece, id);
  } else if (step(DecoderKind::kByteLevel) != nullptr) {
    put_byte_level(piece);
  } else if (const Step* word = step(DecoderKind::kWordPiece)) {
    const Bytes8 prefix{string_of(t_, word->a), word->a.bytes};
    if (position != 0 && prefix.size <= piece.size && memcmp(piece.data, prefix.data, prefix.size) == 0) {
      piece = {piece.data + prefix.size, piece.size - prefix.size};
    } else if (position != 0 && !(word->option == 1 && joins_left(piece.data, piece.size))) {
      out_.put(&plain, 1);
    }
    put_part(piece.data, piece.size);
  } else if (const Step* meta = step(DecoderKind::kMetaspace)) {
    put_replaced(piece, {string_of(t_, meta->a), meta->a.bytes},
                 {&plain, position == 0 && (meta->option & 3) != kPrependNever ? 0u : 1u});
  } else if (const Step* suffix = step(DecoderKind::kBpeSuffix)) {
    put_replaced(piece, {string_of(t_, suffix->a), suffix->a.bytes}, {&plain, last ? 0u : 1u});
  } else if (const Step* replace = step(DecoderKind::kReplace)) {
    put_replaced(piece, {string_of(t_, replace->a), replace->a.bytes}, {string_of(t_, replace->b), replace->b.bytes});
  } else {
    if (step(DecoderKind::kJoin) != nullptr && position != 0) out_.put(&plain, 1);
    put_part(piece.data, piece.size);
  }
}

}  // namespace

}  // namespace ert::text

ert_status ert_text_decode(const ert_text* text, const int32_t* ids, size_t count, int skip_special, char* out, size_t capacity,
                           size_t* bytes) {
  using namespace ert::text;
  const Tables* t = tables_of(text);
  if (t == nullptr || bytes == nullptr || (ids == nullptr && count != 0) || (out == nullptr && capacity != 0)) return ERT_ERR_ARG;
  TextSink sink(placed<uint8_t>(out), capacity);
  Decoder(*t, ids, count, skip_special != 0, sink).run();
  *bytes = sink.bytes();
  return sink.bytes() <= capacity ? ERT_OK : ERT_ERR_NOMEM;
}

ert_status ert_text_piece(const ert_text* text, int32_t id, const char** piece, size_t* bytes) {
  using namespace ert::text;
  const Tables* t = tables_of(text);
  if (t == nullptr || piece == nullptr || bytes == nullptr || id < 0 || static_cast<uint32_t>(id) >= t->header->vocabulary)
    return ERT_ERR_ARG;
  *bytes = piece_length(*t, static_cast<uint32_t>(id));
  *piece = placed<const char>(piece_data(*t, static_cast<uint32_t>(id)));
  return ERT_OK;
}
