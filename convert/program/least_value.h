// The least value of a convolution that reads its map in place: max(LeakyRelu(x), c), as some networks limit what they pass on.
#pragma once

#include <cstddef>

#include "convert/program/target.h"

namespace edgeconv {

// Takes the op that only raises what the DirectConv or WideConv `at` gives to a constant into it. Not 0, whose sign would depend on the order.
void take_least(TargetProgram& p, size_t at);

}  // namespace edgeconv
