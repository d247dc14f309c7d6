// Tokenizers by hand that tests use: opened in memory of their own, encoded and decoded within exactly the memory that they ask for.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/opened_text.h"

namespace ert::testing {

// UTF-8 of code points.
inline std::string utf8(std::initializer_list<uint32_t> codes) {
  std::string s;
  for (const uint32_t c : codes) {
    if (c < 0x80) {
      s += static_cast<char>(c);
    } else if (c < 0x800) {
      s += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
    } else if (c < 0x10000) {
      s += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
    } else {
      s += {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)), static_cast<char>(0x80 | (c >> 6 & 63)),
            static_cast<char>(0x80 | (c & 63))};
    }
  }
  return s;
}

// A code table of any code points; leaf 0 and the groups of 4096 and of 64 in which nothing is are shared.
inline std::vector<uint8_t> code_table_of(const std::map<uint32_t, uint32_t>& values, uint32_t width) {
  std::vector<uint16_t> tops(1, 0), mids(64, 0);
  std::vector<uint8_t> leaves(64 * width, 0);
  for (const auto& [code, value] : values) {
    if (tops.size() <= code >> 12) tops.resize((code >> 12) + 1, 0);
    uint16_t& top = tops[code >> 12];
    if (top == 0) top = static_cast<uint16_t>(mids.size() / 64), mids.resize(mids.size() + 64, 0);
    uint16_t& mid = mids[size_t{top} * 64 + (code >> 6 & 63)];
    if (mid == 0) mid = static_cast<uint16_t>(leaves.size() / 64 / width), leaves.resize(leaves.size() + 64 * width, 0);
    const size_t at = (size_t{mid} * 64 + (code & 63)) * width;
    leaves[at] = static_cast<uint8_t>(value);
    if (width == 2) leaves[at + 1] = static_cast<uint8_t>(value >> 8);
  }
  const text::CodeTableHeader h{static_cast<uint32_t>(tops.size()), static_cast<uint32_t>(mids.size() / 64),
                                static_cast<uint32_t>(leaves.size() / 64 / width), width};
  std::vector<uint16_t> rows = tops;
  rows.insert(rows.end(), mids.begin(), mids.end());
  if (rows.size() % 2 != 0) rows.push_back(0);
  std::vector<uint8_t> out(sizeof h + rows.size() * 2 + leaves.size());
  std::memcpy(out.data(), &h, sizeof h);
  std::memcpy(out.data() + sizeof h, rows.data(), rows.size() * 2);
  std::memcpy(out.data() + sizeof h + rows.size() * 2, leaves.data(), leaves.size());
  return out;
}

// Text that steps and added tokens refer to; put into the tables when all is there.
struct Strings {
  std::string bytes;
  text::Text add(const std::string& s) {
    bytes += s;
    return {static_cast<uint32_t>(bytes.size() - s.size()), static_cast<uint32_t>(s.size())};
  }
  void put(TextTables* t) const { t->put(text::SectionKind::kStrings, std::vector<uint8_t>(bytes.begin(), bytes.end())); }
};

struct Encoded {
  ert_status status = ERT_OK;
  std::vector<int32_t> ids, type_ids, attention, special;
  std::vector<ert_span> offsets;
  std::vector<uint8_t> sequence, word_starts;
  ert_encoding facts{};
};

class UsedText {
 public:
  explicit UsedText(const TextTables& t) : bytes_(t.build()), memory_((bytes_.size() + 7) / 8) {
    std::memcpy(memory_.data(), bytes_.data(), bytes_.size());
    status = ert_text_open_tables(&text, memory_.data(), bytes_.size());
  }
  // Window `window` of the encoding; every array is asked for.
  Encoded encode(const std::string& line, const std::string* pair = nullptr, const ert_text_options* options = nullptr,
                 uint32_t window = 0) {
    size_t need = 0;
    EXPECT_EQ(ert_text_bytes(&text, line.size(), pair == nullptr ? 0 : pair->size(), &need), ERT_OK);
    ExactMemory work(need);
    constexpr uint32_t kMost = 4096;
    Encoded out;
    out.ids.resize(kMost), out.type_ids.resize(kMost), out.attention.resize(kMost), out.special.resize(kMost);
    out.offsets.resize(kMost), out.sequence.resize(kMost), out.word_starts.resize(kMost);
    ert_encoding& e = out.facts;
    e = {sizeof e,
         kMost,
         out.ids.data(),
         out.type_ids.data(),
         out.attention.data(),
         out.special.data(),
         out.offsets.data(),
         out.sequence.data(),
         out.word_starts.data(),
         0,
         0,
         0,
         0,
         0};
    out.status = ert_text_encode(&text, options, line.data(), line.size(), pair == nullptr ? nullptr : pair->data(),
                                 pair == nullptr ? 0 : pair->size(), work.data(), need, &e);
    if (out.status == ERT_OK && window != 0) out.status = ert_text_window(&text, work.data(), window, &e);
    EXPECT_TRUE(work.intact());
    const size_t n = out.status == ERT_OK ? e.tokens : 0;
    out.ids.resize(n), out.type_ids.resize(n), out.attention.resize(n), out.special.resize(n);
    out.offsets.resize(n), out.sequence.resize(n), out.word_starts.resize(n);
    return out;
  }
  // The same with every capacity that is too small, whose part must be the beginning.
  std::string decode(const std::vector<int32_t>& ids, bool skip_special = false) {
    size_t bytes = 0;
    const ert_status counted = ert_text_decode(&text, ids.data(), ids.size(), skip_special, nullptr, 0, &bytes);
    EXPECT_EQ(counted, bytes == 0 ? ERT_OK : ERT_ERR_NOMEM);
    ExactMemory out(bytes);
    size_t written = 0;
    EXPECT_EQ(ert_text_decode(&text, ids.data(), ids.size(), skip_special, reinterpret_cast<char*>(out.data()), bytes, &written),
              ERT_OK);
    EXPECT_LE(written, bytes);
    EXPECT_TRUE(out.intact());
    return std::string(reinterpret_cast<char*>(out.data()), written);
  }
  ert_text text;
  ert_status status;

 private:
  std::vector<uint8_t> bytes_;
  std::vector<uint64_t> memory_;
};

}  // namespace ert::testing
