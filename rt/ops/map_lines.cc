// Copies of a map's rows with their padding.
#include "rt/ops/map_lines.h"

namespace ert::ops {

const uint8_t* MapLines::line(int64_t image, int64_t row) {
  const int64_t r = image * w_.rows.size + row, channels = w_.channels;
  if (shape_.before == 0 && shape_.behind == 0) {
    const int64_t behind = (map_.rows() - r) * map_.row_bytes() - shape_.end * channels;  // bytes of the map behind what counts
    if (behind >= shape_.readable) return map_.row(r) + shape_.first * channels;
  }
  const int32_t slot = static_cast<int32_t>(row) / w_.rows.dilation % w_.rows.kernel;
  uint8_t* copy = memory_ + static_cast<size_t>(slot) * bytes_;
  if (held_[slot] != r) {
    const int zero_point = map_.scale(r).zero_point;
    uint8_t* at = fill(copy, zero_point, shape_.before * channels);
    memcpy(at, map_.row(r), static_cast<size_t>(map_.row_bytes()));
    fill(at + map_.row_bytes(), zero_point, shape_.behind * channels + shape_.readable);  // all that may be read is written
    held_[slot] = static_cast<int32_t>(r);
  }
  return copy + shape_.first * channels;
}

}  // namespace ert::ops
