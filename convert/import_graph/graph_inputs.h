// Types and shapes of graph inputs as the file declares them.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_expr.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

class InputTypes {
 public:
  // strict: the main graph, whose inputs need a type and a rank; inputs of If and Loop bodies get theirs from outside.
  InputTypes(const pb::GraphProto& graph, Diagnostics& d, bool strict);

  DType dtype(const pb::ValueInfoProto& in);
  std::optional<Shape> shape(const pb::ValueInfoProto& in);

 private:
  DimExpr dim(const pb::TensorShapeProto::Dimension& d, const std::string& input, int axis);

  Diagnostics& diagnostics_;
  bool strict_;
  std::set<std::string> names_;  // plain dim names of all inputs: what expressions may refer to
};

}  // namespace edgeconv
