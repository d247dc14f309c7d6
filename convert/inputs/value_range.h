// Made-up floats brought into a range that is known of their input.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "convert/dims/input_kinds.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

// tensors: steps of one input of fp32, each with the same dims. Pictures and spectra fill the range, or most of it, row by row (the leading axis): what is 0
// to 1 in one model is -2 to 2.6 in another. Sound in units of 1 is scaled by the farther end, so that quiet rows stay quiet. Features lie about the middle, or,
// where the range begins at 0, above it. All is cut off at the ends.
void bring_into_range(InputKind kind, std::pair<float, float> range, uint64_t seed, std::vector<Tensor>& tensors);

}  // namespace edgeconv
