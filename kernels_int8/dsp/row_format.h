// Quantized rows of the M-profile DSP level: int16 in the order in which sxtb16 splits the bytes of a weight word, so that smlad
// multiplies them as they lie: of every four k the first, third, second, fourth. W8A8: q - zero point. W8A16: contract/exact_sums.h.
// Values beyond k are arbitrary: weights there are zero.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/contract/packed_layout.h"

namespace ert::kernels {

constexpr size_t place_of(size_t k_index) {
  constexpr uint8_t kOrder[4] = {0, 2, 1, 3};
  return k_index / 4 * 4 + kOrder[k_index % 4];
}
constexpr size_t int16_row_bytes(size_t k) { return round_up(2 * k, 64); }

}  // namespace ert::kernels
