// Attributes and contents of tensors as text, for listings of graphs and programs.
#pragma once

#include <string>

#include "convert/ir/attributes.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

// "axes={1, 2}, keep_dims=true"; every field by its name. Of bodies only their number: Graph::dump lists them.
std::string attributes_text(const Attributes& a);

// "{1, 2, 3}"; of more than 8 elements the first four and their number. Reads no more than it shows.
std::string tensor_text(const Tensor& t);

// Of a Unary's kind, a Linear's or Glu's activation: "relu", "neg"; "none" for -1, the number for what is none of them.
std::string elementwise_name(int kind);

}  // namespace edgeconv
