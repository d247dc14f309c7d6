// Where the name of an output leads: links are followed, so that they stay links; a device or pipe is no file to be replaced.
#pragma once

#include <sys/types.h>

#include <string>

namespace edgeconv {

struct OutputPlace {
  enum class Kind {
    kNew,         // nothing is there: a file can be made
    kFile,        // a regular file
    kFolder,      //
    kStream,      // character device, pipe or socket: written to as it is
    kDisk,        // block device: written to as it is, which destroys what is on it
    kNowhere,     // links that lead in a circle
    kDescriptor,  // open already: "-", /dev/stdout, /dev/fd/N, /proc/self/fd/N
  };
  Kind kind = Kind::kNew;
  std::string path;     // without links, unless it is a descriptor
  int descriptor = -1;  // kDescriptor
  // Of what exists, also behind a descriptor.
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  mode_t mode = 0;
};

// Never fails: a place that cannot be reached is kNew, and writing there says why.
OutputPlace output_place(const std::string& path);

// True if writing to one harms what was written to the other. Character devices take any number of writers.
bool same_place(const OutputPlace& a, const OutputPlace& b);

}  // namespace edgeconv
