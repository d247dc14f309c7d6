// What the references know of Unicode (generate.py), as sets of code points and mappings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace edgeconv::text {

struct CodeSet {
  std::vector<std::pair<uint32_t, uint32_t>> runs;  // [begin, end)
};

using CodeMap = std::map<uint32_t, std::vector<uint32_t>>;

// In the order of the file.
struct UnicodeData {
  CodeMap canonical;    // full canonical decompositions, without Hangul syllables
  CodeMap compatible;   // full compatibility decompositions where they differ
  CodeMap compositions;  // of each composed character its two parts
  CodeMap combining;    // class, as the only element
  CodeMap lowercase;
  CodeSet strip_accents;    // what StripAccents takes away
  CodeSet bert_marks;       // what BertNormalizer takes away of decomposed text
  CodeSet bert_space;       // what clean_text makes a space
  CodeSet bert_control;     // what clean_text takes away
  CodeSet punctuation;      // of Punctuation and BertPreTokenizer
  CodeSet numeric;          // of Digits
  CodeSet white_space;      // of WhitespaceSplit
  CodeSet word;             // \w of Whitespace
  CodeSet rule_space, rule_letter, rule_number, rule_upper, rule_lower, rule_mark;  // of the expressions of Split
  std::vector<CodeSet> graphemes;  // GraphemeClass 1 and up
};

// Unpacked by its first use.
const UnicodeData& unicode_data();

}  // namespace edgeconv::text
