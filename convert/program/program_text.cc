// See program_text.h.
//   dim batch: 1 to 8
//   input ids %0: int64 [batch, sequence] from -1000 to 999
//   constant %2: N16K4 [8, 8] {1, 0, 3, 4, .. 128 elements}
//   %3: float32 [batch, 8] slot 0 = Linear(%1, %2, -, %4, %5, -) ints {0, -1}  # /encoder/MatMul
//   output logits %9: float32 [batch, 2]
#include "convert/program/program_text.h"

#include "convert/ir/attributes_text.h"
#include "convert/ir/diagnostics.h"
#include "convert/program/weight_layout.h"
#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace edgeconv {

namespace {

std::string dtype_text(uint8_t t) {
  for (const WeightTarget& target : kWeightTargets)
    if (t == target.dtype) return std::string(target.layout);
  return std::string(dtype_name(dtype_of_ert(t)));
}

std::string definition(const TargetProgram& p, int v) {
  if (v < 0) return "-";
  const TargetValue& value = p.values[static_cast<size_t>(v)];
  std::string s = "%" + std::to_string(v) + ": " + dtype_text(value.dtype) + " " + shape_str(value.shape);
  if (value.storage == Storage::kArena && p.slots > 0) s += " slot " + std::to_string(value.index);
  if (value.storage == Storage::kAlias) s += " alias of %" + std::to_string(value.index);
  if (value.storage == Storage::kConstant) s += " " + tensor_text(value.data);
  return s;
}

// ", " between, "-" for an absent operand. Views are told in full: nothing else defines them.
std::string operands(const TargetProgram& p, const std::vector<int>& values) {
  std::string s;
  for (size_t i = 0; i < values.size(); ++i) {
    const int v = values[i];
    const bool view = v >= 0 && p.values[static_cast<size_t>(v)].storage == Storage::kAlias;
    s += (i ? ", " : "") + (v < 0 ? "-" : view ? definition(p, v) : "%" + std::to_string(v));
  }
  return s;
}

template <class T>
std::string list(const char* name, const std::vector<T>& numbers, DType dtype) {
  std::string s;
  for (const T& n : numbers) {
    const std::string one = tensor_text(Tensor::of<T>(dtype, {1}, {n}));
    s += (s.empty() ? "" : ", ") + one.substr(1, one.size() - 2);
  }
  return s.empty() ? "" : " " + std::string(name) + " {" + s + "}";
}

std::string op_text(const TargetProgram& p, const TargetOp& op) {
  std::string s;
  for (size_t i = 0; i < op.outputs.size(); ++i) s += (i ? ", " : "") + definition(p, op.outputs[i]);
  const ert::OpDef* def = ert::find_op(static_cast<uint16_t>(op.code));
  s += " = " + (def ? std::string(def->name) : "op " + std::to_string(static_cast<int>(op.code))) + "(" + operands(p, op.inputs) +
       ")";
  s += list("ints", op.ints, DType::kInt32) + list("floats", op.floats, DType::kFloat);
  return s + "  # " + printable(op.name);
}

// Operands are rows above.
std::string expr_text(const TargetProgram& p, const ExprRow& r) {
  static constexpr const char* kOperators[] = {"", "", "+", "-", "*", "/", "min", "max", "mod", "rows of"};
  static_assert(std::size(kOperators) == static_cast<size_t>(ert::ExprKind::kCount));
  if (r.kind == static_cast<uint32_t>(ert::ExprKind::kConstant)) return std::to_string(r.value);
  if (r.kind == static_cast<uint32_t>(ert::ExprKind::kDim)) return printable(p.dims[r.lhs].name);
  return "e" + std::to_string(r.lhs) + " " + kOperators[r.kind] + " e" + std::to_string(r.rhs);
}

}  // namespace

std::string program_text(const TargetProgram& p) {
  std::string s;
  for (const TargetDim& d : p.dims)
    s += "dim " + printable(d.name) + ": " + std::to_string(d.min) + " to " + std::to_string(d.max) + "\n";
  if (p.packing)
    s += "packing " + printable(p.packing->rows) + ": rows where input " + std::to_string(p.packing->mask) + " is not " +
         std::to_string(p.packing->padding) + "\n";
  for (const TargetInput& in : p.inputs)
    s += "input " + printable(in.name) + " " + definition(p, in.value) + " from " + std::to_string(in.min) + " to " +
         std::to_string(in.max) + "\n";
  for (size_t v = 0; v < p.values.size(); ++v)
    if (p.values[v].storage == Storage::kConstant) s += "constant " + definition(p, static_cast<int>(v)) + "\n";
  for (const TargetOp& op : p.ops) s += op_text(p, op) + "\n";
  for (const TargetOutput& o : p.outputs) s += "output " + printable(o.name) + " " + definition(p, o.value) + "\n";
  for (const TargetCustomOp& c : p.custom_ops) s += "custom " + printable(c.name) + "\n";
  for (size_t i = 0; i < p.exprs.rows().size(); ++i)
    s += "size e" + std::to_string(i) + " = " + expr_text(p, p.exprs.rows()[i]) + "\n";
  return s;
}

}  // namespace edgeconv
