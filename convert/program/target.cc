// Building blocks of the target program: shared size expressions, values, dead code.
#include "convert/program/target.h"

#include <stdexcept>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::ExprKind;

ExprTable::ExprTable(const std::vector<TargetDim>& dims) {
  for (size_t i = 0; i < dims.size(); ++i) dims_[dims[i].name] = static_cast<int>(i);
}

int ExprTable::row(ExprRow r) {
  const auto [it, fresh] = index_.try_emplace(r, static_cast<int>(rows_.size()));
  if (fresh) rows_.push_back(r);
  return it->second;
}

int ExprTable::atom(const DimExpr::Atom& a) {
  using K = DimExpr::Atom::Kind;
  if (a.kind == K::kSymbol) {
    if (const auto rows = packed_rows_.find(a.name); rows != packed_rows_.end()) return rows->second;
    const auto it = dims_.find(a.name);
    if (it == dims_.end()) throw std::logic_error("size depends on the unbound dim '" + a.name + "'");
    return row({ExprKind::kDim, static_cast<uint32_t>(it->second), 0, 0});
  }
  const auto lhs = static_cast<uint32_t>(add(a.lhs)), rhs = static_cast<uint32_t>(add(a.rhs));
  switch (a.kind) {
    case K::kFloorDiv: return row({ExprKind::kFloorDiv, lhs, rhs, 0});
    case K::kMod: return row({ExprKind::kMod, lhs, rhs, 0});
    case K::kMin: return row({ExprKind::kMin, lhs, rhs, 0});
    case K::kMax: return row({ExprKind::kMax, lhs, rhs, 0});
    case K::kSymbol: break;
  }
  throw std::logic_error("no size expression for this atom");
}

int ExprTable::add(const DimExpr& e) {
  int sum = -1;
  for (const DimExpr::Term& t : e.terms()) {
    int product = -1;
    for (const auto& f : t.factors) {
      const int a = atom(*f);
      product = product < 0 ? a : row({ExprKind::kMul, static_cast<uint32_t>(product), static_cast<uint32_t>(a), 0});
    }
    if (product < 0 || t.coefficient != 1) {
      const int c = row({ExprKind::kConstant, 0, 0, t.coefficient});
      product = product < 0 ? c : row({ExprKind::kMul, static_cast<uint32_t>(product), static_cast<uint32_t>(c), 0});
    }
    sum = sum < 0 ? product : row({ExprKind::kAdd, static_cast<uint32_t>(sum), static_cast<uint32_t>(product), 0});
  }
  return sum < 0 ? row({ExprKind::kConstant, 0, 0, 0}) : sum;
}

void ExprTable::declare_rows(const std::string& name, const DimExpr& batch, const DimExpr& sequence) {
  const auto lhs = static_cast<uint32_t>(add(batch)), rhs = static_cast<uint32_t>(add(sequence));
  packed_rows_[name] = row({ExprKind::kRows, lhs, rhs, 0});
}

int TargetProgram::add_value(uint8_t dtype, Shape shape) {
  TargetValue v;
  v.dtype = dtype;
  v.shape = std::move(shape);
  values.push_back(std::move(v));
  return static_cast<int>(values.size()) - 1;
}

int TargetProgram::add_constant(uint8_t dtype, Shape shape, Tensor data) {
  const int v = add_value(dtype, std::move(shape));
  values.back().storage = Storage::kConstant;
  values.back().data = std::move(data);
  return v;
}

int TargetProgram::add_alias(int of, Shape shape) {
  const int base = root(of);
  const int v = add_value(values[static_cast<size_t>(base)].dtype, std::move(shape));
  values.back().storage = Storage::kAlias;
  values.back().index = base;
  return v;
}

int TargetProgram::root(int v) const {
  // at: an absent operand (-1) that is taken for a value must not read what lies before the first.
  while (values.at(static_cast<size_t>(v)).storage == Storage::kAlias) v = values[static_cast<size_t>(v)].index;
  return v;
}

void TargetProgram::remove_dead() {
  std::vector<char> live(values.size(), 0);
  const auto mark = [&](int v) {
    if (v < 0) return;
    live[static_cast<size_t>(v)] = 1;
    live[static_cast<size_t>(root(v))] = 1;
  };
  for (const TargetInput& i : inputs) mark(i.value);
  for (const TargetOutput& o : outputs) mark(o.value);
  std::vector<TargetOp> kept;
  for (size_t i = ops.size(); i-- > 0;) {
    bool needed = false;
    for (int o : ops[i].outputs) needed |= o >= 0 && live[static_cast<size_t>(o)];
    if (!needed) continue;
    for (int v : ops[i].outputs) mark(v);
    for (int v : ops[i].inputs) mark(v);
    kept.push_back(std::move(ops[i]));
  }
  ops.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));

  std::vector<int> renumbered(values.size(), -1);
  std::vector<TargetValue> kept_values;
  for (size_t v = 0; v < values.size(); ++v) {
    if (!live[v]) continue;
    renumbered[v] = static_cast<int>(kept_values.size());
    kept_values.push_back(std::move(values[v]));
  }
  values = std::move(kept_values);
  const auto renumber = [&](int& v) {
    if (v >= 0) v = renumbered[static_cast<size_t>(v)];
  };
  for (TargetValue& v : values)
    if (v.storage == Storage::kAlias) renumber(v.index);
  for (TargetInput& i : inputs) renumber(i.value);
  for (TargetOutput& o : outputs) renumber(o.value);
  for (TargetOp& op : ops) {
    for (int& v : op.inputs) renumber(v);
    for (int& v : op.outputs) renumber(v);
  }
}

size_t element_bytes(uint8_t dtype) {
  switch (dtype) {
    case ERT_F32:
    case ERT_I32: return 4;
    case ERT_I64: return 8;
    default: return 1;
  }
}

int64_t value_bytes(const TargetValue& v, const std::map<std::string, int64_t>& dims) {
  std::vector<int64_t> size;
  for (const DimExpr& d : v.shape) size.push_back(d.evaluate(dims).value());
  if (ert::params::is_packed(v.dtype))
    return static_cast<int64_t>(ert::kernels::packed_bytes(ert::params::kernel_layout(v.dtype), static_cast<size_t>(size[0]),
                                                           static_cast<size_t>(size[1])));
  int64_t n = static_cast<int64_t>(element_bytes(v.dtype));
  for (int64_t s : size) n *= s;
  return n;
}

}  // namespace edgeconv
