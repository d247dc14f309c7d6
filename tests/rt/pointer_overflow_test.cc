// FlatBuffers' verifier (2.0.8) adds offsets and lengths to addresses first and asks afterwards where that led: with 32-bit addresses the sum
// overflows, which is undefined, and may end inside the blob again. rt/verify/tables.cc asks first. Here every word of the metadata is an offset or a
// length that wraps; on i686 (preset cross-i686) UndefinedBehaviorSanitizer looks on, everywhere the blob ends at a page that nobody may read.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/rt/program_changes.h"
#include "tests/support/guarded_buffer.h"

namespace ert::testing {
namespace {

// Has every kind of table, vector and text that the schema knows.
AlignedBytes blob_of_everything() {
  BlobSpec s = small_program();
  s.custom_ops.push_back({"test::Twice", "k", {1, 2}, {{"f", 1, {}, std::vector<float>{1}}, {"s", 2, {}, {}, "text"}}});
  add_golden(s, {1}, {0, 64});
  return s.build();
}

// Of whatever opens: everything that callers are told lies inside the blob.
void ask_everything(const ert_model& m, size_t bytes) {
  ert_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_model_info(&m, &info), ERT_OK);
  size_t names = std::strlen(info.producer) + std::strlen(info.source_sha256);
  const auto add = [&](auto ask, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
      ert_value_info v{};
      v.struct_size = sizeof v;
      ASSERT_EQ(ask(&m, i, &v), ERT_OK);
      names += std::strlen(v.name);
    }
  };
  add(ert_model_input, info.inputs);
  add(ert_model_output, info.outputs);
  EXPECT_LT(names, bytes);
}

TEST(FlatBuffersVerifier, NoWordOfTheMetadataOverflowsAPointer) {
  const AlignedBytes good = blob_of_everything();
  ASSERT_EQ(good.size() % 64, 0u);
  GuardedBuffer<uint8_t> guarded(good.size());
  std::memcpy(guarded.data(), good.data(), good.size());
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, guarded.data(), good.size()), ERT_OK);
  uint32_t end;
  std::memcpy(&end, good.data() + 32, sizeof end);  // metadata bytes (rt/schema/README.md)
  end += kMetadataOffset;
  const uint32_t to_zero = 0u - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(guarded.data()));  // added to the blob's address: 0
  int opened = 0, refused = 0;
  for (uint32_t at = kMetadataOffset; at + 4 <= end; at += 4) {
    std::vector<uint32_t> words = {0xffffffff, 0xfffffffc, 0xfffffff8, 0x80000000, 0x7ffffffc, 0x40000000, 0x3fffffff, 0x20000001, to_zero - at, to_zero};
    for (uint32_t to = kMetadataOffset; to < at; to += 60) words.push_back(to - at);  // back to what stands before: wraps
    for (const uint32_t word : words) {
      AlignedBytes b = good;
      std::memcpy(b.data() + at, &word, sizeof word);
      reseal(&b);
      std::memcpy(guarded.data(), b.data(), b.size());
      if (ert_model_open(&m, guarded.data(), b.size()) != ERT_OK) {
        ++refused;
        continue;
      }
      ++opened;
      ask_everything(m, b.size());
    }
  }
  EXPECT_GT(refused, 5000);
  EXPECT_GT(opened, 500);  // letters of the certificate, numbers that nobody reads
}

}  // namespace
}  // namespace ert::testing
