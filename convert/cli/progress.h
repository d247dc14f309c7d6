// A one-line progress bar on stderr, with what runs and for how long; plain lines where stderr is not a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace edgeconv::cli {

class Progress {
 public:
  enum class Mode { kAuto, kOn, kOff };
  explicit Progress(Mode mode);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& stage, double fraction);
  // A line of text on stderr, which the bar does not cut: it is drawn again by the next show().
  void line(const std::string& text);

 private:
  void draw();
  void tick();

  const bool terminal_, on_;
  int last_tenth_ = -1;
  std::mutex mutex_;  // of all below
  std::condition_variable end_;
  bool drawn_ = false, ended_ = false;
  std::string stage_;
  double fraction_ = 0, begin_ = 0;
  std::thread ticker_;  // a stage may take minutes between two calls of show(): the seconds go on
};

// The bar, the share, the time and what runs, in at most `width` columns.
std::string progress_text(const std::string& stage, double fraction, double seconds, size_t width);

}  // namespace edgeconv::cli
