// How wide a line may be on a terminal.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace edgeconv::cli {

// Columns of the terminal behind a descriptor, or of COLUMNS where that says less; what is no terminal has `otherwise`. At least 20.
inline size_t terminal_width(int descriptor, size_t otherwise) {
  size_t width = 0;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    const long n = std::strtol(columns, nullptr, 10);
    if (n > 0 && n < 10000 && (width == 0 || static_cast<size_t>(n) < width)) width = static_cast<size_t>(n);
  }
  return std::max<size_t>(width == 0 ? otherwise : width, 20);
}

}  // namespace edgeconv::cli
