// Program passes: one file per pass, program/<name>.cc. A pass looks at the runtime program, rewrites what matches and returns how many
// matches it rewrote. program_pass_list.inc holds the order, with the reason for it; run_program_passes is the only way from a lowered
// program to one that can be written.
#pragma once

#include <string_view>
#include <vector>

#include "convert/ir/pass_trace.h"
#include "convert/program/target.h"

namespace edgeconv {

struct ProgramPassOptions {
  bool skip_padding = false;  // pack_rows
  PassTrace* trace = nullptr;
  int round = 1;  // in the trace: of the programs that one conversion makes, which
};

using ProgramPassFunction = int (*)(TargetProgram& p, const ProgramPassOptions& o);

#define EDGECONV_PROGRAM_PASS(name) int pass_##name(TargetProgram& p, const ProgramPassOptions& o);
#include "convert/program/program_pass_list.inc"
#undef EDGECONV_PROGRAM_PASS

// All of them, on a program as lower() leaves it. Throws FatalError where the runtime cannot hold the result (check_limits).
void run_program_passes(TargetProgram& p, const ProgramPassOptions& o);

std::vector<std::string_view> program_pass_names();

}  // namespace edgeconv
