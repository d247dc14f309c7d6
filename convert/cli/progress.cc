// Draws the bar in place on a terminal; otherwise prints a line per tenth, so that logs stay short.
#include "convert/cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace edgeconv::cli {

Progress::Progress(Mode mode)
    : on_(mode == Mode::kOn || (mode == Mode::kAuto && isatty(STDERR_FILENO))), terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (drawn_ && terminal_) std::fprintf(stderr, "\r\033[K");
}

void Progress::show(const std::string& stage, double fraction) {
  if (!on_) return;
  constexpr int kWidth = 30;
  if (terminal_) {
    const int filled = static_cast<int>(fraction * kWidth);
    std::fprintf(stderr, "\r\033[K[%.*s%.*s] %3.0f %%  %s", filled, "##############################", kWidth - filled,
                 "..............................", fraction * 100, stage.c_str());
    std::fflush(stderr);
    drawn_ = true;
  } else if (const int tenth = static_cast<int>(fraction * 10); tenth != last_tenth_) {
    std::fprintf(stderr, "%3.0f %%  %s\n", fraction * 100, stage.c_str());
    last_tenth_ = tenth;
  }
}

void Progress::line(const std::string& text) {
  std::fprintf(stderr, "%s%s\n", drawn_ && terminal_ ? "\r\033[K" : "", text.c_str());
}

}  // namespace edgeconv::cli
