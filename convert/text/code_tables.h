// The Unicode tables of a tokenizer: of what its steps ask for, and no more.
#pragma once

#include <string>
#include <vector>

#include "convert/text/tokenizer.h"

namespace edgeconv::text {

struct CodeTables {
  std::string classes, rule_classes, decompositions, compatible, combining, compositions, lowercase, mappings, graphemes;  // sections; empty: not needed
  uint32_t composition_count = 0;
  std::vector<std::string> conflicts;  // components whose tables exclude each other; then the tables are of no use
};

CodeTables code_tables(const Tokenizer& t);

}  // namespace edgeconv::text
