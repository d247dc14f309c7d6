// Puts into words what ert_last_error found: names instead of indices, positions instead of element numbers.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

// Empty when there is nothing to add to the status. inputs: what was bound, in order.
std::string refusal_text(const BlobRunner& blob, const std::vector<Tensor>& inputs, const ert_error_detail& why);

}  // namespace edgeconv
