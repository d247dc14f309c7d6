// Operators that the user passes through with --custom-op: attributes as they are, output types as the file declares them.
#include "convert/import/custom.h"

#include "convert/import/building_blocks.h"
#include "convert/onnx/dim_params.h"
#include "convert/onnx/onnx.pb.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {

namespace {

enum AttributeType { kFloat = 1, kInt = 2, kString = 3, kFloats = 6, kInts = 7 };

int64_t checked(const pb::AttributeProto& a, int64_t v) {
  if (v < INT32_MIN || v > INT32_MAX)
    refuse("its attribute '" + a.name() + "' does not fit in 32 bits",
           "kernels receive 32-bit integers; store the number otherwise");
  return v;
}

CustomAttrs attributes_of(const OnnxNode& n) {
  CustomAttrs r{n.domain, n.op_type, {}, {}};
  for (const pb::AttributeProto& a : n.proto->attribute()) {
    switch (a.type()) {
      case kFloat: r.attributes.emplace_back(a.name(), a.f()); break;
      case kInt: r.attributes.emplace_back(a.name(), checked(a, a.i())); break;
      case kString: r.attributes.emplace_back(a.name(), a.s()); break;
      case kFloats: r.attributes.emplace_back(a.name(), std::vector<float>(a.floats().begin(), a.floats().end())); break;
      case kInts: {
        std::vector<int64_t> all;
        for (int64_t v : a.ints()) all.push_back(checked(a, v));
        r.attributes.emplace_back(a.name(), std::move(all));
        break;
      }
      default:
        refuse("its attribute '" + a.name() + "' is neither a number, a list of numbers nor a string",
               "pass tensors as inputs of the operator");
    }
    if (a.type() == kString && a.s().find('\0') != std::string::npos)
      refuse("its attribute '" + a.name() + "' holds a zero byte", "pass bytes as an input of the operator");
  }
  return r;
}

}  // namespace

std::optional<Shape> declared_shape(const pb::ValueInfoProto& info, const std::set<std::string>& names) {
  if (!info.type().has_tensor_type() || !info.type().tensor_type().has_shape()) return {};
  Shape s;
  for (const auto& d : info.type().tensor_type().shape().dim()) {
    std::optional<DimExpr> size;
    if (d.value_case() == pb::TensorShapeProto::Dimension::kDimParam)
      size = parse_dim_expression(d.dim_param(), names);
    else if (d.dim_value() > 0)
      size = DimExpr(d.dim_value());
    if (!size) return {};
    s.push_back(*size);
  }
  return s;
}

void import_custom(ImportContext& c, const OnnxNode& n, const std::map<std::string, const pb::ValueInfoProto*>& declared) {
  CustomAttrs attrs = attributes_of(n);
  Graph& g = c.graph();
  std::set<std::string> names;
  for (ValueId v : g.inputs)
    if (g.value(v).shape)
      for (const DimExpr& e : *g.value(v).shape)
        for (const std::string& s : e.symbols()) names.insert(s);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(c.input(n, i));
  std::vector<std::pair<DType, std::optional<Shape>>> types;
  for (const std::string& output : n.outputs) {
    const auto it = declared.find(output);
    DType t = DType::kUndefined;
    std::optional<Shape> s;
    if (it != declared.end()) {
      if (it->second->type().tensor_type().elem_type() != 0)
        t = supported_dtype(it->second->type().tensor_type().elem_type(), "an output of the operator");
      s = declared_shape(*it->second, names);
    }
    attrs.declared.push_back(t != DType::kUndefined && s.has_value());
    types.emplace_back(t, std::move(s));
  }
  c.emit(n, OpKind::kCustom, std::move(inputs), std::move(attrs));
  const Node& made = g.nodes.back();
  for (size_t i = 0; i < made.outputs.size(); ++i) {
    if (made.outputs[i] == kNone) continue;
    g.value(made.outputs[i]).dtype = types[i].first;
    if (made.as<CustomAttrs>().declared[i]) g.value(made.outputs[i]).shape = types[i].second;
  }
}

}  // namespace edgeconv
