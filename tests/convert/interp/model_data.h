// ONNX backend test data: a model.onnx with test_data_set_K/input_I.pb and output_I.pb.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/ir/tensor.h"

namespace edgeconv_test {

struct NamedTensor {
  std::string name;
  edgeconv::Tensor tensor;
};

// input_0.pb, input_1.pb, ... of a data set, in order; prefix is "input" or "output".
std::vector<NamedTensor> read_tensors(const std::filesystem::path& set, const std::string& prefix);
std::vector<std::filesystem::path> data_sets(const std::filesystem::path& model_folder);
// Data for the graph's inputs: by name, else by position.
std::vector<edgeconv::Tensor> bind_inputs(const edgeconv::Graph& g, const std::vector<NamedTensor>& data);

// Empty when got equals want: integers exactly, floats within atol + rtol * |want|, not-a-number and infinities in place.
std::string difference(const edgeconv::Tensor& got, const edgeconv::Tensor& want, double rtol, double atol);

}  // namespace edgeconv_test
