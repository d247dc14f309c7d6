// Smoothing factors of every Linear from its inputs (SmoothQuant, Xiao et al. 2022, with the factors kept in the op instead of
// folded into a producer).
#pragma once

#include <vector>

#include "convert/quantize/layer_samples.h"

namespace edgeconv {

// Steps of an activation row between its ends: kernels_int8/NUMERICS.md, section 2.
constexpr double kInt8Steps = 255, kInt16Steps = 2 * 16256;

// Of a Linear with this weight [k, n], f32, whose rows are quantized to lhs_steps steps. Fine steps leave the errors of the weights only.
// Starts from smooth[k] = sqrt(amax[k] / wmax[k]) and descends to the factors of least expected error on the sampled rows
// (smoothing_search.h), normalised to geometric mean 1. With tied != 0 every tied-th factor is the same: their geometric mean.
std::vector<float> smoothing_factors(const LayerSample& sample, const Tensor& weight, double lhs_steps = kInt8Steps,
                                     int64_t tied = 0);

// Factors for layers that read one value: the geometric mean of what each of them would have. All have as many.
std::vector<float> common_factors(const std::vector<std::vector<float>>& layers);

}  // namespace edgeconv
