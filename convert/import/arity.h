// How many inputs and outputs an operator may have, by the ONNX specification: a node with more is malformed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace edgeconv {

struct Arity {
  size_t inputs, outputs;  // the most in any version; SIZE_MAX: any number
};

// Nothing for operators that are not in the table.
std::optional<Arity> most_operands(std::string_view domain, std::string_view op);

}  // namespace edgeconv
