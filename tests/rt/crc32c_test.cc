// CRC-32C by every path that this host has: known answers, and the portable path.
#include <gtest/gtest.h>

#include "rt/blob/crc32c.h"

namespace ert::testing {
namespace {

TEST(Crc32c, KnownAnswersOnEveryPath) {
  const uint8_t* digits = reinterpret_cast<const uint8_t*>("123456789");
  EXPECT_EQ(crc32c(0, digits, 9), 0xE3069283u);
  EXPECT_EQ(crc32c_portable(0, digits, 9), 0xE3069283u);
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + i / 7);
  for (size_t n : {0, 1, 7, 8, 9, 63, 64, 65, 999, 1000}) {
    EXPECT_EQ(crc32c(0, bytes.data(), n), crc32c_portable(0, bytes.data(), n)) << n;
    EXPECT_EQ(crc32c(crc32c(0, bytes.data(), n), bytes.data() + n, bytes.size() - n), crc32c(0, bytes.data(), bytes.size())) << n;
    EXPECT_EQ(crc32c_combine(crc32c(0, bytes.data(), n), crc32c(0, bytes.data() + n, bytes.size() - n), bytes.size() - n),
              crc32c(0, bytes.data(), bytes.size()))
        << n;
  }
}

using Path = uint32_t (*)(uint32_t, const uint8_t*, size_t);

std::vector<std::pair<const char*, Path>> paths() {
  std::vector<std::pair<const char*, Path>> usable = {{"dispatch", [](uint32_t crc, const uint8_t* data, size_t n) { return crc32c(crc, data, n); }}};
#ifdef ERT_CRC32C_X86
  if (crc32c_sse42_usable()) usable.emplace_back("sse42", crc32c_sse42);
  if (crc32c_vpclmul_usable()) usable.emplace_back("vpclmul", crc32c_vpclmul);
#endif
  return usable;
}

std::vector<uint8_t> noise(size_t n) {
  std::vector<uint8_t> bytes(n);
  uint32_t state = 1;
  for (uint8_t& b : bytes) b = static_cast<uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

// The crc32 instruction reads long data in three parts side by side; lengths around the limit and not divisible by anything, odd addresses.
TEST(Crc32c, LongDataAgreesWithThePortablePath) {
  const std::vector<uint8_t> bytes = noise(100003);
  for (const auto& [name, path] : paths()) {
    for (const size_t n : {32767u, 32768u, 32769u, 32791u, 65536u, 99999u, 100000u}) {
      for (const size_t first : {0u, 1u, 3u}) {
        for (const uint32_t before : {0u, 0x12345678u})
          EXPECT_EQ(path(before, bytes.data() + first, n), crc32c_portable(before, bytes.data() + first, n)) << name << " " << n << " " << first;
      }
    }
  }
}

// Vectors take 256 bytes a step, from 512 on.
TEST(Crc32c, EachLengthAgreesWithThePortablePath) {
  const std::vector<uint8_t> bytes = noise(1310);
  for (const auto& [name, path] : paths()) {
    for (size_t n = 0; n <= 1300; ++n) {
      for (const uint32_t before : {0u, 0x12345678u, 0xFFFFFFFFu})
        ASSERT_EQ(path(before, bytes.data() + n % 5, n), crc32c_portable(before, bytes.data() + n % 5, n)) << name << " " << n << " " << before;
    }
  }
}

}  // namespace
}  // namespace ert::testing
