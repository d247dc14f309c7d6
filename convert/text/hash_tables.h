// The hash tables of a tokenizer's pieces and merges (rt/text/format.h).
#pragma once

#include <string>
#include <vector>

#include "convert/text/tokenizer.h"

namespace edgeconv::text {

struct HashTable {
  std::string bytes;
  uint32_t slots = 0;
};

HashTable piece_index(const Tokenizer& t, bool wide);
HashTable merge_table(const Tokenizer& t, bool wide);
// What each rank becomes.
std::string merge_results(const Tokenizer& t, bool wide);

// Scores as float or double.
std::string score_bytes(const std::vector<double>& scores, bool wide);

}  // namespace edgeconv::text
