// Einsum equations as label numbers, shared by inference and the interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgeconv {

struct EinsumSpec {
  int labels = 0;                        // letters, and one per axis of an ellipsis
  std::vector<std::vector<int>> inputs;  // label of each axis
  std::vector<int> output;
};

// nullopt with a reason in `error` when the equation does not fit the ranks.
std::optional<EinsumSpec> parse_einsum(const std::string& equation, const std::vector<int>& ranks, std::string& error);

}  // namespace edgeconv
