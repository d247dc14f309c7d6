// See map_ops.h.
#include "convert/program/map_ops.h"

#include <algorithm>

#include "rt/include/ert.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;
namespace quantize = ert::params::quantize_map;

// 1 / f, each.
int reciprocal(TargetProgram& p, int factors) {
  const TargetValue& f = p.values[static_cast<size_t>(factors)];
  const auto from = f.data.as<float>();
  std::vector<float> r;
  for (const float x : from) r.push_back(1.0f / x);
  const Shape shape = f.shape;
  return p.add_constant(ERT_F32, shape, Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(r.size())}, r));
}

}  // namespace

bool gives_floats_of_map(const TargetOp& op) {
  return (op.code == OpCode::kMapConv || op.code == OpCode::kMapDepthwiseConv) && op.outputs.size() == 1;
}

bool is_map_mean(const TargetProgram& p, const TargetOp& op) {
  namespace reduce = ert::params::reduce;
  constexpr int32_t kRowsAndColumns = 1 << 1 | 1 << 2;
  if (op.code != OpCode::kReduce) return false;  // others may have no input
  const TargetValue& x = p.values[static_cast<size_t>(op.inputs[0])];
  return op.ints[reduce::kKind] == reduce::kMean && op.ints[reduce::kAxisMask] == kRowsAndColumns && x.dtype == ERT_F32 &&
         x.shape.size() == 4 && x.shape[3].is_constant();
}

bool can_be_map(const TargetProgram& p, const ValueUses& uses, int value, int reader) {
  const TargetValue& v = p.values[static_cast<size_t>(value)];
  if (!uses.is_internal(value) || v.dtype != ERT_F32 || v.shape.size() != 4 || !v.shape[3].is_constant()) return false;
  bool is_map = gives_floats_of_map(p.ops[static_cast<size_t>(uses.writer(value))]);
  for (const ValueUses::Reader& r : uses.readers(value)) {
    const TargetOp& op = p.ops[static_cast<size_t>(r.op)];
    if (op.code == OpCode::kQuantizeMap)
      is_map = true;
    else if (r.op != reader && !is_map_mean(p, op))
      return false;
  }
  return is_map;
}

ProgramMap map_of(TargetProgram& p, int value, int& reader) {
  const ValueUses uses(p);
  const auto behind_writer = p.ops.begin() + uses.writer(value) + 1;
  const auto& readers = uses.readers(value);
  const auto found = std::find_if(readers.begin(), readers.end(), [&](const ValueUses::Reader& r) {
    return p.ops[static_cast<size_t>(r.op)].code == OpCode::kQuantizeMap;
  });
  TargetOp map;
  if (found == readers.end()) {
    const Shape shape = p.values[static_cast<size_t>(value)].shape;
    const int q = p.add_value(ERT_U8, shape), scales = p.add_value(ERT_I32, {shape[0], shape[1], DimExpr(2)});
    map = {OpCode::kQuantizeMap, {value, -1}, {q, scales}, {}, {}, std::prev(behind_writer)->name};
    p.ops.insert(behind_writer, map);
    ++reader;
  } else {
    const auto at = p.ops.begin() + found->op;
    map = *at;
    if (found->op > reader) {
      std::rotate(behind_writer, at, at + 1);
      ++reader;
    }
  }
  const int inverse = map.inputs[quantize::kFactors];
  return {map.outputs[0], map.outputs[1], inverse >= 0 ? reciprocal(p, inverse) : -1};
}

}  // namespace edgeconv
