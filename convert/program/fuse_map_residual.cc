// Sums of a convolution over maps and of a map that was there before become part of the convolution (the residual of MapConv and MapDepthwiseConv), with
// the activation behind them: y = act(conv(x) + r). What r holds is then read in 8 bits.
#include <optional>

#include "convert/program/map_ops.h"
#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace map_conv = ert::params::map_conv;
using ert::params::OpCode;

const Shape& shape_of(const TargetProgram& p, int v) { return p.values[static_cast<size_t>(v)].shape; }

// Whether operand i of this Add can take in the other one.
bool takes_residual(const TargetProgram& p, const ValueUses& uses, int add, size_t i) {
  const TargetOp& op = p.ops[static_cast<size_t>(add)];
  const int own = op.inputs[i], other = op.inputs[1 - i];
  if (!uses.is_internal(own) || uses.writer(own) < 0 || uses.readers(own).size() != 1) return false;
  const TargetOp& conv = p.ops[static_cast<size_t>(uses.writer(own))];
  return gives_floats_of_map(conv) && conv.ints[map_conv::kActivation] == map_conv::kNoActivation && conv.inputs[map_conv::kResidual] < 0 &&
         shape_of(p, own) == shape_of(p, other) && shape_of(p, own) == shape_of(p, op.outputs[0]) && can_be_map(p, uses, other, add);
}

bool is_activation(const TargetOp& op) {
  namespace unary = ert::params::unary;
  return op.code == OpCode::kUnary && (op.ints[unary::kKind] < unary::kNeg || op.ints[unary::kKind] == unary::kLeakyRelu);
}

// The only op behind `at`, where it is an activation: becomes part of it.
void take_activation(TargetProgram& p, size_t at) {
  namespace unary = ert::params::unary;
  const ValueUses uses(p);
  const int y = p.ops[at].outputs[0];
  if (!uses.is_internal(y) || uses.readers(y).size() != 1) return;
  const int reader = uses.readers(y)[0].op;
  const TargetOp& op = p.ops[static_cast<size_t>(reader)];
  if (!is_activation(op)) return;
  p.ops[at].ints[map_conv::kActivation] = op.ints[unary::kKind];
  if (op.ints[unary::kKind] == unary::kLeakyRelu) p.ops[at].floats = {op.floats[unary::kAlpha]};
  p.ops[at].outputs[0] = op.outputs[0];
  p.ops.erase(p.ops.begin() + reader);
}

}  // namespace

int pass_fuse_map_residual(TargetProgram& p, const ProgramPassOptions&) {
  int fused = 0;
  std::optional<ValueUses> uses;  // made anew where ops have moved, and not for every sum: large programs are full of them
  for (int i = 0; i < static_cast<int>(p.ops.size()); ++i) {
    const TargetOp& op = p.ops[static_cast<size_t>(i)];
    if (op.code != OpCode::kBinary || op.ints[ert::params::binary::kKind] != ert::params::binary::kAdd) continue;
    if (!uses) uses.emplace(p);
    // The convolution that runs last: the other operand need not wait for it.
    const size_t later = uses->writer(op.inputs[0]) > uses->writer(op.inputs[1]) ? 0 : 1;
    const size_t own = takes_residual(p, *uses, i, later) ? later : 1 - later;
    if (!takes_residual(p, *uses, i, own)) continue;
    const int conv_result = op.inputs[own];
    const ProgramMap r = map_of(p, op.inputs[1 - own], i);
    // Where the Add was both operands are there.
    const auto conv = p.ops.begin() + ValueUses(p).writer(conv_result);
    conv->inputs[map_conv::kResidual] = r.q;
    conv->inputs[map_conv::kResidualScales] = r.scales;
    conv->inputs[map_conv::kResidualFactors] = r.factors;
    conv->outputs = p.ops[static_cast<size_t>(i)].outputs;
    p.ops[static_cast<size_t>(i)] = *conv;
    p.ops.erase(conv);
    --i;
    take_activation(p, static_cast<size_t>(i));
    uses.reset();
    ++fused;
  }
  if (fused > 0) p.remove_dead();  // the convolutions' own results
  return fused;
}

}  // namespace edgeconv
