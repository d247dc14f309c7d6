// Global means of 8-bit maps read them as they are (MapMean).
#include "convert/program/map_ops.h"
#include "convert/program/program_pass.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

}  // namespace

int pass_map_pools(TargetProgram& p, const ProgramPassOptions&) {
  namespace mean = ert::params::map_mean;
  int taken = 0;
  for (int i = 0; i < static_cast<int>(p.ops.size()); ++i) {
    const TargetOp& op = p.ops[static_cast<size_t>(i)];
    if (!is_map_mean(p, op) || !can_be_map(p, ValueUses(p), op.inputs[0], i)) continue;
    const ProgramMap map = map_of(p, op.inputs[0], i);
    TargetOp& reduce = p.ops[static_cast<size_t>(i)];
    reduce.code = OpCode::kMapMean;
    reduce.inputs.assign(mean::kInputCount, -1);
    reduce.inputs[mean::kQ] = map.q;
    reduce.inputs[mean::kScales] = map.scales;
    reduce.inputs[mean::kFactors] = map.factors;
    reduce.ints.clear();
    ++taken;
  }
  return taken;
}

}  // namespace edgeconv
