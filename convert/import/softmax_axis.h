// The axis that Softmax, LogSoftmax and Hardmax go along.
#pragma once

#include "convert/import/building_blocks.h"

namespace edgeconv {

struct SoftmaxAxis {
  ValueId x;
  int64_t axis;
  bool flattened;  // x is the matrix that the input was flattened to; the result is to be given the input's shape
};

// From opset 13 on they work along one axis. Before, the input was flattened to a matrix at the axis (default 1), which is the same only for the last axis.
SoftmaxAxis softmax_axis(ImportContext& c, const OnnxNode& n);

// Gives the node's output the input's shape again.
void bind_softmax(ImportContext& c, const OnnxNode& n, const SoftmaxAxis& a, ValueId result);

}  // namespace edgeconv
