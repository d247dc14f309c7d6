// See pass_trace.h.
#include "convert/ir/pass_trace.h"

namespace edgeconv {

void PassTrace::before(std::string_view pass, int round, const State& state) { show(pass, round, "before", state); }

void PassTrace::after(std::string_view pass, int round, int matches, const State& state) {
  show(pass, round, "after", state);
  if (matches)
    note("pass " + std::string(pass) + " round " + std::to_string(round) + ": " + std::to_string(matches) +
         (matches == 1 ? " match" : " matches"));
}

void PassTrace::note(const std::string& line) const {
  if (log_) log_(line);
}

void PassTrace::show(std::string_view pass, int round, std::string_view when, const State& state) {
  if (shown_ != "all" && shown_ != pass) return;
  states_ += "== " + std::string(pass) + " round " + std::to_string(round) + " " + std::string(when) + "\n";
  std::string text = state();
  states_ += !last_.empty() && text == last_ ? "(as above)\n" : text;
  last_ = std::move(text);
}

}  // namespace edgeconv
