// A factor for each column of all rows (the gates of squeeze-and-excitation, for one picture) that only a quantizing Linear's rows are multiplied by: the Linear multiplies
// them as it reads them, as it does with smoothing factors. With those the gates are multiplied first, C values instead of all rows.
#include <algorithm>

#include "convert/program/program_pass.h"
#include "convert/program/value_uses.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace linear = ert::params::linear;
using ert::params::OpCode;

// [1, .., 1, columns], and no constant: those are folded into weights.
bool is_one_row(const TargetProgram& p, int v, const DimExpr& columns) {
  const TargetValue& value = p.values[static_cast<size_t>(v)];
  const Storage storage = p.values[static_cast<size_t>(p.root(v))].storage;
  return value.dtype == ERT_F32 && storage != Storage::kConstant && !value.shape.empty() && value.shape.back() == columns &&
         std::all_of(value.shape.begin(), value.shape.end() - 1, [](const DimExpr& d) { return d == DimExpr(1); });
}

// Which operand of the product is such a row; the other one is as large as the product. -1: none.
int gate_of(const TargetProgram& p, const TargetOp& product) {
  const Shape& out = p.values[static_cast<size_t>(product.outputs[0])].shape;
  for (const int i : {0, 1}) {
    const TargetValue& rows = p.values[static_cast<size_t>(product.inputs[static_cast<size_t>(1 - i)])];
    if (!out.empty() && rows.dtype == ERT_F32 && rows.shape == out && is_one_row(p, product.inputs[static_cast<size_t>(i)], out.back())) return i;
  }
  return -1;
}

bool fold(TargetProgram& p, const ValueUses& uses, size_t at) {
  if (p.ops[at].code != OpCode::kLinear || p.ops[at].ints[linear::kPrecision] == linear::kF32) return false;
  const int x = p.ops[at].inputs[linear::kX];
  const int writer = uses.writer(x);
  if (writer < 0 || p.ops[static_cast<size_t>(writer)].code != OpCode::kBinary) return false;
  TargetOp& product = p.ops[static_cast<size_t>(writer)];
  if (product.ints[binary::kKind] != binary::kMul || product.outputs[0] != x || !uses.is_internal(x) || uses.readers(x).size() != 1) return false;
  const int i = gate_of(p, product);
  if (i < 0) return false;
  const int rows = product.inputs[static_cast<size_t>(1 - i)], smooth = p.ops[at].inputs[linear::kInvSmooth];
  const Shape one_axis{p.values[static_cast<size_t>(x)].shape.back()};
  int factors = p.add_alias(product.inputs[static_cast<size_t>(i)], one_axis);
  if (smooth >= 0) {
    const int both = p.add_value(ERT_F32, one_axis);
    product.inputs = {factors, smooth};
    product.outputs = {both};
    factors = both;
  }
  p.ops[at].inputs[linear::kX] = rows;
  p.ops[at].inputs[linear::kInvSmooth] = factors;
  return true;
}

}  // namespace

int pass_fold_row_factors(TargetProgram& p, const ProgramPassOptions&) {
  int folded = 0;
  const ValueUses uses(p);  // of what a Linear reads nothing changes but by its own fold
  for (size_t i = 0; i < p.ops.size(); ++i) folded += fold(p, uses, i);
  if (folded > 0) p.remove_dead();
  return folded;
}

}  // namespace edgeconv
