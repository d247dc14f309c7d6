// Declared input types. Names on output dims are ignored on purpose: exporters put wrong ones there.
#include "convert/import_graph/graph_inputs.h"

#include <algorithm>

#include "convert/ir/dim_multiple.h"
#include "convert/onnx/dim_params.h"
#include "convert/onnx/model.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {
namespace {

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

bool is_number(const std::string& s) {
  return !s.empty() && s.size() < 19 && s.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

InputTypes::InputTypes(const pb::GraphProto& graph, Diagnostics& d, bool strict, const std::map<std::string, int64_t>& fixed)
    : diagnostics_(d), strict_(strict), fixed_(fixed.begin(), fixed.end()) {
  placeholders_.insert("?");
  for (const auto& in : graph.input())
    for (const auto& dim : in.type().tensor_type().shape().dim()) {
      const std::string name = trimmed(dim.dim_param());
      if (!is_plain_dim_name(name)) continue;
      if (!names_.insert(name).second && name.rfind("unk__", 0) == 0) placeholders_.insert(name);
    }
}

DType InputTypes::dtype(const pb::ValueInfoProto& in) {
  if (!strict_ && (!in.has_type() || in.type().value_case() == pb::TypeProto::VALUE_NOT_SET)) return DType::kUndefined;
  const char* hint = "the converter takes tensors only; remove this input from the exported model";
  switch (in.type().value_case()) {
    case pb::TypeProto::kTensorType: break;
    case pb::TypeProto::VALUE_NOT_SET:
      diagnostics_.malformed("the graph input '" + in.name() + "' has no type");
      return DType::kUndefined;
    default:
      diagnostics_.unsupported(
          {"graph input", in.name(), "", "the input is a sequence, a map, an optional or a sparse tensor", hint});
      return DType::kUndefined;
  }
  try {
    if (!strict_ && in.type().tensor_type().elem_type() == 0) return DType::kUndefined;
    return supported_dtype(in.type().tensor_type().elem_type(), "the input");
  } catch (const NodeError& e) {
    diagnostics_.malformed("the graph input '" + in.name() + "': " + e.what());
    return DType::kUndefined;
  } catch (const NodeUnsupported& e) {
    diagnostics_.unsupported({"graph input", in.name(), "", e.what(), e.hint});
    return DType::kUndefined;
  }
}

std::optional<Shape> InputTypes::shape(const pb::ValueInfoProto& in) {
  if (!strict_) return std::nullopt;
  if (!in.type().tensor_type().has_shape()) {
    if (in.type().value_case() == pb::TypeProto::kTensorType)
      diagnostics_.unsupported({"graph input", in.name(), "", "the input has no shape, not even a rank",
                                "export the model with shapes on its inputs"});
    return std::nullopt;
  }
  const auto& dims = in.type().tensor_type().shape().dim();
  if (dims.size() > 16) {
    diagnostics_.malformed("the graph input '" + in.name() + "' has " + std::to_string(dims.size()) + " axes");
    return std::nullopt;
  }
  Shape s;
  for (int i = 0; i < dims.size(); ++i) {
    s.push_back(dim(dims[i], in.name(), i));
    for (const std::string& name : s.back().symbols())
      if (std::find(dims_.begin(), dims_.end(), name) == dims_.end()) dims_.push_back(name);
    if (!fixed_.empty()) s.back() = s.back().substitute(fixed_);
  }
  return s;
}

DimExpr InputTypes::dim(const pb::TensorShapeProto::Dimension& d, const std::string& input, int axis) {
  if (d.has_dim_value() && d.dim_value() > 0) return DimExpr(d.dim_value());
  const std::string declared = trimmed(d.dim_param()), text = placeholders_.count(declared) > 0 ? "" : declared;
  if (is_plain_dim_name(text)) return DimExpr::symbol(text);
  if (is_number(text)) return DimExpr(std::stoll(text));
  if (!text.empty()) {
    if (auto e = parse_dim_expression(text, names_)) return *e;
    return DimExpr::symbol(printable(text));
  }
  // Unnamed, or a size of 0 or -1, which exporters write for "unknown".
  std::string name = printable(input) + "_" + std::to_string(axis);
  if (multiple_of_dim(name) > 1) name.insert(0, "_");  // of an input that is called so
  while (names_.count(name) > 0) name += "_";
  names_.insert(name);
  return DimExpr::symbol(name);
}

DType declared_output_type(const pb::ValueInfoProto& output) {
  try {
    return output.type().tensor_type().elem_type() == 0 ? DType::kUndefined
                                                        : supported_dtype(output.type().tensor_type().elem_type(), "the output");
  } catch (const NodeError&) {
  } catch (const NodeUnsupported&) {
  }
  return DType::kUndefined;
}

}  // namespace edgeconv
