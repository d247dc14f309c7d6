// CRC-32C with the x86 crc32 instruction. Built with -msse4.2 on x86-64 only.
#include <nmmintrin.h>
#include <string.h>

#include "rt/crc32c.h"

#ifndef __SSE4_2__
#error "build this file with -msse4.2"
#endif

namespace ert {

bool crc32c_sse42_usable() { return __builtin_cpu_supports("sse4.2"); }

uint32_t crc32c_sse42(uint32_t crc, const uint8_t* data, size_t bytes) {
  uint64_t c = static_cast<uint32_t>(~crc);
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word;
    memcpy(&word, data + i, 8);
    c = _mm_crc32_u64(c, word);
  }
  uint32_t tail = static_cast<uint32_t>(c);
  for (; i < bytes; ++i) tail = _mm_crc32_u8(tail, data[i]);
  return ~tail;
}

}  // namespace ert
