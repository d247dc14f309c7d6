// Draws the bar in place on a terminal; otherwise prints a line per tenth, so that logs stay short.
#include "convert/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "convert/cli/terminal.h"

namespace edgeconv::cli {

namespace {

constexpr size_t kLongestBar = 30, kShortestBar = 8, kUsualTerminal = 80;
constexpr std::chrono::milliseconds kTick(500);

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Terminals that cannot erase a line get none drawn in place.
bool can_draw() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && !(kind && std::string_view(kind) == "dumb");
}

}  // namespace

std::string progress_text(const std::string& stage, double fraction, double seconds, size_t width) {
  const double share = std::clamp(fraction, 0.0, 1.0);
  const std::string text = fmt::format("{:3.0f} % {:3.0f} s  {}", share * 100, seconds, stage);
  std::string s;
  if (width >= kShortestBar + 20) {
    const size_t room = width > text.size() + 3 ? width - text.size() - 3 : 0, bar = std::clamp(room, kShortestBar, kLongestBar);
    const size_t filled = static_cast<size_t>(share * static_cast<double>(bar));
    s = "[" + std::string(filled, '#') + std::string(bar - filled, '.') + "] ";
  }
  s += text;
  return s.substr(0, width);
}

Progress::Progress(Mode mode) : terminal_(can_draw()), on_(mode == Mode::kOn || (mode == Mode::kAuto && terminal_)) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (drawn_ && terminal_) std::fprintf(stderr, "\r\033[K");
}

// The last column stays free: terminals go to the next line behind it.
void Progress::draw() {
  const size_t width = terminal_width(STDERR_FILENO, kUsualTerminal) - 1;
  std::fprintf(stderr, "\r\033[K%s", progress_text(stage_, fraction_, seconds_now() - begin_, width).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kTick, [this] { return ended_; })) draw();
}

void Progress::show(const std::string& stage, double fraction) {
  if (!on_) return;
  if (terminal_) {
    const std::lock_guard lock(mutex_);
    if (begin_ == 0) begin_ = seconds_now();
    stage_ = stage;
    fraction_ = fraction;
    draw();
    if (ticker_.joinable()) return;
    try {
      ticker_ = std::thread([this] { tick(); });
    } catch (const std::system_error&) {  // no thread to be had: the bar moves with the stages
    }
  } else if (const int tenth = static_cast<int>(fraction * 10); tenth != last_tenth_) {
    std::fprintf(stderr, "%3.0f %%  %s\n", fraction * 100, stage.c_str());
    last_tenth_ = tenth;
  }
}

void Progress::line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s%s\n", drawn_ && terminal_ ? "\r\033[K" : "", text.c_str());
}

}  // namespace edgeconv::cli
