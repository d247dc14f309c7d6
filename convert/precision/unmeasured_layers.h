// What a model with custom operators changes in a conversion: results of theirs can be neither measured nor compared here.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/precision/request.h"
#include "convert/precision/sensitivity.h"

namespace edgeconv {

// Warns that `outputs` are not compared; automatic precision becomes w8a16, which needs no check.
void adapt_to_custom_operators(const Graph& g, const std::vector<std::string>& outputs, PrecisionRequest& precision,
                               Diagnostics& d);

// The Linears behind a custom operator, which never saw data.
void add_unmeasured_layers(const Graph& g, std::vector<LayerSensitivity>& layers);

}  // namespace edgeconv
