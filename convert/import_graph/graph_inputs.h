// Types and shapes of graph inputs, and types of outputs, as the file declares them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_expr.h"
#include "convert/ir/tensor.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

class InputTypes {
 public:
  // strict: the main graph, whose inputs need a type and a rank; inputs of If and Loop bodies get theirs from outside.
  // fixed: dims that the user gave one size.
  InputTypes(const pb::GraphProto& graph, Diagnostics& d, bool strict, const std::map<std::string, int64_t>& fixed = {});

  DType dtype(const pb::ValueInfoProto& in);
  std::optional<Shape> shape(const pb::ValueInfoProto& in);
  // Dims of the shapes that were asked for, before any was fixed; in order of appearance.
  const std::vector<std::string>& dims() const { return dims_; }

 private:
  DimExpr dim(const pb::TensorShapeProto::Dimension& d, const std::string& input, int axis);

  Diagnostics& diagnostics_;
  bool strict_;
  std::set<std::string> names_;         // plain dim names of all inputs: what expressions may refer to
  std::set<std::string> placeholders_;  // names that an exporter made up and gave to several axes: they say nothing
  std::map<std::string, DimExpr> fixed_;
  std::vector<std::string> dims_;
};

// Of a graph output. kUndefined: the file does not say, or says what no value of a graph is.
DType declared_output_type(const pb::ValueInfoProto& output);

}  // namespace edgeconv
