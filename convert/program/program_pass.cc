// Runs the passes over a lowered program, each once.
#include "convert/program/program_pass.h"

namespace edgeconv {

namespace {

struct ProgramPassDef {
  std::string_view name;
  ProgramPassFunction run;
};

constexpr ProgramPassDef kProgramPasses[] = {
#define EDGECONV_PROGRAM_PASS(name) {#name, pass_##name},
#include "convert/program/program_pass_list.inc"
#undef EDGECONV_PROGRAM_PASS
};

}  // namespace

void run_program_passes(TargetProgram& p, const ProgramPassOptions& o) {
  for (const ProgramPassDef& pass : kProgramPasses) pass.run(p, o);
}

std::vector<std::string_view> program_pass_names() {
  std::vector<std::string_view> names;
  for (const ProgramPassDef& pass : kProgramPasses) names.push_back(pass.name);
  return names;
}

}  // namespace edgeconv
