// How much of everything a blob may hold: what is above is found here, where it can be said, and not by the runtime's LIMIT.
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

// Throws FatalError(kLimit) that names the first count above those of rt/base/limits.h. Shapes must have been added to p.exprs.
// segments: different constants, golden vectors and a tokenizer.
void check_counts(const TargetProgram& p, size_t segments);

}  // namespace edgeconv
