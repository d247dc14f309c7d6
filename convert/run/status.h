// What a status of the C API is to somebody who runs the converter.
#pragma once

#include <string>

#include "rt/include/ert.h"

namespace edgeconv {

// Throws FatalError with the exit code for a status (ir/diagnostics.h); the message is `what` and the status in words.
[[noreturn]] void throw_status(ert_status s, const std::string& what);

}  // namespace edgeconv
