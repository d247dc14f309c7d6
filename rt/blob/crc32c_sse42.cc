// CRC-32C with the x86 crc32 instruction, which takes 8 bytes a cycle and gives its result three cycles later: three parts of the
// data go side by side. Built with -msse4.2 on x86-64 only.
#include <nmmintrin.h>
#include <string.h>

#include "rt/blob/crc32c.h"

#ifndef __SSE4_2__
#error "build this file with -msse4.2"
#endif

namespace ert {

namespace {

constexpr size_t kWorthThreeParts = 32 * 1024;  // below, joining the parts costs more

uint64_t word_at(const uint8_t* p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

// The checksum of 3 * part bytes, continuing `crc`; part is a multiple of 8.
uint32_t crc_of_three_parts(uint32_t crc, const uint8_t* data, size_t part) {
  uint64_t a = static_cast<uint32_t>(~crc), b = 0xffffffffu, c = 0xffffffffu;
  for (size_t i = 0; i < part; i += 8) {
    a = _mm_crc32_u64(a, word_at(data + i));
    b = _mm_crc32_u64(b, word_at(data + part + i));
    c = _mm_crc32_u64(c, word_at(data + 2 * part + i));
  }
  const uint32_t ab = crc32c_combine(~static_cast<uint32_t>(a), ~static_cast<uint32_t>(b), part);
  return crc32c_combine(ab, ~static_cast<uint32_t>(c), part);
}

}  // namespace

bool crc32c_sse42_usable() { return __builtin_cpu_supports("sse4.2"); }

uint32_t crc32c_sse42(uint32_t crc, const uint8_t* data, size_t bytes) {
  if (bytes >= kWorthThreeParts) {
    const size_t part = bytes / 24 * 8;
    crc = crc_of_three_parts(crc, data, part);
    data += 3 * part;
    bytes -= 3 * part;
  }
  uint64_t c = static_cast<uint32_t>(~crc);
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) c = _mm_crc32_u64(c, word_at(data + i));
  uint32_t tail = static_cast<uint32_t>(c);
  for (; i < bytes; ++i) tail = _mm_crc32_u8(tail, data[i]);
  return ~tail;
}

}  // namespace ert
