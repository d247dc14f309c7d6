// Byte counts on the command line: 65536, 64K, 64KiB; whole numbers only.
#pragma once

#include <cstdint>
#include <string>

namespace edgeconv::cli {

// Digits, then nothing or K, M, G (each also with B or iB, any case; factors of 1024). Throws FatalError(kUsage) naming the flag
// for anything else, and for 0.
uint64_t parse_byte_count(const std::string& flag, const std::string& text);

}  // namespace edgeconv::cli
