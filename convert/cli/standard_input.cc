#include "convert/cli/standard_input.h"

#include <cstdio>
#include <cstring>

#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

InputLines::InputLines() : buffer_(1 << 16) {}

bool InputLines::fill() {
  at_ = 0;
  end_ = std::fread(buffer_.data(), 1, buffer_.size(), stdin);
  if (end_ == 0 && std::ferror(stdin) != 0) throw FatalError(ExitCode::kIo, "cannot read stdin");
  return end_ != 0;
}

bool InputLines::next(std::string* line) {
  line->clear();
  bool any = false;
  while (at_ != end_ || fill()) {
    any = true;
    const char* from = buffer_.data() + at_;
    const void* found = std::memchr(from, '\n', end_ - at_);
    const size_t n = found == nullptr ? end_ - at_ : static_cast<size_t>(static_cast<const char*>(found) - from);
    line->append(from, n);
    at_ += n;
    if (found != nullptr) {
      ++at_;
      return true;
    }
  }
  return any;
}

}  // namespace edgeconv::cli
