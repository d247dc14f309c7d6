#include "tests/support/text_tables.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

const std::vector<std::string> kPieces = {"[U]", "a", "b", "c", "d", "e", "ab", "##b", "##c", "f",
                                          "g",   "h", "i", "j", "k", "l", "m",  "<m>", "[C]", "[S]"};
constexpr uint32_t kVocabulary = 20;

template <class T>
std::vector<T> filled(size_t n, T value) {
  return std::vector<T>(n, value);
}

// Code points below 64 * leaves - 64 share leaf 1 + their number / 64, all others leaf 0.
std::vector<uint8_t> code_table(const std::map<uint32_t, uint32_t>& values, uint32_t width) {
  const CodeTableHeader h{1, 1, 3, width};
  std::vector<uint16_t> rows(66, 0);
  rows[1] = 1, rows[2] = 2;  // behind the one top
  std::vector<uint8_t> leaves(h.leaves * 64 * width, 0), out(sizeof h + rows.size() * 2 + leaves.size());
  for (const auto& [code, value] : values) {
    const size_t at = (64 + code) * width;
    leaves[at] = static_cast<uint8_t>(value);
    if (width == 2) leaves[at + 1] = static_cast<uint8_t>(value >> 8);
  }
  std::memcpy(out.data(), &h, sizeof h);
  std::memcpy(out.data() + sizeof h, rows.data(), rows.size() * 2);
  std::memcpy(out.data() + sizeof h + rows.size() * 2, leaves.data(), leaves.size());
  return out;
}

// A double array whose keys are single bytes.
std::vector<uint32_t> trie(const std::map<uint8_t, uint32_t>& keys) {
  std::vector<uint32_t> units(1024, 0);
  units[0] = 256u << 10;
  for (const auto& [byte, value] : keys) {
    units[256u ^ byte] = byte | 1u << 8 | 512u << 10;
    units[768u ^ byte] = value | 1u << 31;
  }
  return units;
}

template <class Id>
void put_lookups(TextTables* t, const std::vector<std::string>& pieces) {
  std::vector<Id> index(64, 0);
  for (uint32_t id = 0; id < kVocabulary; ++id) {
    uint32_t h = kHashStart;
    for (const char c : pieces[id]) h = hash_byte(h, static_cast<uint8_t>(c));
    uint32_t slot = hash_slot(hash_end(h), 64);
    while (index[slot] != 0) slot = (slot + 1) % 64;
    index[slot] = static_cast<Id>(id + 1);
  }
  t->put(K::kPieceIndex, index);
  struct Merge {
    Id left, right, rank;
  };
  std::vector<Merge> merges(8, {static_cast<Id>(~Id{0}), 0, 0});
  merges[hash_slot(hash_pair(1, 2), 8)] = {1, 2, 0};
  t->put(K::kMerges, merges);
  t->put(K::kMergeResults, std::vector<Id>{6});
}

}  // namespace

void put_pieces(TextTables* t, const std::vector<std::string>& pieces) {
  std::vector<uint8_t> bytes, lengths;
  std::vector<uint16_t> wide_lengths;
  std::vector<uint32_t> blocks;
  for (uint32_t i = 0; i < kVocabulary; ++i) {
    const std::string& p = pieces.at(i);
    if (i % kPiecesPerBlock == 0) blocks.push_back(static_cast<uint32_t>(bytes.size()));
    bytes.insert(bytes.end(), p.begin(), p.end());
    lengths.push_back(static_cast<uint8_t>(p.size()));
    wide_lengths.push_back(static_cast<uint16_t>(p.size()));
  }
  t->put(K::kPieces, bytes);
  t->put(K::kPieceBlocks, blocks);
  if ((t->header.flags & kWideIds) != 0) {
    t->put(K::kPieceLengths, wide_lengths);
    put_lookups<uint32_t>(t, pieces);
  } else {
    t->put(K::kPieceLengths, lengths);
    put_lookups<uint16_t>(t, pieces);
  }
}

TextTables small_tables(uint32_t kind, TaskKind task, bool wide) {
  TextTables t;
  t.header = {kTablesMagic,
              kTablesVersion,
              0,
              0,
              kind,
              wide ? kWideIds | kWideLengths | kDoubleScores : 0u,
              kVocabulary,
              12,
              4,
              0,
              3,
              100,
              0,
              {0, 0, 0}};
  const std::string strings = "##</w>It is {}.<m>xyz";
  t.put(K::kStrings, std::vector<uint8_t>(strings.begin(), strings.end()));
  put_pieces(&t, kPieces);
  t.put(K::kScores, filled(kVocabulary, -1.0f));
  if (wide) {
    t.put(K::kScores, filled(kVocabulary, -1.0));
    t.put(K::kRuleClasses, code_table({{'a', kClassLetter}, {'^', kClassBertMark}}, 1));
    t.put(K::kCompatible, code_table({{'B', 2}}, 2));
  }
  t.put(K::kPieceTrie, trie({{'a', 1}, {'b', 2}, {'c', 3}, {'d', 4}, {'e', 5}}));
  t.put(K::kByteIds, filled(256, int32_t{5}));
  t.put(K::kNormalizer, std::vector<Step>{{static_cast<uint32_t>(NormalizerKind::kNfc), 0, {0, 0}, {0, 0}},
                                          {static_cast<uint32_t>(NormalizerKind::kLowercase), 0, {0, 0}, {0, 0}}});
  t.put(K::kPretokenizer, std::vector<Step>{{static_cast<uint32_t>(PretokenizerKind::kWhitespaceSplit), 0, {0, 0}, {0, 0}}});
  t.put(K::kDecoder, std::vector<Step>{{static_cast<uint32_t>(DecoderKind::kWordPiece), 1, {0, 2}, {0, 0}}});
  t.put(K::kAddedTokens, std::vector<AddedToken>{{17, {15, 3}, 0}, {18, {18, 1}, kAddedSpecial}});
  t.put(K::kAddedTrie, trie({{'<', 0}}));
  t.put(K::kAddedNormalizedTrie, trie({{'x', 1}}));
  t.put(K::kTemplate,
        std::vector<TemplatePiece>{{0, 18, 0}, {1, 0, 0}, {0, 19, 0}, {0, 18, 0}, {1, 0, 0}, {0, 19, 0}, {2, 0, 1}, {0, 19, 1}});
  t.put(K::kEnding, std::vector<Ending>{{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 2}, {2, 4}, {18, 3}}});
  t.put(K::kClasses,
        code_table({{' ', kClassSpace}, {'.', kClassPunctuation}, {'a', kClassWord | kClassLetter}, {'1', kClassNumber}}, 1));
  t.put(K::kDecompositions, code_table({{'B', 1}}, 2));
  t.put(K::kCombining, code_table({{'^', 230}}, 1));
  t.put(K::kCompositions, std::vector<Composition>{{'a', '^', 'c'}});
  t.put(K::kLowercase, code_table({{'A', 2}, {'B', 1}}, 2));
  t.put(K::kMappings, std::vector<uint8_t>{1, 'b', 1, 'a'});
  t.put(K::kCharsmapTrie, trie({{'A', 0}}));
  t.put(K::kCharsmapStrings, std::vector<uint8_t>{'a', 0});
  t.put(K::kGraphemes, code_table({{'\r', kCr}, {'\n', kLf}}, 1));
  if (kind == ERT_TEXT_NGRAM) t.put(K::kNgrams, std::vector<NgramTable>{{kVocabulary, 12, 2, 1, 5, {0, 0, 0}}});
  t.put(K::kTask, std::vector<Task>{{static_cast<uint32_t>(task), 1, 0, 0, 0, 2, {6, 9}, {1, 0, 0, 0}, {0, 0, 0, 0}}});
  t.put(K::kLabels, std::vector<Text>{{18, 1}, {19, 1}, {20, 1}});
  return t;
}

std::vector<uint8_t> TextTables::build() const {
  std::vector<Section> rows;
  size_t at = sizeof header + sections.size() * sizeof(Section);
  std::vector<uint8_t> out(at);
  for (const auto& [kind, content] : sections) {
    out.resize((out.size() + 7) / 8 * 8);
    rows.push_back({static_cast<uint32_t>(kind), static_cast<uint32_t>(out.size()), static_cast<uint32_t>(content.bytes.size()),
                    content.count});
    out.insert(out.end(), content.bytes.begin(), content.bytes.end());
  }
  TablesHeader h = header;
  h.bytes = static_cast<uint32_t>(out.size());
  h.sections = static_cast<uint32_t>(rows.size());
  std::memcpy(out.data(), &h, sizeof h);
  if (!rows.empty()) std::memcpy(out.data() + sizeof h, rows.data(), rows.size() * sizeof(Section));
  return out;
}

}  // namespace ert::testing
