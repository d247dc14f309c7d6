// Drives lowering: boundary conversions, constants and symbolic integers on demand, one function per kind of node.
#include "convert/lower/lower.h"

#include <algorithm>
#include <stdexcept>

#include "convert/lower/missing_ops.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;

#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) void lowering(LowerContext& c, const Node& n);
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP

void lower_none(LowerContext&, const Node&) {}  // stands for none and is never called

LowerFunction lower_function(OpKind kind) {
  static constexpr LowerFunction kFunctions[] = {
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) lowering,
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP
  };
  const LowerFunction f = kFunctions[static_cast<size_t>(kind)];
  return f == lower_none ? nullptr : f;
}

uint8_t runtime_dtype(DType t) {
  if (is_float(t)) return ERT_F32;
  if (t == DType::kBool) return ERT_BOOL;
  return is_integer(t) ? ERT_I32 : 0;
}

namespace {

// A constant as the runtime computes with it; floats stay where they are. Integers beyond 32 bits occur as sentinels (INT64_MAX
// as "to the end"); they keep their meaning when saturated.
Tensor runtime_constant(const Tensor& t) {
  if (is_float(t.dtype())) return t.cast(DType::kFloat);
  return t.dtype() == DType::kBool ? t.cast(DType::kUint8).cast(DType::kBool) : t.cast(DType::kInt32);
}

Shape constant_shape(const Tensor& t) { return Shape(t.dims().begin(), t.dims().end()); }

}  // namespace

int LowerContext::constant_f32(Shape s, const std::vector<float>& v) {
  return program.add_constant(ERT_F32, std::move(s), Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(v.size())}, v));
}

PackedConstants LowerContext::constants(const PackedWeights& w) {
  const int codes = program.add_constant(w.layout, {w.n, w.k}, w.codes), scale = program.add_constant(ERT_F32, {w.scale.elements()}, w.scale);
  return {codes, scale, w.colsum.bytes() ? program.add_constant(ERT_I32, {w.n}, w.colsum) : -1};
}

int LowerContext::constant_i32(Shape s, const std::vector<int32_t>& v) {
  return program.add_constant(ERT_I32, std::move(s), Tensor::of<int32_t>(DType::kInt32, {static_cast<int64_t>(v.size())}, v));
}

std::optional<std::vector<DimExpr>> LowerContext::elements(ValueId v) const {
  if (v == kNone) return {};
  const Value& value = graph.value(v);
  if (value.elements) return value.elements;
  if (!value.constant || value.constant->rank() > 1) return {};
  const std::vector<int64_t> ints = value.constant->to_int64();
  return std::vector<DimExpr>(ints.begin(), ints.end());
}

std::vector<float> LowerContext::smoothing() const {
  if (!options.plan.of(node_id).smoothed) return {};
  if (!options.smoothing) throw std::logic_error("the plan smooths a layer, but there are no factors");
  return options.smoothing->at(node_id);
}

const MapLayer* LowerContext::map_layer() const {
  const auto at = maps.find(node_id);
  return at != maps.end() && options.plan.of(node_id).precision == ert::params::linear::kInt8 ? &at->second : nullptr;
}

const Shape& LowerContext::shape(ValueId v) const {
  const Value& value = graph.value(v);
  if (!value.shape) throw std::logic_error("'" + value.name + "' is lowered without a shape");
  return *value.shape;
}

int LowerContext::operand(ValueId v) {
  if (v == kNone) return -1;
  if (const auto it = targets_.find(v); it != targets_.end()) return it->second;
  const Value& value = graph.value(v);
  int target = -1;
  if (value.constant) {
    target = program.add_constant(runtime_dtype(value.dtype), constant_shape(*value.constant), runtime_constant(*value.constant));
  } else if (value.elements) {
    target = program.add_value(runtime_dtype(value.dtype), shape(v));
    TargetOp made{OpCode::kDimsToTensor, {}, {target}, {}, {}, value.name};
    for (const DimExpr& e : *value.elements) made.ints.push_back(expr(e));
    program.ops.push_back(std::move(made));
  } else {
    // Its producer could not be lowered and has been reported: any value of the right type keeps the walk going.
    target = program.add_value(runtime_dtype(value.dtype), value.shape.value_or(Shape{}));
  }
  targets_[v] = target;
  return target;
}

int LowerContext::result(ValueId v) {
  const Value& value = graph.value(v);
  const int target = program.add_value(runtime_dtype(value.dtype), shape(v));
  targets_[v] = target;
  return target;
}

TargetOp& LowerContext::op(const Node& n, OpCode code, std::vector<int> inputs, std::vector<int> outputs,
                           std::vector<int32_t> ints, std::vector<float> floats) {
  program.ops.push_back({code, std::move(inputs), std::move(outputs), std::move(ints), std::move(floats), n.origin.node});
  return program.ops.back();
}

int LowerContext::as_dtype(const Node& n, int value, uint8_t dtype, const Shape& s) {
  if (program.values[static_cast<size_t>(value)].dtype == dtype) return value;
  const int cast = temporary(dtype, s);
  op(n, OpCode::kCast, {value}, {cast});
  return cast;
}

void LowerContext::wrap_narrow(const Node& n, ValueId output) {
  const DType t = graph.value(output).dtype;
  const Shape& s = shape(output);
  const int wide = operand(output);
  if (t == DType::kUint8 || t == DType::kInt8) {
    const int narrow = as_dtype(n, wide, t == DType::kUint8 ? ERT_U8 : ERT_I8, s);
    bind(output, as_dtype(n, narrow, ERT_I32, s));
  } else if (t == DType::kUint16 || t == DType::kInt16) {
    const auto binary = [&](int lhs, ert::params::binary::Kind kind, int32_t rhs) {
      const int r = temporary(ERT_I32, s);
      op(n, OpCode::kBinary, {lhs, constant_i32({}, {rhs})}, {r},
         named<ert::params::binary::kIntCount>({{ert::params::binary::kKind, kind}}));
      return r;
    };
    const int32_t low = t == DType::kInt16 ? 0x8000 : 0;
    namespace kinds = ert::params::binary;
    const int shifted = low == 0 ? wide : binary(wide, kinds::kAdd, low);
    const int wrapped = binary(shifted, kinds::kMod, 0x10000);
    bind(output, low == 0 ? wrapped : binary(wrapped, kinds::kSub, low));
  }
}

void LowerContext::unsupported(const Node& n, const std::string& reason, const std::string& hint) {
  std::string shapes;
  for (ValueId v : n.inputs)
    if (v != kNone && graph.value(v).shape) shapes += (shapes.empty() ? "" : ", ") + shape_str(*graph.value(v).shape);
  diagnostics.unsupported({n.origin.op_type, n.origin.node + (n.origin.scope.empty() ? "" : " (" + n.origin.scope + ")"),
                           "inputs " + shapes, reason, hint});
}

namespace {

// Pixels and samples that nothing reads but casts to float.
bool becomes_float(const Graph& g, ValueId input) {
  const DType t = g.value(input).dtype;
  if ((t != DType::kUint8 && t != DType::kInt8 && t != DType::kInt16) || g.is_output(input)) return false;
  bool any = false;
  for (const Node& n : g.nodes) {
    if (n.dead || std::find(n.inputs.begin(), n.inputs.end(), input) == n.inputs.end()) continue;
    if (n.kind != OpKind::kCast || !is_float(n.as<CastAttrs>().to)) return false;
    any = true;
  }
  return any;
}

// Boundary integers enter as 32 bits, but for those that are floats at once.
void lower_inputs(LowerContext& c) {
  for (size_t i = 0; i < c.graph.inputs.size(); ++i) {
    const ValueId id = c.graph.inputs[i];
    const Value& v = c.graph.value(id);
    const uint8_t at_boundary = ert_dtype_of(v.dtype);
    if (!at_boundary || !v.shape) {
      c.diagnostics.unsupported({"input", v.name, "",
                                 at_boundary
                                     ? "its rank is unknown"
                                     : "element type " + std::string(dtype_name(v.dtype)) + " is not supported for an input",
                                 "export with float32 or integer inputs of known rank"});
      continue;
    }
    const int bound = c.program.add_value(at_boundary, *v.shape);
    c.program.values.back().storage = Storage::kInput;
    c.program.values.back().index = static_cast<int>(i);
    TargetInput in{v.name, at_boundary, bound, INT32_MIN, INT32_MAX};
    if (const auto it = c.options.input_range.find(id); it != c.options.input_range.end()) std::tie(in.min, in.max) = it->second;
    c.program.inputs.push_back(in);
    if (at_boundary == ERT_F32) {
      c.bind(id, bound);
    } else if (at_boundary == ERT_I16 || becomes_float(c.graph, id)) {
      const int raw = c.temporary(ERT_F32, *v.shape);
      c.program.ops.push_back({OpCode::kImportFloat, {bound}, {raw}, {}, {}, v.name});
      if (becomes_float(c.graph, id)) {
        c.bind(id, raw);  // casts find it done
      } else {
        c.program.ops.push_back({OpCode::kCast, {raw}, {c.result(id)}, {}, {}, v.name});
      }
    } else {
      const int inner = c.result(id);
      c.program.ops.push_back({OpCode::kImportInt, {bound}, {inner}, {}, {}, v.name});
    }
  }
}

// An output is written in place by its producer where that is possible; otherwise it is copied.
void lower_outputs(LowerContext& c) {
  for (size_t i = 0; i < c.graph.outputs.size(); ++i) {
    const ValueId id = c.graph.outputs[i];
    const Value& v = c.graph.value(id);
    const uint8_t at_boundary = v.dtype == DType::kInt16 ? 0 : ert_dtype_of(v.dtype);
    if (!at_boundary || !v.shape) {
      c.diagnostics.unsupported(
          {"output", v.name, "",
           at_boundary ? "its shape is not known"
                       : "element type " + std::string(dtype_name(v.dtype)) + " is not supported for an output",
           at_boundary ? "export without sizes that depend on data" : "cast it to float32 or an integer type in the model"});
      continue;
    }
    const int source = c.operand(id);
    TargetValue& produced = c.program.values[static_cast<size_t>(source)];
    int bound = source;
    if (at_boundary == ERT_F32 && produced.storage == Storage::kArena) {
      produced.storage = Storage::kOutput;
      produced.index = static_cast<int>(i);
    } else {
      bound = c.program.add_value(at_boundary, c.shape(id));
      c.program.values.back().storage = Storage::kOutput;
      c.program.values.back().index = static_cast<int>(i);
      const bool bytes = at_boundary == ERT_U8 || at_boundary == ERT_I8;
      const OpCode code = at_boundary == ERT_F32 ? OpCode::kCopy : bytes ? OpCode::kCast : OpCode::kExportInt;
      c.program.ops.push_back({code, {source}, {bound}, {}, {}, v.name});
    }
    c.program.outputs.push_back({v.name, at_boundary, bound});
  }
}

}  // namespace

LowerOptions lower_options(const DimPlan& dims) {
  LowerOptions o;
  o.dim_range = dims.range;
  o.input_range = dims.input_range;
  return o;
}

TargetProgram lower(const Graph& g, const LowerOptions& o, Diagnostics& d) {
  std::vector<TargetDim> dims;
  for (const auto& [name, range] : o.dim_range) dims.push_back({name, range.first, range.second});
  TargetProgram p(dims);
  WeightStore own;
  LowerContext c(g, o, o.weights ? *o.weights : own, p, d);
  if (o.plan.maps && o.plan.count(ert::params::linear::kInt8) > 0) c.maps = map_layers(g);
  lower_inputs(c);
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.dead) continue;
    // Shape arithmetic whose result is known as expressions needs no op; operand() materialises it where data ops read it.
    bool known = true, complete = true;
    for (ValueId v : n.outputs) {
      if (v == kNone) continue;
      known &= g.value(v).elements.has_value() || g.value(v).constant.has_value();
      complete &= g.value(v).shape.has_value() && runtime_dtype(g.value(v).dtype) != 0;
      if (g.value(v).shape && g.value(v).rank() > static_cast<int>(ERT_MAX_RANK))
        c.unsupported(n, "rank above 8", "reshape to fewer axes");
    }
    if (known) continue;
    const LowerFunction function = lower_function(n.kind);
    if (!function) {
      const MissingOp m = missing_op(g, n);
      c.unsupported(n, m.reason, m.hint);
    } else if (!complete) {
      c.unsupported(n, "the shape or type of its output could not be determined at conversion",
                    "export with static shapes for this part, or without data-dependent sizes");
    } else {
      c.node_id = static_cast<NodeId>(i);
      function(c, n);
    }
  }
  lower_outputs(c);
  return p;
}

}  // namespace edgeconv
