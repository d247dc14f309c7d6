// What a finished conversion is held to: warnings, and the gates that end it with exit 7.
#pragma once

#include "convert/convert.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

// Warns of outputs that lost more than they should. Throws FatalError(kAccuracy) where the result misses a gate.
void judge(const ConvertOptions& o, const ConvertResult& r, Diagnostics& d);

}  // namespace edgeconv
