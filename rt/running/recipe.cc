// Inputs of golden vectors made on the device: see rt/blob/recipe.h. Linked where ert_selftest is.
#include "rt/blob/recipe.h"

#include <string.h>

#include "rt/include/ert.h"
#include "rt/sizes/dims.h"

namespace ert {

void make_input(const Recipe& r, uint32_t dtype, size_t bytes, void* out) {
  const uint32_t size = element_bytes(dtype);
  const uint32_t scale_bits = (127 + static_cast<uint32_t>(r.exponent)) << 23;
  float scale;
  memcpy(&scale, &scale_bits, sizeof scale);
  uint8_t* to = static_cast<uint8_t*>(out);
  uint8_t* const end = to + bytes;
  for (uint32_t j = 0; to != end; ++j, to += size) {
    const int32_t v = made_integer(r, j);
    int32_t element[] = {v, v < 0 ? -1 : 0};  // little-endian
    const float f = static_cast<float>(v) * scale;
    if (dtype == ERT_F32) memcpy(element, &f, sizeof f);
    memcpy(to, element, size);
  }
}

void canonical_nan(void* data, size_t bytes) {
  uint8_t* at = static_cast<uint8_t*>(data);
  for (uint8_t* const end = at + bytes; at != end; at += sizeof(uint32_t)) {
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) memcpy(at, &kCanonicalNan, sizeof bits);
  }
}

}  // namespace ert
