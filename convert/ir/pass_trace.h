// What passes do, for whoever looks for the one that does not match or does something wrong: a line for each pass that matched, and
// the graph or program as text before and after the passes that are asked for. Graph passes and program passes write to the same one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace edgeconv {

class PassTrace {
 public:
  using State = std::function<std::string()>;  // the graph or program as text: called where it is shown only
  using Log = std::function<void(const std::string& line)>;

  // shown: the name of a pass, "all", or empty for none. log may be empty.
  PassTrace(std::string shown, Log log) : shown_(std::move(shown)), log_(std::move(log)) {}

  void before(std::string_view pass, int round, const State& state);
  void after(std::string_view pass, int round, int matches, const State& state);
  void note(const std::string& line) const;

  // Every state under a heading "== PASS round N before" or "after"; one that equals the state above it is "(as above)".
  const std::string& states() const { return states_; }

 private:
  void show(std::string_view pass, int round, std::string_view when, const State& state);

  std::string shown_;
  Log log_;
  std::string states_, last_;
};

}  // namespace edgeconv
