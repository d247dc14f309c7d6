// Output files appear complete or not at all: an unnamed file beside the target, fsync, then its name.
#pragma once

#include <cstddef>
#include <string>

namespace edgeconv {

enum class Temporary {
  kUnnamed,  // where the file system has unnamed files: nothing is left whatever ends the process
  kNamed,    // PATH.XXXXXX while it is written
};

// Writes where `path` leads (output_place.h): a new file, or in place of a regular one, at the end of its links; devices, pipes and
// open descriptors are written to as they are. Whether a file may be replaced is judged before (outputs.h).
// Throws FatalError(kIo) naming the file and the reason. An existing file stays as it is on failure.
void write_file_atomically(const std::string& path, const void* data, size_t bytes, Temporary how = Temporary::kUnnamed);

// Removes the temporary file of a write that a signal interrupted. Safe inside a signal handler.
void remove_unfinished_file();
// True once a write has begun to change what is there: a file has its name, or a stream was written to. Safe inside a signal handler.
bool wrote_a_file();

}  // namespace edgeconv
