// How the error of one weight can be made up for by others: second-order statistics of a layer's inputs, factorised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "convert/quantize/layer_samples.h"

namespace edgeconv {

// Of the input channels [first, first + k) of `rows`, each times its factor of inv_smooth [k]: y with H = y'y / count, plus `ridge`
// times the mean of its diagonal on the diagonal, is U D U' with U unit upper triangular. An error e of one column of weights costs sum_j D_j (e_j + sum_{i<j} e_i U_ij)^2 in
// squared output, so weight j, rounded after all before it, should take off what the sum in brackets already holds.
// Returns U [k, k]; only what is above its diagonal is meaningful. Empty where the rows say nothing (all zero, or not finite).
// On ert's own kernels and in a fixed order: the same bits on every host.
std::vector<float> feedback_factors(const SampledRows& rows, int64_t first, std::span<const float> inv_smooth, double ridge);

}  // namespace edgeconv
