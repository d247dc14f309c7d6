// Puts into words what ert_last_error found: names instead of indices, positions instead of element numbers.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

// Empty when there is nothing to add to the status. inputs: what was bound, in order.
std::string refusal_text(const BlobRunner& blob, const std::vector<Tensor>& inputs, const ert_error_detail& why);

// The first dim of the inputs whose size is no multiple of what its name says (ir/dim_multiple.h); empty: none. Such sizes can contradict each other inside the model.
std::string broken_multiple(const BlobRunner& blob, const std::vector<Tensor>& inputs);

}  // namespace edgeconv
