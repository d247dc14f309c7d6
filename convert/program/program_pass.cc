// Runs the passes over a lowered program, each once.
#include "convert/program/program_pass.h"

#include "convert/program/program_text.h"

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
  for (const ProgramPassDef& pass : kProgramPasses) {
    if (o.trace) o.trace->before(pass.name, o.round, [&] { return program_text(p); });
    const int matches = pass.run(p, o);
    if (o.trace) o.trace->after(pass.name, o.round, matches, [&] { return program_text(p); });
  }
}

std::vector<std::string_view> program_pass_names() {
  std::vector<std::string_view> names;
  for (const ProgramPassDef& pass : kProgramPasses) names.push_back(pass.name);
  return names;
}

}  // namespace edgeconv
