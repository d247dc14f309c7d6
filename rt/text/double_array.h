// Walks through a double array: a trie in one row of 32-bit units, as darts-clone writes them. A step that would leave the row ends the walk, and so does
// the longest key: rows of hostile blobs lead back to themselves, and would be walked from every byte of a text to its end.
#pragma once

#include "rt/text/tables.h"

namespace ert::text {

class DoubleArrayWalk {
 public:
  explicit DoubleArrayWalk(Row<uint32_t> units) : units_(units), alive_(units.size != 0) {
    if (alive_) at_ = offset(units_.data[0]);
  }
  // Goes on with a byte. False: no key goes on like this. No key has a zero byte.
  bool step(uint8_t byte) {
    const uint32_t i = at_ ^ byte;
    if (!alive_ || byte == 0 || i >= units_.size || (units_.data[i] & 0x800000ffu) != byte || left_ == 0) return alive_ = false;
    --left_;
    has_value_ = (units_.data[i] >> 8 & 1) != 0;
    at_ = i ^ offset(units_.data[i]);
    return true;
  }
  // Of a walk without steps: may a key begin with this byte?
  bool begins(uint8_t byte) const {
    const uint32_t i = at_ ^ byte;
    return alive_ && i < units_.size && (units_.data[i] & 0x800000ffu) == byte;
  }
  // Does a key end here? Its value.
  bool value(uint32_t* v) const {
    if (!has_value_ || at_ >= units_.size) return false;
    *v = units_.data[at_] & 0x7fffffffu;
    return true;
  }

 private:
  static uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }
  Row<uint32_t> units_;
  uint32_t at_ = 0, left_ = kLongestKey;
  bool alive_, has_value_ = false;
};

// The value of exactly these bytes.
inline bool double_array_find(Row<uint32_t> units, const uint8_t* key, size_t bytes, uint32_t* value) {
  DoubleArrayWalk walk(units);
  for (size_t i = 0; i < bytes; ++i)
    if (!walk.step(key[i])) return false;
  return walk.value(value);
}

}  // namespace ert::text
