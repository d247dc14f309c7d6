// The smoothing factors that give a layer the least rounding error, by a model of both of its parts.
#pragma once

#include <span>
#include <vector>

#include "convert/quantize/layer_samples.h"

namespace edgeconv {

// Rounding a value to a step s adds noise of variance s^2/12. With factors exp(p): y[k] = x[k] * exp(-p[k]) has the step
// (max y - min y) / lhs_steps in each row, weights w[k][n] * exp(p[k]) have max|w[.][n]| / 127 in each column; a step of one side counts
// as much as the squares on the other. The sum of both noises is minimised over p by gradient descent with momentum (Kingma and
// Ba 2015), from the logarithms given on. weight is [k, n]. Channels marked in `fixed` stay.
// Elementary functions are ert's own: the same bits on every host.
void search_smoothing(const SampledRows& rows, std::span<const float> weight, size_t n, const std::vector<char>& fixed,
                      double lhs_steps, std::vector<double>& p);

}  // namespace edgeconv
