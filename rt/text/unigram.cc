// Unigram: the best way through all pieces that the text can be read as, by the sum of their scores. One node for each end of a piece.
#include "rt/text/double_array.h"
#include "rt/text/encode.h"
#include "rt/text/models.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

constexpr double kUnknownPenalty = 10.0;
constexpr double kMostFloat = 100000.0;

// The best way to here: its score, and how long its last piece is (0: none yet). In the place of a Token, whose alignment a double has not.
struct Node {
  uint8_t score[sizeof(double)];
  uint32_t length;
};
static_assert(sizeof(Node) == sizeof(Token));

class Lattice {
 public:
  Lattice(Encoder& e, size_t begin, size_t end)
      : e_(e),
        t_(*e.tables),
        text_(e.main.text + begin),
        bytes_(static_cast<uint32_t>(end - begin)),
        begin_(begin),
        nodes_(placed<uint8_t>(e.tail())),
        cuts_(e.spare),
        floats_(has(t_, kFloatSums)) {}

  bool encode() {
    for (uint32_t i = 1; i <= bytes_; ++i) set_node(i, 0.0, 0);
    if (!search()) return false;
    memset(cuts_, 0, bytes_);
    for (uint32_t end = bytes_; end != 0;) {
      const uint32_t length = node_length(end);
      if (length == 0 || length > end) return false;
      end -= length;
      cuts_[end] = 1;
    }
    return emit();
  }

 private:
  void set_node(uint32_t end, double score, uint32_t length) {
    uint8_t* n = nodes_ + sizeof(Node) * (end - 1);
    memcpy(n, &score, sizeof score);
    memcpy(n + sizeof score, &length, sizeof length);
  }
  double node_score(uint32_t end) const {
    double s = 0;
    if (end != 0) memcpy(&s, nodes_ + sizeof(Node) * (end - 1), sizeof s);
    return s;
  }
  uint32_t node_length(uint32_t end) const {
    uint32_t n;
    memcpy(&n, nodes_ + sizeof(Node) * (end - 1) + sizeof(double), sizeof n);
    return n;
  }
  void offer(uint32_t end, double score, uint32_t length) {
    if (floats_) score = static_cast<double>(static_cast<float>(score));
    if (node_length(end) != 0 && !(score > node_score(end))) return;
    set_node(end, score, length);
    if (end > frontier_) frontier_ = end;
  }
  // As sentencepiece has it, so that floats stay fine on long words: what is known of ends from `at` on counts from there.
  void reset_scores(uint32_t at) {
    const float from = static_cast<float>(node_score(at));
    for (uint32_t i = at; i <= frontier_; ++i)
      if (node_length(i) != 0) set_node(i, static_cast<double>(static_cast<float>(node_score(i)) - from), node_length(i));
  }
  bool search() {
    double unknown = score_of(t_, t_.header->least) - kUnknownPenalty;
    if (floats_) unknown = static_cast<double>(static_cast<float>(unknown));
    for (uint32_t at = 0; at < bytes_;) {
      const uint32_t character = character_at(text_ + at, text_ + bytes_).bytes;
      if (floats_ && at != 0 && (node_score(at) < -kMostFloat || node_score(at) > kMostFloat)) reset_scores(at);
      const double here = node_score(at);
      bool alone = false;
      DoubleArrayWalk walk(t_.piece_trie);
      for (uint32_t i = at; i < bytes_ && walk.step(text_[i]); ++i) {
        uint32_t id;
        if (!walk.value(&id)) continue;
        if (id >= t_.header->vocabulary) return false;
        offer(i + 1, score_of(t_, id) + here, i + 1 - at);
        alone |= i + 1 - at == character;
      }
      if (!alone) {
        if (t_.header->unknown < 0) return false;
        offer(at + character, unknown + here, character);
      }
      at += character;
    }
    return true;
  }
  int32_t id_of(uint32_t at, uint32_t length) const {
    uint32_t id;
    if (!double_array_find(t_.piece_trie, text_ + at, length, &id) || id >= t_.header->vocabulary) return -1;
    return static_cast<int32_t>(id);
  }
  uint32_t cut_behind(uint32_t at) const {
    do ++at;
    while (at < bytes_ && cuts_[at] == 0);
    return at;
  }
  bool emit();

  Encoder& e_;
  const Tables& t_;
  const uint8_t* text_;
  uint32_t bytes_;
  size_t begin_;
  uint8_t* nodes_;
  uint8_t* cuts_;
  uint32_t frontier_ = 0;  // last end that has a way
  bool floats_;
};

bool Lattice::emit() {
  const int32_t unknown = t_.header->unknown;
  for (uint32_t at = 0; at < bytes_;) {
    uint32_t end = cut_behind(at);
    int32_t id = id_of(at, end - at);
    if ((id < 0 || id == unknown) && has(t_, kFuseUnknown)) {
      // Neighbours without an id are one piece, which may have an id as a whole.
      const uint32_t first = end;
      for (uint32_t next; end < bytes_; end = next) {
        next = cut_behind(end);
        const int32_t other = id_of(end, next - end);
        if (other >= 0 && other != unknown) break;
      }
      if (end != first) id = floats_ ? -1 : id_of(at, end - at);
    }
    if (id >= 0 || !emit_bytes(e_, begin_ + at, begin_ + end, true)) {
      if (id < 0) id = unknown;
      if (id < 0) return false;
      e_.emit(id, begin_ + at, begin_ + end);
      if (id == unknown) trim_by(e_, text_ + at, text_ + end, !has(t_, kPlainSpaces));
    }
    at = end;
  }
  return true;
}

}  // namespace

bool encode_unigram(Encoder& e, size_t begin, size_t end) { return Lattice(e, begin, end).encode(); }

}  // namespace ert::text
