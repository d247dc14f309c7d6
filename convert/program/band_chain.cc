// See band_chain.h.
#include "convert/program/band_chain.h"

#include <algorithm>

namespace edgeconv {

namespace {

namespace bands = ert::params::row_bands;

ert::Operand operand(const TargetValue& v, const Dims& dims) {
  ert::Operand o;
  o.dtype = v.dtype;
  o.rank = static_cast<uint8_t>(v.shape.size());
  o.constant = v.storage == Storage::kConstant;
  for (size_t i = 0; i < v.shape.size(); ++i) o.dims[i] = static_cast<int32_t>(v.shape[i].evaluate(dims).value());
  return o;
}

}  // namespace

// All size expressions at some dims.
std::vector<int64_t> evaluated(const TargetProgram& p, const Dims& dims) {
  using ert::ExprKind;
  std::vector<int64_t> v;
  for (const ExprRow& r : p.exprs.rows()) {
    const auto lhs = [&] { return v[r.lhs]; };
    const auto rhs = [&] { return v[r.rhs]; };
    switch (r.kind) {
      case ExprKind::kConstant: v.push_back(r.value); break;
      case ExprKind::kDim: v.push_back(dims.at(p.dims[r.lhs].name)); break;
      case ExprKind::kAdd: v.push_back(lhs() + rhs()); break;
      case ExprKind::kSub: v.push_back(lhs() - rhs()); break;
      case ExprKind::kMul:
      case ExprKind::kRows: v.push_back(lhs() * rhs()); break;
      case ExprKind::kMin: v.push_back(std::min(lhs(), rhs())); break;
      case ExprKind::kMax: v.push_back(std::max(lhs(), rhs())); break;
      case ExprKind::kFloorDiv:
      case ExprKind::kMod: {
        const int64_t mod = ((lhs() % rhs()) + rhs()) % rhs();
        v.push_back(r.kind == ExprKind::kMod ? mod : (lhs() - mod) / rhs());
        break;
      }
      case ExprKind::kCount: break;
    }
  }
  return v;
}

// Ops [first, last) as one; exprs(e) is the place of a size expression.
TargetOp chain_of(const TargetProgram& p, int first, int last, int rows, const std::function<int(const DimExpr&)>& exprs) {
  TargetOp chain;
  chain.code = ert::params::OpCode::kRowBands;
  std::map<int, int> values, inputs;
  std::vector<int32_t> of_values, of_ops;
  for (int i = first; i < last; ++i) {
    const TargetOp& op = p.ops[static_cast<size_t>(i)];
    of_ops.insert(of_ops.end(),
                  {static_cast<int32_t>(op.code), static_cast<int32_t>(op.inputs.size()), static_cast<int32_t>(op.outputs.size()),
                   static_cast<int32_t>(op.ints.size()), static_cast<int32_t>(op.floats.size())});
    for (const int v : op.inputs) {
      if (v < 0) {
        of_ops.push_back(bands::kAbsent);
      } else if (const auto inner = values.find(v); inner != values.end()) {
        of_ops.push_back(bands::value_of(inner->second));
      } else {
        const auto [it, fresh] = inputs.try_emplace(v, static_cast<int>(chain.inputs.size()));
        if (fresh) chain.inputs.push_back(v);
        of_ops.push_back(it->second);
      }
    }
    of_ops.insert(of_ops.end(), op.ints.begin(), op.ints.end());
    chain.floats.insert(chain.floats.end(), op.floats.begin(), op.floats.end());
    if (i + 1 == last) break;
    for (const int v : op.outputs) {
      const TargetValue& value = p.values[static_cast<size_t>(v)];
      values.emplace(v, static_cast<int>(values.size()));
      std::vector<int32_t> ints(bands::kValueInts);
      ints[bands::kDtype] = value.dtype;
      ints[bands::kRank] = static_cast<int32_t>(value.shape.size());
      for (size_t axis = 0; axis < value.shape.size(); ++axis) ints.at(bands::kFirstExpr + axis) = exprs(value.shape[axis]);
      of_values.insert(of_values.end(), ints.begin(), ints.end());
    }
  }
  chain.ints = {rows, last - first, static_cast<int32_t>(values.size())};
  chain.ints.insert(chain.ints.end(), of_values.begin(), of_values.end());
  chain.ints.insert(chain.ints.end(), of_ops.begin(), of_ops.end());
  const TargetOp &front = p.ops[static_cast<size_t>(first)], &back = p.ops[static_cast<size_t>(last) - 1];
  chain.outputs = back.outputs;
  chain.name = front.name == back.name ? front.name : front.name + " .. " + back.name;
  return chain;
}

OpAtDims::OpAtDims(const TargetProgram& p, const TargetOp& op, const std::vector<int64_t>& exprs, const Dims& dims) {
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const int v : *list) operands_.push_back(v < 0 ? ert::Operand{} : operand(p.values[static_cast<size_t>(v)], dims));
  const size_t own = operands_.size();
  operands_.resize(own + bands::kMostOperands);
  context_.inner = operands_.data() + own;
  context_.n_inputs = static_cast<uint32_t>(op.inputs.size());
  context_.n_outputs = static_cast<uint32_t>(op.outputs.size());
  context_.inputs = operands_.data();
  context_.outputs = operands_.data() + op.inputs.size();
  context_.ints = op.ints.data();
  context_.n_ints = static_cast<uint32_t>(op.ints.size());
  context_.floats = op.floats.data();
  context_.n_floats = static_cast<uint32_t>(op.floats.size());
  context_.exprs = exprs.data();
  context_.n_exprs = static_cast<uint32_t>(exprs.size());
  def_ = ert::find_op(static_cast<uint16_t>(op.code));
}

std::optional<size_t> OpAtDims::scratch() const {
  size_t bytes = 0;
  if (!def_->prepare(context_, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace edgeconv
