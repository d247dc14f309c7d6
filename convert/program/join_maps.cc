// Convolutions over maps write a map where nobody reads their floats but the op that quantizes them: the same bits, without the floats in memory.
#include "convert/program/map_ops.h"
#include "convert/program/program_pass.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

}  // namespace

int pass_join_maps(TargetProgram& p, const ProgramPassOptions&) {
  namespace map_conv = ert::params::map_conv;
  namespace quantize = ert::params::quantize_map;
  const ValueUses uses(p);
  std::vector<char> gone(p.ops.size(), 0);
  int joined = 0;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    const TargetOp& op = p.ops[i];
    if (op.code != OpCode::kQuantizeMap) continue;
    const int x = op.inputs[quantize::kX];
    if (!uses.is_internal(x) || uses.readers(x).size() != 1) continue;
    TargetOp& writer = p.ops[static_cast<size_t>(uses.writer(x))];
    if (!gives_floats_of_map(writer)) continue;
    writer.outputs = op.outputs;
    writer.inputs[map_conv::kFactors] = op.inputs[quantize::kFactors];
    gone[i] = 1;
    ++joined;
  }
  std::vector<TargetOp> kept;
  for (size_t i = 0; i < p.ops.size(); ++i)
    if (!gone[i]) kept.push_back(std::move(p.ops[i]));
  p.ops = std::move(kept);
  if (joined > 0) p.remove_dead();
  return joined;
}

}  // namespace edgeconv
