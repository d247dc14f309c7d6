// Tokenizer segments by hand (rt/text/format.h): small ones that encode, every section of which a test can change before it is written.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "rt/include/ert_text.h"
#include "rt/text/format.h"

namespace ert::testing {

struct TextTables {
  struct Content {
    std::vector<uint8_t> bytes;
    uint32_t count;
  };
  text::TablesHeader header{};
  std::map<text::SectionKind, Content> sections;

  template <class T>
  void put(text::SectionKind kind, const std::vector<T>& rows) {
    Content c{std::vector<uint8_t>(rows.size() * sizeof(T)), static_cast<uint32_t>(rows.size())};
    if (!rows.empty()) std::memcpy(c.bytes.data(), rows.data(), c.bytes.size());
    sections[kind] = c;
  }
  // Row i of a section, for a test to change.
  template <class T>
  T& row(text::SectionKind kind, size_t i = 0) {
    return *static_cast<T*>(static_cast<void*>(sections.at(kind).bytes.data() + i * sizeof(T)));
  }
  std::vector<uint8_t> build() const;
};

// 20 pieces (ids 1 to 19 where the kind is that of hashed n-grams), a merge, an added token, normalizing tables, labels, and a task of this kind for a model that takes ids alone.
TextTables small_tables(uint32_t kind, text::TaskKind task, bool wide = false);

// 20 other pieces, and how they are found. The merge is that of 1 and 2 into 6.
void put_pieces(TextTables* t, const std::vector<std::string>& pieces);

}  // namespace ert::testing
