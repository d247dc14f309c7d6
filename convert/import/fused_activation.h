// The activation that ONNX Runtime's fused operators (FusedConv, FusedGemm) end with.
#pragma once

#include <string>
#include <vector>

#include "convert/import/building_blocks.h"

namespace edgeconv {

// name: as in the attribute "activation"; params: its numbers in the order of ONNX's attributes, where the file gives them. An empty name is
// none, an unknown one is refused.
ValueId fused_activation(ImportContext& c, const OnnxNode& n, ValueId x, const std::string& name, const std::vector<float>& params);

}  // namespace edgeconv
