// One ONNX backend node test: a model of one operator (or its expansion into several) with recorded inputs and outputs. It goes
// two ways: import, inference and the interpreter; and the whole way through a blob and the runtime.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace edgeconv_test {

struct Outcome {
  enum Kind { kPassed, kRefused, kFailed } kind = kPassed;
  std::string reason;
};

// Operators and element types of a case, for the comparison with the list of supported operators.
struct CaseContents {
  std::set<std::pair<std::string, std::string>> ops;  // domain ("" for ai.onnx), operator
  std::set<int> dtypes;                               // TensorProto.DataType of the inputs and outputs
  bool tensors_only = true;
};

CaseContents read_contents(const std::filesystem::path& folder);

// Both try the model as it is; if it is refused, with its small integer inputs (shapes, axes, bounds) as constants; then with all
// inputs but the first (weights, scales) as constants, which is how models have them. Passed: every output of every data set is as recorded.
Outcome run_interpreter(const std::filesystem::path& folder);
Outcome run_runtime(const std::filesystem::path& folder);
// The same converted to int8: floats need a cosine of 0.99.
Outcome run_runtime_int8(const std::filesystem::path& folder);

}  // namespace edgeconv_test
