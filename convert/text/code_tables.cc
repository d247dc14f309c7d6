#include "convert/text/code_tables.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "convert/ir/diagnostics.h"
#include "convert/text/little_endian.h"
#include "convert/text/unicode/unicode_data.h"
#include "rt/text/utf8.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;
using Values = std::vector<uint16_t>;  // of each code point

constexpr uint32_t kCodes = 0x110000;

// Three levels, equal groups once (CodeTableHeader).
std::string packed(const Values& values, uint32_t width) {
  using Group = std::u16string;  // has a hash; ordered maps took most of a tokenizer's conversion to compare groups that begin alike
  std::unordered_map<Group, uint16_t> leaf_index, mid_index;
  std::vector<Group> leaves, mids;
  std::vector<uint16_t> top;
  const auto once = [](auto& index, auto& list, Group group) {
    const auto [it, fresh] = index.try_emplace(group, static_cast<uint16_t>(list.size()));
    if (fresh) list.push_back(std::move(group));
    return it->second;
  };
  uint32_t tops = kCodes / 4096;
  while (tops != 0 && std::all_of(values.begin() + 4096 * (tops - 1), values.begin() + 4096 * tops, [](uint16_t v) { return v == 0; })) --tops;
  for (uint32_t i = 0; i < tops; ++i) {
    Group mid;
    for (uint32_t k = 0; k < 64; ++k) {
      const auto begin = values.begin() + 4096 * i + 64 * k;
      mid.push_back(once(leaf_index, leaves, {begin, begin + 64}));
    }
    top.push_back(once(mid_index, mids, std::move(mid)));
  }
  std::string out;
  put32(out, tops), put32(out, static_cast<uint32_t>(mids.size())), put32(out, static_cast<uint32_t>(leaves.size())), put32(out, width);
  for (const uint16_t v : top) put16(out, v);
  for (const auto& mid : mids)
    for (const uint16_t v : mid) put16(out, v);
  out.resize((out.size() + 3) / 4 * 4, '\0');
  for (const auto& leaf : leaves)
    for (const uint16_t v : leaf) width == 1 ? out.push_back(static_cast<char>(v)) : put16(out, v);
  return out;
}

void add_bits(Values& values, const CodeSet& set, uint16_t bits) {
  for (const auto& [begin, end] : set.runs)
    for (uint32_t c = begin; c < end; ++c) values[c] |= bits;
}

// The classes that steps ask for. A bit has one meaning in a table.
class ClassTable {
 public:
  void claim(Class bit, const CodeSet& set, const char* who) {
    const auto [it, fresh] = claimed_.try_emplace(bit, Claim{&set, who});
    if (fresh || it->second.set->runs == set.runs) return;
    const std::string both = std::string(it->second.who) + " together with " + who;
    if (std::find(conflicts_.begin(), conflicts_.end(), both) == conflicts_.end()) conflicts_.push_back(both);
  }
  const std::vector<std::string>& conflicts() const { return conflicts_; }
  std::string bytes() const {
    if (claimed_.empty()) return {};
    Values values(kCodes, 0);
    for (const auto& [bit, claim] : claimed_) add_bits(values, *claim.set, bit);
    return packed(values, 1);
  }

 private:
  struct Claim {
    const CodeSet* set;
    const char* who;
  };
  std::map<Class, Claim> claimed_;
  std::vector<std::string> conflicts_;
};

void claim_rule(ClassTable& classes, SplitRule rule) {
  const UnicodeData& u = unicode_data();
  if (rule == SplitRule::kText) return;
  classes.claim(kClassSpace, u.rule_space, "a split rule");
  if (rule == SplitRule::kSpaces) return;
  classes.claim(kClassNumber, u.rule_number, "a split rule");
  if (rule == SplitRule::kDigitRuns) return;
  classes.claim(kClassLetter, u.rule_letter, "a split rule");
  if (rule != SplitRule::kO200k && rule != SplitRule::kTekken) return;
  classes.claim(kClassUpper, u.rule_upper, "a split rule that tells capitals");
  classes.claim(kClassWord, u.rule_lower, "a split rule that tells small letters");
  classes.claim(kClassMark, u.rule_mark, "a split rule that tells marks");
}

// `rules`: the table of split rules and of BertNormalizer's marks (kClassBertMark), null if they share `classes`.
void claim_classes(const Tokenizer& t, ClassTable& classes, ClassTable* rules) {
  const UnicodeData& u = unicode_data();
  ClassTable& of_rules = rules ? *rules : classes;
  for (const Step& s : t.normalizer) switch (static_cast<NormalizerKind>(s.kind)) {
      case NormalizerKind::kStripAccents:
        if (s.option == 0)
          classes.claim(kClassMark, u.strip_accents, "StripAccents");
        else if (rules)
          rules->claim(kClassBertMark, u.bert_marks, "BertNormalizer's accents");
        else
          classes.claim(kClassMark, u.bert_marks, "BertNormalizer's accents");
        break;
      case NormalizerKind::kBertClean:
        classes.claim(kClassControl, u.bert_control, "BertNormalizer");
        classes.claim(kClassSpace, u.white_space, "BertNormalizer");
        break;
      case NormalizerKind::kStrip: classes.claim(kClassSpace, u.white_space, "Strip"); break;
      case NormalizerKind::kReplace:
        if (s.option == static_cast<uint32_t>(PatternKind::kWhitespaceRun)) classes.claim(kClassSpace, u.rule_space, "Replace of white space");
        break;
      default: break;
    }
  for (const Step& s : t.pretokenizer) switch (static_cast<PretokenizerKind>(s.kind)) {
      case PretokenizerKind::kBert:
        classes.claim(kClassSpace, u.white_space, "BertPreTokenizer");
        classes.claim(kClassPunctuation, u.punctuation, "BertPreTokenizer");
        break;
      case PretokenizerKind::kWhitespace:
        classes.claim(kClassSpace, u.white_space, "Whitespace");
        classes.claim(kClassWord, u.word, "Whitespace");
        break;
      case PretokenizerKind::kWhitespaceSplit: classes.claim(kClassSpace, u.white_space, "WhitespaceSplit"); break;
      case PretokenizerKind::kDigits: classes.claim(kClassNumeric, u.numeric, "Digits"); break;
      case PretokenizerKind::kPunctuation: classes.claim(kClassPunctuation, u.punctuation, "Punctuation"); break;
      case PretokenizerKind::kByteLevel:
        if ((s.option & 2) != 0) claim_rule(of_rules, SplitRule::kGpt2);
        break;
      case PretokenizerKind::kSplit: claim_rule(of_rules, static_cast<SplitRule>(s.option >> 8)); break;
      default: break;
    }
  for (const AddedToken& a : t.added) {
    if (a.single_word) classes.claim(kClassWord, u.word, "an added token with single_word");
    if (a.lstrip || a.rstrip) classes.claim(kClassSpace, u.white_space, "an added token with lstrip or rstrip");
  }
  if (t.endings.trim != 0) classes.claim(kClassSpace, u.white_space, "trim_offsets");
}

void class_tables(const Tokenizer& t, CodeTables& out) {
  ClassTable together, apart, rules;
  claim_classes(t, together, nullptr);
  if (together.conflicts().empty()) {
    out.classes = together.bytes();
    return;
  }
  claim_classes(t, apart, &rules);
  out.classes = apart.bytes(), out.rule_classes = rules.bytes();
  for (const ClassTable* table : {&apart, &rules}) out.conflicts.insert(out.conflicts.end(), table->conflicts().begin(), table->conflicts().end());
}

// The offset that stands for a mapping, in a table of two bytes.
class Mappings {
 public:
  uint16_t value(const std::vector<uint32_t>& codes) {
    std::string text;
    uint8_t out[4];
    for (const uint32_t c : codes) text.append(reinterpret_cast<char*>(out), ert::text::put_character(c, out));
    const auto [it, fresh] = index_.try_emplace(text, static_cast<uint16_t>(1 + bytes_.size() / 2));
    if (fresh) {
      bytes_.push_back(static_cast<char>(text.size()));
      bytes_ += text;
      if (bytes_.size() % 2 != 0) bytes_.push_back('\0');
    }
    return it->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::map<std::string, uint16_t> index_;
  std::string bytes_;
};

std::string mapped_table(const std::vector<const CodeMap*>& maps, Mappings& mappings) {
  Values values(kCodes, 0);
  for (const CodeMap* m : maps)
    for (const auto& [code, to] : *m) values[code] = mappings.value(to);
  return packed(values, 2);
}

std::string combining_table(bool composes) {
  const UnicodeData& u = unicode_data();
  Values values(kCodes, 0);
  for (const auto& [code, k] : u.combining) values[code] = static_cast<uint16_t>(k[0]);
  if (composes)
    for (const auto& [code, parts] : u.compositions)
      if (values[parts[1]] == 0) values[parts[1]] = 254;
  return packed(values, 1);
}

std::string composition_rows(uint32_t* count) {
  std::vector<std::array<uint32_t, 3>> rows;
  for (const auto& [code, parts] : unicode_data().compositions) rows.push_back({parts[0], parts[1], code});
  std::sort(rows.begin(), rows.end());
  std::string out;
  for (const auto& row : rows)
    for (const uint32_t v : row) put32(out, v);
  *count = static_cast<uint32_t>(rows.size());
  return out;
}

std::string grapheme_table() {
  Values values(kCodes, 0);
  uint16_t k = 0;
  for (const CodeSet& set : unicode_data().graphemes) {
    ++k;
    for (const auto& [begin, end] : set.runs)
      for (uint32_t c = begin; c < end; ++c)
        if (values[c] == 0) values[c] = k;
  }
  return packed(values, 1);
}

// Text that was compatibility normalized has the same canonical form by both tables, also behind steps that only drop characters, put spaces, or
// make them small (tried on every code point): the compatible table does for both then.
bool canonical_after_compatible(const Tokenizer& t) {
  bool compatible = false;
  for (const Step& s : t.normalizer) switch (static_cast<NormalizerKind>(s.kind)) {
      case NormalizerKind::kNfkc:
      case NormalizerKind::kNfkd: compatible = true; break;
      case NormalizerKind::kNfc:
      case NormalizerKind::kNfd:
        if (!compatible) return false;
        break;
      case NormalizerKind::kBertClean:
      case NormalizerKind::kBertChinese:
      case NormalizerKind::kLowercase:
      case NormalizerKind::kStripAccents:
      case NormalizerKind::kStrip: break;
      default: compatible = false;
    }
  return true;
}

}  // namespace

CodeTables code_tables(const Tokenizer& t) {
  const UnicodeData& u = unicode_data();
  CodeTables out;
  Mappings mappings;
  const auto uses = [&t](NormalizerKind k) {
    return std::any_of(t.normalizer.begin(), t.normalizer.end(), [k](const Step& s) { return s.kind == static_cast<uint32_t>(k); });
  };
  const bool canonical = uses(NormalizerKind::kNfc) || uses(NormalizerKind::kNfd), compatible = uses(NormalizerKind::kNfkc) || uses(NormalizerKind::kNfkd);
  class_tables(t, out);
  if (canonical || compatible) {
    const bool composes = uses(NormalizerKind::kNfc) || uses(NormalizerKind::kNfkc);
    const std::vector<const CodeMap*> all = {&u.canonical, &u.compatible};
    const bool both = canonical && compatible && !canonical_after_compatible(t);
    out.decompositions = mapped_table(compatible && !both ? all : std::vector<const CodeMap*>{&u.canonical}, mappings);
    if (both) out.compatible = mapped_table(all, mappings);
    out.combining = combining_table(composes);
    if (composes) out.compositions = composition_rows(&out.composition_count);
  }
  // Answers that differ in case are one.
  if (uses(NormalizerKind::kLowercase) || t.task.kind == TaskKind::kQa) {
    CodeMap lower = u.lowercase;
    for (uint32_t c = 'A'; c <= 'Z'; ++c) lower.erase(c);
    out.lowercase = mapped_table({&lower}, mappings);
  }
  if (uses(NormalizerKind::kPrecompiled)) out.graphemes = grapheme_table();
  out.mappings = mappings.bytes();
  return out;
}

}  // namespace edgeconv::text
