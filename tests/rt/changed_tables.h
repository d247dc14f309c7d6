// Tables of a tokenizer with something changed: what ert_text_open_tables says of them, and what they encode.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/text_tables.h"

namespace ert::testing {

// In memory that ends where the tables end.
inline ert_status open_bytes(const std::vector<uint8_t>& bytes) {
  const auto memory = std::make_unique<uint64_t[]>((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  ert_text t;
  return ert_text_open_tables(&t, memory.get(), bytes.size());
}

using TablesChange = std::function<void(TextTables&)>;
inline ert_status open_changed(uint32_t kind, bool wide, const TablesChange& change) {
  TextTables t = small_tables(kind, text::TaskKind::kEmbed, wide);
  change(t);
  return open_bytes(t.build());
}

inline std::vector<int32_t> encoded(const TextTables& t, const std::string& line) {
  const std::vector<uint8_t> bytes = t.build();
  std::vector<uint64_t> memory((bytes.size() + 7) / 8), work;
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  ert_text text;
  EXPECT_EQ(ert_text_open_tables(&text, memory.data(), bytes.size()), ERT_OK);
  size_t need = 0;
  EXPECT_EQ(ert_text_bytes(&text, line.size(), 0, &need), ERT_OK);
  work.resize((need + 7) / 8);
  std::vector<int32_t> ids(16);
  ert_encoding e{};
  e.struct_size = sizeof e, e.capacity = 16, e.ids = ids.data();
  EXPECT_EQ(ert_text_encode(&text, nullptr, line.data(), line.size(), nullptr, 0, work.data(), need, &e), ERT_OK);
  ids.resize(e.tokens);
  return ids;
}

constexpr uint32_t kKinds[] = {ERT_TEXT_WORDPIECE, ERT_TEXT_BPE, ERT_TEXT_UNIGRAM, ERT_TEXT_WORDLEVEL,
                               ERT_TEXT_SENTENCEPIECE_BPE};

struct TablesCase {
  const char* name;
  ert_status status;
  TablesChange change;
};

inline void expect_refused(const std::vector<TablesCase>& cases, uint32_t kind, bool wide = false) {
  for (const TablesCase& c : cases) EXPECT_EQ(open_changed(kind, wide, c.change), c.status) << c.name;
}

}  // namespace ert::testing
