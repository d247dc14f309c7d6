// A one-line progress bar on stderr; plain lines where stderr is not a terminal.
#pragma once

#include <string>

namespace edgeconv::cli {

class Progress {
 public:
  enum class Mode { kAuto, kOn, kOff };
  explicit Progress(Mode mode);
  ~Progress();
  void show(const std::string& stage, double fraction);
  // A line of text on stderr, which the bar does not cut: it is drawn again by the next show().
  void line(const std::string& text);

 private:
  bool on_, terminal_, drawn_ = false;
  int last_tenth_ = -1;
};

}  // namespace edgeconv::cli
