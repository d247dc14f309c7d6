// Copies of a few bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rt/ops/op.h"

namespace ert::ops {

template <size_t n>
struct Length {
  static constexpr size_t kBytes = n;
};

// memcpy for pieces that are often shorter than a call of it takes: two that overlap, of a length that the compiler knows.
inline __attribute__((always_inline)) void copy_short(const void* from, size_t bytes, void* to) {
  const uint8_t* src = static_cast<const uint8_t*>(from);
  uint8_t* dst = static_cast<uint8_t*>(to);
  const auto ends = [&](auto length) {
    uint8_t last[decltype(length)::kBytes];
    memcpy(last, src + bytes - sizeof last, sizeof last);
    memcpy(dst, src, sizeof last);
    memcpy(dst + bytes - sizeof last, last, sizeof last);
  };
  if (!kFastForms || bytes > 128) {
    memcpy(dst, src, bytes);
  } else if (bytes >= 64) {
    ends(Length<64>());
  } else if (bytes >= 32) {
    ends(Length<32>());
  } else if (bytes >= 16) {
    ends(Length<16>());
  } else if (bytes >= 8) {
    ends(Length<8>());
  } else if (bytes >= 4) {
    ends(Length<4>());
  } else {
    for (size_t i = 0; i < bytes; ++i) dst[i] = src[i];
  }
}

}  // namespace ert::ops
