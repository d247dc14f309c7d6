// What a command reads and what it may write: no output destroys an input, another output, or a file that is not edgeconv's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/files/output_place.h"

namespace edgeconv {

// Which existing files an output may replace without --force. Behind a link, the file at its end counts.
struct OutputFormat {
  std::vector<std::string_view> extensions;  // with the dot, lower case; any case fits
  std::string_view mark;                     // stands in the first lines of what edgeconv made, and decides; empty: files have none, and the name does
  bool makes_folder = false;                 // the command makes the folder where there is none
  int mark_lines = 1;
};

class Outputs {
 public:
  explicit Outputs(bool force) : force_(force) {}

  // what: as messages name it, "the model itself". Files that do not exist, devices and pipes are no concern.
  void reads(const std::string& path, const std::string& what);
  // The file itself, or every file below a folder that has one of the extensions.
  void reads_all(const std::string& path, const std::string& what, const std::vector<std::string_view>& extensions);
  // What is printed goes to stdout, so no output may go there.
  void prints(const std::string& flag);
  // Judges it, and keeps it for the judgement of others. Throws FatalError(kUsage) naming the flag and the way out.
  void writes(const std::string& flag, const std::string& path, const OutputFormat& format);
  // All outputs once more: files may have appeared, or more inputs become known.
  void check() const;
  // Judges again what has been there since, and writes by write_file_atomically. The path was given to writes().
  void write(const std::string& path, const void* data, size_t bytes) const;

 private:
  struct Input {
    OutputPlace place;
    std::string what;
  };
  struct Output {
    std::string flag, path;
    OutputFormat format;
    bool printed = false;
  };
  void judge(size_t i) const;
  void judge_with_others(size_t i, const OutputPlace& place) const;

  bool force_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace edgeconv
