// Inputs with a little noise in their floats: where the model itself gives another answer then, its answers tell nothing of quantization.
#pragma once

#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

// A copy of which every float is larger or smaller by about one part in ten thousand, always the same. Integers stay.
std::vector<Tensor> noisy_inputs(const std::vector<Tensor>& inputs);

}  // namespace edgeconv
