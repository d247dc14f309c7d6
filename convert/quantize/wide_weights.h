// Weights of 12 bits (W12A13), which stand for fp32 where a plan says so.
#pragma once

#include <span>

#include "convert/quantize/weight_store.h"

namespace edgeconv {

// Of a matrix [k, n]: codes in N16K2, int16 in [-2047, 2047], and scale = max|w| / 2047 per column; neither column sums nor factors.
PackedWeights wide_weights(std::span<const float> weight, int64_t k, int64_t n);
PackedWeights wide_weights_of_zeros(int64_t k, int64_t n);

}  // namespace edgeconv
