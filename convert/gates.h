// What a finished conversion is held to: warnings, and the gates that end it with exit 7.
#pragma once

#include <optional>

#include "convert/convert.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

// Outputs that lost more than they should, and precisions that a user would not expect.
void warn_of_losses(const ConvertOptions& o, const ConvertResult& r, Diagnostics& d);

// The first gate that the result misses.
std::optional<Refusal> missed_gate(const ConvertOptions& o, const ConvertResult& r);

}  // namespace edgeconv
