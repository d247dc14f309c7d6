// Byte pair encoding: by merges of ids, as Hugging Face has it, or by the scores of what neighbours spell together, as SentencePiece has it.
#include "rt/base/small_code.h"
#include "rt/text/double_array.h"
#include "rt/text/linked.h"
#include "rt/text/merge_order.h"
#include "rt/text/models.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

constexpr int32_t kFrozen = -2;  // a user defined symbol, which never merges

class Word {
 public:
  Word(Encoder& e, size_t begin, size_t end)
      : e_(e),
        t_(*e.tables),
        text_(e.main.text + begin),
        bytes_(static_cast<uint32_t>(end - begin)),
        symbols_(e.tail()),
        begin_(begin) {}

  bool encode() {
    if (has(t_, kIgnoreMerges) && bytes_ <= t_.header->longest) {
      const int32_t id = find_piece(t_, text_, bytes_);
      if (id >= 0) {
        e_.emit(id, begin_, begin_ + bytes_);
        return true;
      }
    }
    if (!kCodeIsSmall && t_.whole_pieces.size != 0 && bytes_ <= t_.header->longest) {
      const int32_t id = id_at(0, bytes_);
      if (id >= 0 && is_whole(t_, static_cast<uint32_t>(id))) {
        e_.emit(id, begin_, begin_ + bytes_);
        return true;
      }
    }
    if (spm())
      split_symbols();
    else
      split();
    merge();
    if (spm()) return emit_pieces();
    emit_ids();
    return true;
  }

 private:
  // A build with one of both kinds links nothing of the other.
  bool spm() const {
    if constexpr (!linked_kind(ERT_TEXT_SENTENCEPIECE_BPE)) return false;
    if constexpr (!linked_kind(ERT_TEXT_BPE)) return true;
    return t_.header->kind == ERT_TEXT_SENTENCEPIECE_BPE;
  }
  void add(int32_t id, uint32_t bytes) {
    symbols_[size_] = {id, bytes, kNoRank};
    for (uint32_t i = 1; i < bytes; ++i) symbols_[size_ + i].end = kNoRank;
    symbols_[size_ + bytes - 1].start = bytes;
    size_ += bytes;
  }
  // The piece of these bytes of the word, with the affixes that belong there, or -1.
  int32_t id_at(uint32_t at, uint32_t bytes) const {
    Bytes8 prefix, suffix;
    if (at != 0 && has(t_, kHasPrefix)) prefix = {string_of(t_, t_.ending->prefix), t_.ending->prefix.bytes};
    if (at + bytes == bytes_ && has(t_, kHasSuffix)) suffix = {string_of(t_, t_.ending->suffix), t_.ending->suffix.bytes};
    uint32_t h = hash_bytes(kHashStart, prefix.data, prefix.size);
    h = hash_bytes(h, text_ + at, bytes);
    h = hash_bytes(h, suffix.data, suffix.size);
    return find_piece(t_, h, prefix, text_ + at, bytes, suffix);
  }
  void split();
  void split_symbols();
  void put_or_wait(int32_t id, uint32_t at, uint32_t bytes);
  void put_waiting() {
    if (waiting_ != 0) add(t_.header->unknown, waiting_);
    waiting_ = 0;
  }
  uint32_t rank(uint32_t left, uint32_t right) const;
  void merge();
  void emit_ids();
  bool emit_pieces();

  Encoder& e_;
  const Tables& t_;
  const uint8_t* text_;
  uint32_t bytes_;
  Token* symbols_;
  size_t begin_;
  uint32_t size_ = 0;     // bytes of symbols; less than bytes_ where characters without id were left out, as the reference does
  uint32_t waiting_ = 0;  // bytes of an unknown symbol that may still grow
};

// A character with its id, or without.
void Word::put_or_wait(int32_t id, uint32_t at, uint32_t bytes) {
  if (id >= 0) {
    put_waiting();
    add(id, bytes);
    return;
  }
  if (has(t_, kByteFallback) && t_.byte_ids.size == 256) {
    bool all = true;
    for (uint32_t i = 0; i < bytes; ++i) all &= t_.byte_ids.data[text_[at + i]] >= 0;
    if (all) {
      for (uint32_t i = 0; i < bytes; ++i) add(t_.byte_ids.data[text_[at + i]], 1);
      return;
    }
  }
  if (t_.header->unknown < 0) return;
  if (!has(t_, kFuseUnknown)) put_waiting();
  waiting_ += bytes;
}

// Into bytes, whose ids are in a table where no affix belongs to them, or into characters.
void Word::split() {
  const bool bytes = has(t_, kByteLevel);
  for (uint32_t i = 0; i < bytes_;) {
    const uint32_t n = bytes ? 1 : character_at(text_ + i, text_ + bytes_).bytes;
    const bool plain = bytes && !has(t_, kHasPrefix) && !(has(t_, kHasSuffix) && i + 1 == bytes_);
    put_or_wait(plain ? t_.byte_ids.data[text_[i]] : id_at(i, n), i, n);
    i += n;
  }
  put_waiting();
}

void Word::split_symbols() {
  for (uint32_t i = 0; i < bytes_;) {
    uint32_t longest = 0, value;
    DoubleArrayWalk walk(t_.added_trie);
    for (uint32_t k = i; k < bytes_ && walk.step(text_[k]); ++k)
      if (walk.value(&value)) longest = k + 1 - i;
    if (longest != 0)
      add(kFrozen, longest);
    else
      add(0, character_at(text_ + i, text_ + bytes_).bytes);
    i += symbols_[i].start;
  }
}

// Larger scores first.
uint32_t rank_of_score(float score) {
  uint32_t bits;
  memcpy(&bits, &score, sizeof bits);
  return (bits >> 31) != 0 ? bits & 0x7fffffffu : ~bits & 0x7fffffffu;
}

uint32_t Word::rank(uint32_t left, uint32_t right) const {
  const Token& a = symbols_[left];
  const Token& b = symbols_[right];
  if (!spm()) return find_merge(t_, static_cast<uint32_t>(a.id), static_cast<uint32_t>(b.id));
  if (a.id == kFrozen || b.id == kFrozen || a.start + b.start > t_.header->longest) return kNoRank;
  const int32_t id = find_piece(t_, text_ + left, a.start + b.start);
  if (id < 0 || t_.scores == nullptr) return kNoRank;
  const float score = static_cast<float>(score_of(t_, static_cast<uint32_t>(id)));
  return score < 0 ? rank_of_score(score) | 0x80000000u : rank_of_score(score);
}

void Word::merge() {
  for (uint32_t i = 0; i < size_;) {
    const uint32_t next = i + symbols_[i].start;
    if (next < size_) symbols_[i].end = rank(i, next);
    i = next;
  }
  if (size_ == 0) return;
  MergeOrder order(symbols_, size_, placed<uint32_t>(e_.spare));
  for (;;) {
    const uint32_t at = order.first();
    if (symbols_[at].end == kNoRank) return;
    const uint32_t right = at + symbols_[at].start;
    const uint32_t bytes = symbols_[at].start + symbols_[right].start;
    symbols_[right].end = kNoRank;
    if (!spm()) symbols_[at].id = static_cast<int32_t>(merge_result(t_, symbols_[at].end));
    symbols_[at].start = bytes;
    symbols_[at + bytes - 1].start = bytes;
    const uint32_t next = at + bytes;
    symbols_[at].end = next < size_ ? rank(at, next) : kNoRank;
    order.changed(right);
    order.changed(at);
    if (at != 0) {
      const uint32_t left = at - symbols_[at - 1].start;
      symbols_[left].end = rank(left, at);
      order.changed(left);
    }
  }
}

void Word::emit_ids() {
  for (uint32_t i = 0; i < size_;) {
    const uint32_t n = symbols_[i].start;
    e_.emit(symbols_[i].id, begin_ + i, begin_ + i + n);
    i += n;
  }
}

bool Word::emit_pieces() {
  bool after_unknown = false;
  for (uint32_t i = 0; i < size_;) {
    const uint32_t n = symbols_[i].start;
    const int32_t id = n > t_.header->longest ? -1 : find_piece(t_, text_ + i, n);
    if (id >= 0) {
      e_.emit(id, begin_ + i, begin_ + i + n);
    } else if (!emit_bytes(e_, begin_ + i, begin_ + i + n, true)) {
      if (t_.header->unknown < 0) return false;
      if (after_unknown)
        e_.tokens[e_.token_count - 1].end = e_.main.spans[begin_ + i + n - 1].end;
      else
        e_.emit(t_.header->unknown, begin_ + i, begin_ + i + n);
    }
    after_unknown = id < 0;
    i += n;
  }
  return true;
}

}  // namespace

// Word by word where nothing joins words: the search for the next merge looks at a few symbols then, and not at a line.
bool encode_bpe(Encoder& e, size_t begin, size_t end) {
  const uint8_t* text = e.main.text;
  while (kWordsMayBeApart && e.tables->words_are_apart != 0 && begin < end) {
    size_t at = begin;
    while (const uint32_t mark = word_mark(*e.tables, text + at, end - at)) at += mark;
    while (at < end && word_mark(*e.tables, text + at, end - at) == 0) ++at;
    if (!Word(e, begin, at).encode()) return false;
    begin = at;
  }
  return begin == end || Word(e, begin, end).encode();
}

bool emit_bytes(Encoder& e, size_t begin, size_t end, bool whole_span) {
  const Tables& t = *e.tables;
  if (!has(t, kByteFallback) || t.byte_ids.size != 256) return false;
  for (size_t i = begin; i < end; ++i)
    if (t.byte_ids.data[e.main.text[i]] < 0) return false;
  for (size_t i = begin; i < end; ++i) {
    const int32_t id = t.byte_ids.data[e.main.text[i]];
    if (whole_span)
      e.emit(id, begin, end);
    else
      e.emit(id, i, i + 1);
  }
  return true;
}

}  // namespace ert::text
