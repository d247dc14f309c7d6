// Quantized rows of all NEON levels: signed bytes. W8A8: q - 128, so that smull and sdot apply and two products fit 16 bits (2 *
// 128 * 127 < 2^15); the GEMM takes (zero point - 128) * colsum off. W8A16: k bytes of high digits, then at round_up(k, 64) the
// low ones. Bytes beyond k are arbitrary: weights there are zero.
#pragma once

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {

constexpr size_t digit_bytes(size_t k) { return round_up(k, 64); }

}  // namespace ert::kernels
