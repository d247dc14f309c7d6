// From a fused graph to a program that can be written: lowering, then the program passes (program/program_pass_list.inc). Conversion,
// search, inspection and tests all go this way.
#pragma once

#include "convert/ir/diagnostics.h"
#include "convert/ir/pass_trace.h"
#include "convert/lower/lower.h"
#include "convert/program/target.h"

namespace edgeconv {

// What to write down of the program passes, as which round.
struct ProgramTrace {
  PassTrace* trace = nullptr;
  int round = 1;
};

// Throws FatalError with all problems of the lowering, or where the runtime cannot hold the program.
TargetProgram build_program(const Graph& g, const LowerOptions& o, Diagnostics& d, ProgramTrace trace = {});

// The program before any weight is packed: placeholders stand for them, and padding is skipped where that is proved, whatever o says.
// It tells whether a graph can be converted at all, what it will cost, and which input is a mask of padding.
TargetProgram trial_program(const Graph& g, LowerOptions o, Diagnostics& d, ProgramTrace trace = {});

}  // namespace edgeconv
