#include "convert/text/hash_tables.h"

#include <cstring>
#include <map>

#include "convert/ir/diagnostics.h"
#include "convert/text/little_endian.h"
#include "convert/text/plain_spaces.h"
#include "rt/text/format.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;

// Places of hashes in a table that is as full as linear probing likes; larger if one would lie too far from its place. Empty places are UINT32_MAX.
std::vector<uint32_t> placed(const std::vector<uint32_t>& hashes, double fullness) {
  // Hashes that somebody chose to be alike fit into no table.
  const size_t most = 4 * hashes.size() + 4096;
  for (size_t slots = static_cast<size_t>(static_cast<double>(hashes.size()) / fullness) + 8; slots < most; slots += slots / 64 + 1) {
    std::vector<uint32_t> table(slots, UINT32_MAX);
    bool fits = true;
    for (size_t i = 0; fits && i < hashes.size(); ++i) {
      uint32_t slot = hash_slot(hashes[i], static_cast<uint32_t>(slots)), probe = 0;
      for (; probe < kMostProbes && table[slot] != UINT32_MAX; ++probe) slot = slot + 1 == slots ? 0 : slot + 1;
      fits = probe < kMostProbes;
      if (fits) table[slot] = static_cast<uint32_t>(i);
    }
    if (fits) return table;
  }
  throw FatalError(ExitCode::kLimit, "the tokenizer's pieces or merges have too many equal hashes for a table");
}

}  // namespace

HashTable piece_index(const Tokenizer& t, bool wide) {
  std::map<std::string, uint32_t> last;  // of equal pieces
  for (uint32_t i = 0; i < t.vocabulary(); ++i)
    if (t.found[i]) last[piece_in_text(t, t.pieces[i])] = i;
  std::vector<uint32_t> hashes, ids;
  for (const auto& [piece, id] : last) {
    uint32_t h = kHashStart;
    for (const char c : piece) h = hash_byte(h, static_cast<uint8_t>(c));
    hashes.push_back(hash_end(h)), ids.push_back(id);
  }
  HashTable out;
  // SentencePiece's BPE asks for what every two neighbours spell together, and most of it is no piece.
  for (const uint32_t i : placed(hashes, t.kind == ERT_TEXT_SENTENCEPIECE_BPE ? 0.45 : 0.7)) {
    const uint32_t entry = i == UINT32_MAX ? 0 : ids[i] + 1;
    wide ? put32(out.bytes, entry) : put16(out.bytes, entry);
    ++out.slots;
  }
  return out;
}

HashTable merge_table(const Tokenizer& t, bool wide) {
  std::map<std::pair<uint32_t, uint32_t>, const Merge*> last;  // of equal pairs
  for (const Merge& m : t.merges) last[{m.left, m.right}] = &m;
  std::vector<uint32_t> hashes;
  std::vector<const Merge*> merges;
  for (const auto& [pair, m] : last) hashes.push_back(hash_pair(m->left, m->right)), merges.push_back(m);
  HashTable out;
  const auto put = [&out, wide](uint32_t v) { wide ? put32(out.bytes, v) : put16(out.bytes, v); };
  // Most pairs of neighbours are no merge, and what is not there takes many steps in a fuller table.
  for (const uint32_t i : placed(hashes, 0.5)) {
    const Merge m = i == UINT32_MAX ? Merge{wide ? UINT32_MAX : UINT16_MAX, 0, 0, 0} : *merges[i];
    put(m.left), put(m.right), put(m.rank);
    ++out.slots;
  }
  return out;
}

std::string merge_results(const Tokenizer& t, bool wide) {
  std::vector<uint32_t> results;
  for (const Merge& m : t.merges) {
    if (results.size() <= m.rank) results.resize(m.rank + 1);
    results[m.rank] = m.result;
  }
  std::string out;
  for (const uint32_t r : results) wide ? put32(out, r) : put16(out, r);
  return out;
}

std::string score_bytes(const std::vector<double>& scores, bool wide) {
  std::string out;
  for (const double s : scores) {
    const float f = static_cast<float>(s);
    uint64_t bits = 0;
    if (wide)
      std::memcpy(&bits, &s, sizeof s);
    else
      std::memcpy(&bits, &f, sizeof f);
    put32(out, static_cast<uint32_t>(bits));
    if (wide) put32(out, static_cast<uint32_t>(bits >> 32));
  }
  return out;
}

}  // namespace edgeconv::text
