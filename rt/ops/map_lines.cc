// Copies of a map's rows with their padding.
#include "rt/ops/map_lines.h"

namespace ert::ops {
namespace {

// 128 is taken off each byte.
void copy_signed(const uint8_t* from, size_t bytes, uint8_t* to) {
  constexpr size_t kAtOnce = 4;
  constexpr uint64_t kTops = 0x8080808080808080;
  for (; bytes >= kAtOnce * sizeof(uint64_t); bytes -= kAtOnce * sizeof(uint64_t), from += kAtOnce * sizeof(uint64_t), to += kAtOnce * sizeof(uint64_t)) {
    uint64_t words[kAtOnce];
    memcpy(words, from, sizeof words);
    for (uint64_t& word : words) word ^= kTops;
    memcpy(to, words, sizeof words);
  }
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i] ^ 0x80;
}

}  // namespace

const uint8_t* MapLines::line(int64_t image, int64_t row) {
  const int64_t r = image * w_.rows.size + row, channels = w_.channels;
  if (!shape_.copied()) {
    const int64_t behind = (map_.rows() - r) * map_.row_bytes() - shape_.end * channels;  // bytes of the map behind what counts
    if (behind >= shape_.readable) return map_.row(r) + shape_.first * channels;
  }
  const int32_t slot = static_cast<int32_t>(row) / w_.rows.dilation % w_.rows.kernel;
  uint8_t* copy = memory_ + static_cast<size_t>(slot) * bytes_;
  if (held_[slot] != r) {
    const int zero_point = map_.scale(r).zero_point ^ (signed_bytes() ? 0x80 : 0);
    uint8_t* at = fill(copy, zero_point, shape_.before * channels);
    if (signed_bytes()) {
      copy_signed(map_.row(r), static_cast<size_t>(map_.row_bytes()), at);
    } else {
      memcpy(at, map_.row(r), static_cast<size_t>(map_.row_bytes()));
    }
    fill(at + map_.row_bytes(), zero_point, shape_.behind * channels + shape_.readable);  // all that may be read is written
    held_[slot] = static_cast<int32_t>(r);
  }
  return copy + shape_.first * channels;
}

}  // namespace ert::ops
