// Ops and values that lowering made and nobody reads.
#include "convert/program/program_pass.h"

namespace edgeconv {

int pass_remove_unread(TargetProgram& p, const ProgramPassOptions&) {
  const size_t ops = p.ops.size(), values = p.values.size();
  p.remove_dead();
  return static_cast<int>(ops - p.ops.size() + values - p.values.size());
}

}  // namespace edgeconv
