// Memory of exactly so many bytes, 64-aligned, with a pattern around it: what is read outside is seen by the sanitizers, what is written there by the
// pattern too.
#pragma once

#include <cstdlib>
#include <cstring>

#include "tests/fuzz/target.h"

namespace ert::fuzz {

class ExactBytes {
 public:
  explicit ExactBytes(size_t bytes) : bytes_(bytes) {
    // Under AddressSanitizer the allocation ends where the bytes end; elsewhere a pattern follows.
    if (posix_memalign(&base_, 64, kBefore + bytes + kBehind) != 0) abort();
    std::memset(base_, kPattern, kBefore);
    std::memset(data() + bytes, kPattern, kBehind);
  }
  ~ExactBytes() {
    if (!intact()) finding("written outside of a buffer of so many bytes", static_cast<long long>(bytes_));
    std::free(base_);
  }
  ExactBytes(const ExactBytes&) = delete;
  ExactBytes& operator=(const ExactBytes&) = delete;

  uint8_t* data() { return static_cast<uint8_t*>(base_) + kBefore; }
  const uint8_t* data() const { return static_cast<const uint8_t*>(base_) + kBefore; }
  size_t size() const { return bytes_; }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kBefore = 0, kBehind = 0;
#elif defined(__has_feature)
  static constexpr size_t kBefore = __has_feature(address_sanitizer) ? 0 : 64, kBehind = kBefore;
#else
  static constexpr size_t kBefore = 64, kBehind = 64;
#endif
  static constexpr uint8_t kPattern = 0xA5;

  bool intact() const {
    for (size_t i = 0; i < kBefore; ++i) {
      if (static_cast<const uint8_t*>(base_)[i] != kPattern) return false;
    }
    for (size_t i = 0; i < kBehind; ++i) {
      if (data()[bytes_ + i] != kPattern) return false;
    }
    return true;
  }

  void* base_ = nullptr;
  size_t bytes_;
};

}  // namespace ert::fuzz
