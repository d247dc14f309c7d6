// Lines of stdin as bytes: a line ends at LF; a carriage return stays, and so does whatever is no UTF-8.
#pragma once

#include <string>
#include <vector>

namespace edgeconv::cli {

class InputLines {
 public:
  InputLines();
  // False: the input is at its end. A last line without LF counts. Throws FatalError(kIo).
  bool next(std::string* line);

 private:
  bool fill();
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
};

}  // namespace edgeconv::cli
