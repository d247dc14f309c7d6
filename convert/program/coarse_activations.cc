#include "convert/program/coarse_activations.h"

#include <vector>

#include "kernels_int8/contract/unary.h"

namespace edgeconv {

namespace {

namespace linear = ert::params::linear;
namespace recurrence = ert::params::recurrence;
using ert::kernels::Unary;
using ert::params::OpCode;

// Does input `i` of this op round what it reads to 8 bits?
bool rounds_to_8_bits(const TargetOp& op, size_t i) {
  return op.code == OpCode::kLinear && i == linear::kX && op.ints[linear::kPrecision] == linear::kInt8;
}

// Per root value: do all readers, of which there is at least one, round it?
std::vector<bool> rounded_values(const TargetProgram& p) {
  std::vector<bool> read(p.values.size(), false), exact(p.values.size(), false);
  for (const TargetOp& op : p.ops) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] < 0) continue;
      const size_t root = static_cast<size_t>(p.root(op.inputs[i]));
      read[root] = true;
      if (!rounds_to_8_bits(op, i)) exact[root] = true;
    }
  }
  for (size_t v = 0; v < read.size(); ++v) read[v] = read[v] && !exact[v] && p.values[v].storage == Storage::kArena;
  return read;
}

void take_coarse_gates(TargetOp& op) {
  if (op.ints[recurrence::kPrecision] != linear::kInt8) return;
  for (size_t i = recurrence::kFirstActivation; i < op.ints.size(); ++i) {
    if (op.ints[i] == static_cast<int32_t>(Unary::kSigmoid)) op.ints[i] = static_cast<int32_t>(Unary::kSigmoidCoarse);
    if (op.ints[i] == static_cast<int32_t>(Unary::kTanh)) op.ints[i] = static_cast<int32_t>(Unary::kTanhCoarse);
  }
}

}  // namespace

void take_coarse_activations(TargetProgram& p) {
  const std::vector<bool> rounded = rounded_values(p);
  for (TargetOp& op : p.ops) {
    if (op.code == OpCode::kRecurrence) take_coarse_gates(op);
    if (op.code != OpCode::kLinear && op.code != OpCode::kUnary) continue;
    const size_t at = op.code == OpCode::kLinear ? size_t{linear::kActivation} : size_t{ert::params::unary::kKind};
    int32_t& kind = op.ints[at];
    if (kind == static_cast<int32_t>(Unary::kGeluErf) && rounded[static_cast<size_t>(op.outputs[0])])
      kind = static_cast<int32_t>(Unary::kGeluCoarse);
  }
}

}  // namespace edgeconv
