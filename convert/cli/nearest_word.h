// The word that somebody meant who typed another one. In a header, and in C++17, because ert-bench asks as well and does not link the converter.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace edgeconv::cli {

// Letters inserted, left out, replaced or swapped with their neighbour; case does not count.
inline size_t typing_distance(const std::string& a, const std::string& b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// The candidate that is nearest, of equal ones the first; empty where none is near: a guess that shares little with the word misleads.
// A candidate that begins with the word, or is contained in it, is near whatever its length.
inline std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t least = word.size() <= 3 ? 2 : 1 + std::min<size_t>(word.size() / 2, 4);
  constexpr size_t kLongest = 64;  // no word of a command line is: a longer one costs memory for nothing
  if (word.empty() || word.size() > kLongest) return best;
  for (const std::string& c : candidates) {
    size_t distance = typing_distance(word, c);
    if (word.size() >= 3 && (c.compare(0, word.size(), word) == 0 || (c.size() >= 3 && word.find(c) != std::string::npos)))
      distance = std::min<size_t>(distance, 1);
    if (distance < least) least = distance, best = c;
  }
  return best;
}

}  // namespace edgeconv::cli
