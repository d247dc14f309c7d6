// Vocabularies without a tokenizer.json: BERT's vocab.txt, GPT-2's vocab.json with merges.txt.
#include <sstream>

#include "convert/text/components.h"
#include "convert/text/read_tokenizer.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;

void add_special(Tokenizer& t, const Vocabulary& v, const char* piece) {
  const auto it = v.find(piece);
  if (it == v.end()) return;
  AddedToken a;
  a.id = it->second, a.content = piece, a.special = true;
  t.added.push_back(a);
  std::sort(t.added.begin(), t.added.end(), [](const AddedToken& x, const AddedToken& y) { return x.id < y.id; });
}

}  // namespace

// As BertTokenizer makes it: BertNormalizer, BertPreTokenizer, [CLS] and [SEP].
Tokenizer read_vocab_txt(const std::string& contents, const std::string& name, bool lowercase) {
  Tokenizer t;
  Vocabulary v;
  t.kind = ERT_TEXT_WORDPIECE;
  std::istringstream lines(contents);
  std::string line;
  for (int32_t id = 0; std::getline(lines, line); ++id) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > kLongestPiece) throw FatalError(ExitCode::kMalformed, "'" + name + "': line " + std::to_string(id + 1) + " is longer than any piece");
    t.piece(id) = line;
    v[line] = id;
  }
  for (const auto& [piece, id] : v) t.found[static_cast<size_t>(id)] = !piece.empty();
  for (const char* piece : {"[UNK]", "[CLS]", "[SEP]"})
    if (v.count(piece) == 0) throw FatalError(ExitCode::kMalformed, "'" + name + "' has no " + piece + ": it is no vocabulary of BERT");
  t.unknown = v["[UNK]"], t.prefix = "##", t.flags = kHasPrefix, t.max_characters = 100;
  const auto step = [](auto kind, uint32_t option = 0, std::string a = {}) { return Step{static_cast<uint32_t>(kind), option, std::move(a), {}}; };
  t.normalizer = {step(NormalizerKind::kBertClean), step(NormalizerKind::kBertChinese)};
  if (lowercase)
    for (const Step& s : {step(NormalizerKind::kNfd), step(NormalizerKind::kStripAccents, 1), step(NormalizerKind::kLowercase)}) t.normalizer.push_back(s);
  t.pretokenizer = {step(PretokenizerKind::kBert)};
  t.decoder = {step(DecoderKind::kWordPiece, 1, "##")};
  for (const char* piece : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) add_special(t, v, piece);
  const int32_t cls = v["[CLS]"], sep = v["[SEP]"];
  t.endings.single = {{0, cls, 0}, {1, 0, 0}, {0, sep, 0}};
  t.endings.pair = {{0, cls, 0}, {1, 0, 0}, {0, sep, 0}, {2, 0, 1}, {0, sep, 1}};
  if (v.count("[PAD]") != 0) t.endings.pad_id = v["[PAD]"];
  return t;
}

// As GPT2Tokenizer makes it: byte-level, without special tokens around texts. RoBERTa's are told by its <s> and </s>.
Tokenizer read_vocab_and_merges(const std::string& vocab, const std::string& merges, const std::string& name) {
  const JsonTree tree = parse_tree(vocab, name);
  Unknowns unknowns;
  const JsonPlace p(tree, name, "$", unknowns);
  if (!tree.is_object()) p.malformed("is not an object");
  Tokenizer t;
  Vocabulary v;
  t.kind = ERT_TEXT_BPE, t.flags = kByteLevel;
  for (const auto& [piece, id] : tree.items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > (1u << 24)) p.malformed("has no id for '" + printable(piece) + "'");
    v[piece] = id.get<int32_t>();
  }
  take_bpe_pieces(t, v);
  std::istringstream lines(merges);
  std::string line;
  uint32_t rank = 0;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || (number == 1 && line.rfind("#version", 0) == 0)) continue;
    const size_t space = line.find(' ');
    const std::string wrong = space == std::string::npos || line.find(' ', space + 1) != std::string::npos
                                  ? "is not two pieces with a space between them"
                                  : add_merge(t, v, line.substr(0, space), line.substr(space + 1), rank++);
    if (!wrong.empty()) throw FatalError(ExitCode::kMalformed, "merges.txt beside '" + name + "': line " + std::to_string(number) + " " + wrong);
  }
  const bool roberta = v.count("<s>") != 0 && v.count("</s>") != 0;
  t.pretokenizer = {{static_cast<uint32_t>(PretokenizerKind::kByteLevel), 2, {}, {}}};
  t.decoder = {{static_cast<uint32_t>(DecoderKind::kByteLevel), 0, {}, {}}};
  for (const char* piece : {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"}) add_special(t, v, piece);
  for (AddedToken& a : t.added) a.lstrip = a.content == "<mask>";
  t.endings.single = {{1, 0, 0}}, t.endings.pair = {{1, 0, 0}, {2, 0, 1}};
  if (roberta) {
    const int32_t cls = v["<s>"], sep = v["</s>"];
    t.endings.single = {{0, cls, 0}, {1, 0, 0}, {0, sep, 0}};
    t.endings.pair = {{0, cls, 0}, {1, 0, 0}, {0, sep, 0}, {0, sep, 0}, {2, 0, 0}, {0, sep, 0}};
    t.endings.trim = 1;
    if (v.count("<pad>") != 0) t.endings.pad_id = v["<pad>"];
  }
  return t;
}

}  // namespace edgeconv::text
