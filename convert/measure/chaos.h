// Samples on which the fp32 model itself is chaotic: what a blob gives for them is no evidence, neither for nor against it.
#pragma once

#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

// Whether each sample counts as one, by output and by its place along the first axis (as Comparison counts samples). Outputs without any have none.
using ChaoticSamples = std::vector<std::vector<char>>;

// exact, moved: outputs for the same inputs without and with a little noise (inputs/noisy_inputs.h). A sample is chaotic where that costs more
// than a gate allows.
ChaoticSamples chaotic_samples(const std::vector<Tensor>& exact, const std::vector<Tensor>& moved);

size_t count_of(const ChaoticSamples& samples);

}  // namespace edgeconv
