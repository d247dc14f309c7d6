// See build_program.h.
#include "convert/lower/build_program.h"

#include "convert/program/program_pass.h"

namespace edgeconv {

TargetProgram build_program(const Graph& g, const LowerOptions& o, Diagnostics& d, ProgramTrace trace) {
  TargetProgram p = lower(g, o, d);
  d.check();
  run_program_passes(p, {o.skip_padding, trace.trace, trace.round});
  return p;
}

TargetProgram trial_program(const Graph& g, LowerOptions o, Diagnostics& d, ProgramTrace trace) {
  WeightStore placeholders(WeightStore::Contents::kPlaceholder);
  o.weights = &placeholders;
  o.skip_padding = true;
  return build_program(g, o, d, trace);
}

}  // namespace edgeconv
