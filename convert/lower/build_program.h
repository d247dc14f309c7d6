// From a fused graph to a program that can be written: lowering, then the program passes (program/program_pass_list.inc). Conversion,
// search, inspection and tests all go this way.
#pragma once

#include "convert/ir/diagnostics.h"
#include "convert/lower/lower.h"
#include "convert/program/target.h"

namespace edgeconv {

// Throws FatalError with all problems of the lowering, or where the runtime cannot hold the program.
TargetProgram build_program(const Graph& g, const LowerOptions& o, Diagnostics& d);

// The program before any weight is packed: placeholders stand for them, and padding is skipped where that is proved, whatever o says.
// It tells whether a graph can be converted at all, what it will cost, and which input is a mask of padding.
TargetProgram trial_program(const Graph& g, LowerOptions o, Diagnostics& d);

}  // namespace edgeconv
