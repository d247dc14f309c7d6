// --memory-limit: what the process may take. The kernel counts heap, stacks and all other writable memory, not the mapped model.
#pragma once

#include <string>

#include "convert/cli/arguments.h"

namespace edgeconv::cli {

void declare_memory_limit(Arguments& a, std::string& text);

// For the rest of the process; nothing where text is empty. Throws FatalError(kUsage) for what is no number of bytes.
void limit_memory(const std::string& text);

// What to say where memory could not be had: the limits that hold, and what to do.
std::string out_of_memory_text();

}  // namespace edgeconv::cli
