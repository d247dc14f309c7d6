// A model with the quantization nodes that its preparation takes out.
#pragma once

#include <memory>

#include "convert/prepare/prepare.h"

namespace edgeconv {

// As prepare_model. Where the file rounds activations to ranges of its own, as_quantized is the same graph with these roundings; else it is empty.
PreparedModel prepare_model(ImportedModel imported, const PrepareOptions& o, Diagnostics& d, std::shared_ptr<const Graph>& as_quantized);

}  // namespace edgeconv
