// Which element types an operator of ai.onnx takes, by the ONNX specification: a node with others is malformed, whatever its importer would make of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "convert/ir/dtype.h"

namespace edgeconv {

struct TypedOperand {
  std::string name;                   // "": absent
  DType dtype = DType::kUndefined;  // nothing is said of a type that is not known
};

// What is wrong with the first operand that has a type of its own; empty when nothing is, and for operators that are not in the table.
// Looser than ONNX where exporters are and the converter knows what is meant: floats of all widths may stand for each other (weights in float16 beside
// activations in float32), and int32 for int64.
std::string operand_type_fault(std::string_view op, std::span<const TypedOperand> operands);

}  // namespace edgeconv
