// What the schemas of ONNX say of a node beside its operands (arity.h, operand_types.h): which operator sets have it, and its attributes.
#pragma once

#include <string>

#include "convert/onnx/model.h"

namespace edgeconv {

// Why the node is none of the operator set that its file or function imports, as ONNX's checker and ONNX Runtime have it; empty if nothing is wrong. Attributes of operator sets
// newer than the newest known are not judged, nor those that begin with two underscores.
std::string schema_fault(const OnnxNode& n);

}  // namespace edgeconv
