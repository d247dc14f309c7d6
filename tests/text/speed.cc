// text_speed TOKENIZER < LINES: how long the lines take to become ids, offsets included, by the device's code on one thread. Prints seconds of the
// fastest of three passes, tokens, and what the tables and the working memory of the longest line take.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string tables = edgeconv::text::table_bytes(edgeconv::text::read_tokenizer(argv[1]));
  edgeconv::text::TextRunner runner(tables);
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  size_t longest = 0, bytes = 0;
  for (const std::string& l : lines) longest = std::max(longest, l.size()), bytes += l.size();
  size_t need = 0;
  if (ert_text_bytes(&runner.tables(), longest, 0, &need) != ERT_OK) return 1;
  std::vector<uint64_t> work(need / 8 + 1);
  std::vector<int32_t> ids(16 * longest + 16), types(ids.size()), attention(ids.size()), special(ids.size());
  std::vector<ert_span> offsets(ids.size());
  ert_text_options options{};
  options.struct_size = sizeof options;
  options.flags = ERT_TEXT_NO_TRUNCATION | ERT_TEXT_NO_PADDING;
  double best = 1e9;
  size_t tokens = 0;
  for (int pass = 0; pass < 3; ++pass) {
    tokens = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& l : lines) {
      ert_encoding e{};
      e.struct_size = sizeof e;
      e.capacity = static_cast<uint32_t>(ids.size());
      e.ids = ids.data(), e.type_ids = types.data(), e.attention = attention.data(), e.special = special.data(), e.offsets = offsets.data();
      if (ert_text_encode(&runner.tables(), &options, l.data(), l.size(), nullptr, 0, work.data(), 8 * work.size(), &e) != ERT_OK) return 1;
      tokens += e.tokens;
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%.6f %zu %zu %zu %zu\n", best, tokens, bytes, tables.size(), need);
  return 0;
}
