// Output files appear complete or not at all: a temporary file beside the target, fsync, rename.
#pragma once

#include <cstddef>
#include <string>

namespace edgeconv {

// Throws FatalError(kIo) naming the file and the reason. An existing file at `path` stays as it is on failure.
void write_file_atomically(const std::string& path, const void* data, size_t bytes);

// Removes the temporary file of a write that a signal interrupted. Safe inside a signal handler.
void remove_unfinished_file();

}  // namespace edgeconv
