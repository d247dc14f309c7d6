// SHA-256 (FIPS 180-4), to name the source model in the certificate of a blob.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace edgeconv {

class Sha256 {
 public:
  void update(const void* data, size_t bytes);
  std::array<uint8_t, 32> finish();  // once
  static std::string hex(const std::array<uint8_t, 32>& digest);

 private:
  void block(const uint8_t* p);
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  size_t pending_bytes_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace edgeconv
