// Names that get into a blob: callers of the runtime ask for inputs, outputs and dims by them.
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

// Throws FatalError naming the first name that a blob cannot hold: too long (kLimit), or with a zero byte (kMalformed).
void check_names(const TargetProgram& p);

}  // namespace edgeconv
