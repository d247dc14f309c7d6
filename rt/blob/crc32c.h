// CRC-32C (Castagnoli, reflected, as in iSCSI): crc32c(0, "123456789", 9) = 0xE3069283. One code path per file; crc32c()
// picks the hardware one where it is compiled in and the CPU has it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ert {

constexpr uint32_t kCrc32cPolynomial = 0x82F63B78u;  // without x^32, bit 31 is x^0

// CRC of the bytes seen so far followed by these; 0 for none so far.
uint32_t crc32c(uint32_t crc, const void* data, size_t bytes);

// CRC of A followed by B from the CRC of each and the length of B: lets open read the blob once and still know both the
// CRC of every segment and that of the whole.
uint32_t crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t bytes_b);

// The single code paths.
uint32_t crc32c_portable(uint32_t crc, const uint8_t* data, size_t bytes);
#ifdef ERT_CRC32C_X86
bool crc32c_sse42_usable();
uint32_t crc32c_sse42(uint32_t crc, const uint8_t* data, size_t bytes);
bool crc32c_vpclmul_usable();
uint32_t crc32c_vpclmul(uint32_t crc, const uint8_t* data, size_t bytes);
#endif
#ifdef ERT_CRC32C_ARMV8
bool crc32c_armv8_usable();
uint32_t crc32c_armv8(uint32_t crc, const uint8_t* data, size_t bytes);
#endif

}  // namespace ert
