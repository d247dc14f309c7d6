// CRC-32C in portable C++ (one 1 KiB table in read-only memory), the choice of the code path, and the combination rule.
#include "rt/blob/crc32c.h"

namespace ert {
namespace {

struct Table {
  uint32_t entry[256];
};

constexpr Table make_table() {
  Table t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? kCrc32cPolynomial : 0);
    t.entry[i] = c;
  }
  return t;
}

constexpr Table kTable = make_table();

// a * b modulo the polynomial; bit 31 is x^0.
uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b >> 1) ^ ((b & 1) ? kCrc32cPolynomial : 0);
  }
  return product;
}

}  // namespace

uint32_t crc32c_portable(uint32_t crc, const uint8_t* data, size_t bytes) {
  uint32_t c = ~crc;
  for (size_t i = 0; i < bytes; ++i) c = (c >> 8) ^ kTable.entry[(c ^ data[i]) & 0xFF];
  return ~c;
}

uint32_t crc32c(uint32_t crc, const void* data, size_t bytes) {
  const uint8_t* p = static_cast<const uint8_t*>(data);
#ifdef ERT_CRC32C_X86
  if (crc32c_vpclmul_usable()) return crc32c_vpclmul(crc, p, bytes);
  if (crc32c_sse42_usable()) return crc32c_sse42(crc, p, bytes);
#endif
#ifdef ERT_CRC32C_ARMV8
  if (crc32c_armv8_usable()) return crc32c_armv8(crc, p, bytes);
#endif
  return crc32c_portable(crc, p, bytes);
}

uint32_t crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t bytes_b) {
  uint32_t power = 0x00800000u;  // x^8: one byte
  uint32_t shift = 0x80000000u;  // x^0
  for (uint64_t n = bytes_b; n != 0; n >>= 1) {
    if (n & 1) shift = multiply(shift, power);
    power = multiply(power, power);
  }
  return multiply(crc_a, shift) ^ crc_b;
}

}  // namespace ert
