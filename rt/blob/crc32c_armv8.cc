// CRC-32C with the ARMv8 crc instructions. Built with -march=armv8-a+crc on AArch64 Linux only.
#include <arm_acle.h>
#include <string.h>
#include <sys/auxv.h>

#include "rt/blob/crc32c.h"

#ifndef __ARM_FEATURE_CRC32
#error "build this file with -march=armv8-a+crc"
#endif

namespace ert {

bool crc32c_armv8_usable() {
  constexpr unsigned long kHwcapCrc32 = 1ul << 7;
  return (getauxval(AT_HWCAP) & kHwcapCrc32) != 0;
}

uint32_t crc32c_armv8(uint32_t crc, const uint8_t* data, size_t bytes) {
  uint32_t c = ~crc;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word;
    memcpy(&word, data + i, 8);
    c = __crc32cd(c, word);
  }
  for (; i < bytes; ++i) c = __crc32cb(c, data[i]);
  return ~c;
}

}  // namespace ert
