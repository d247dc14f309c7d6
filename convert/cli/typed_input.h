// Inputs that are typed on the command line: `run --input NAME=1,2,3`.
#pragma once

#include <string>

#include "convert/ir/tensor.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

// True for numbers with ',' and ';' between them: such a text is contents, not a file.
bool is_typed_input(const std::string& contents);

// The numbers lie along the last axis, ';' separates rows of the axis before; other axes have size 1. One number for an input without
// axes. flag names the option in messages. Throws FatalError(kUsage) for what does not fit the input's type, range or fixed sizes.
Tensor typed_input(const std::string& contents, const BoundaryInfo& input, const std::string& flag);

}  // namespace edgeconv::cli
