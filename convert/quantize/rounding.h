// Rounding of weights that makes up for errors (Frantar et al. 2022, GPTQ; in the feedback form of Chee et al. 2023): each
// weight takes off what the errors of those before it do to the layer's output, so far as the inputs correlate.
#pragma once

#include <span>
#include <vector>

#include "convert/quantize/layer_samples.h"
#include "convert/quantize/weights.h"

namespace edgeconv {

// weight is [k, n]; row kk is multiplied by smooth[kk] first where smooth is given. Scales are those of quantize_weights, and so
// are the codes where there are too few rows to tell anything.
QuantizedWeights round_with_feedback(std::span<const float> weight, int64_t k, int64_t n, const std::vector<float>& smooth,
                                     const SampledRows& rows);

}  // namespace edgeconv
