// An activation that only 8-bit Linears read need not be exact to the last bit of fp32: its readers round it to 255 steps.
// GELU of a Linear or Unary whose result nobody reads but W8A8 Linears becomes Unary::kGeluCoarse (kernels_int8/NUMERICS.md 4).
// Sigmoid and tanh of a recurrence in W8A8, which rounds its state at every step, become kSigmoidCoarse and kTanhCoarse.
#include <vector>

#include "convert/program/program_pass.h"
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

int take_coarse(int32_t& kind, Unary exact, Unary coarse) {
  if (kind != static_cast<int32_t>(exact)) return 0;
  kind = static_cast<int32_t>(coarse);
  return 1;
}

int take_coarse_gates(TargetOp& op) {
  if (op.ints[recurrence::kPrecision] != linear::kInt8) return 0;
  int taken = 0;
  for (size_t i = recurrence::kFirstActivation; i < op.ints.size(); ++i) {
    taken += take_coarse(op.ints[i], Unary::kSigmoid, Unary::kSigmoidCoarse) +
             take_coarse(op.ints[i], Unary::kTanh, Unary::kTanhCoarse);
  }
  return taken;
}

}  // namespace

int pass_coarse_activations(TargetProgram& p, const ProgramPassOptions&) {
  int taken = 0;
  const std::vector<bool> rounded = rounded_values(p);
  for (TargetOp& op : p.ops) {
    if (op.code == OpCode::kRecurrence) taken += take_coarse_gates(op);
    if (op.code != OpCode::kLinear && op.code != OpCode::kUnary) continue;
    const size_t at = op.code == OpCode::kLinear ? size_t{linear::kActivation} : size_t{ert::params::unary::kKind};
    if (rounded[static_cast<size_t>(op.outputs[0])]) taken += take_coarse(op.ints[at], Unary::kGeluErf, Unary::kGeluCoarse);
  }
  return taken;
}

}  // namespace edgeconv
