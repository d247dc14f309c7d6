// The files of one ONNX backend node test, and the forms of its model in which inputs have become constants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv_test {

std::string read_file(const std::filesystem::path& path);

// Cases have everything as inputs, where models have constants. Those become initializers with the values of the first data set.
enum class Freeze { kNothing, kIntegers /* of rank 0 and 1: shapes, axes, bounds */, kAllButFirst /* weights, scales */ };

// The model with such inputs as constants.
std::string model_bytes(const std::filesystem::path& folder, Freeze freeze);

// Constants come from the first data set and are right for no other.
std::vector<std::filesystem::path> usable_sets(const std::filesystem::path& folder, Freeze freeze);

struct Tolerance {
  double rtol, atol;
};

Tolerance tolerance(const std::filesystem::path& folder, edgeconv::DType t);

// Data files of older releases hold bfloat16 as uint16.
edgeconv::Tensor as_declared(const edgeconv::Tensor& t, edgeconv::DType declared);

// Largest value of every named dim in any data set.
std::map<std::string, int64_t> largest_dims(const edgeconv::pb::ModelProto& model, const std::filesystem::path& folder);

// Outputs whose values depend on every rounding, by position: made by random_graphs.py.
std::set<size_t> unstable_outputs(const std::filesystem::path& folder);

}  // namespace edgeconv_test
