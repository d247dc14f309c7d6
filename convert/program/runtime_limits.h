// Sizes that the runtime cannot hold: found before anything of that size is made.
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

// Every value at the maximum dims within 2^31 - 1 elements, no axis of size 0. Throws FatalError(kLimit or kUnsupported) that
// names the value and what to do.
void check_runtime_limits(const TargetProgram& p);

}  // namespace edgeconv
