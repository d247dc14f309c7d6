// Runs the passes round after round until nothing changes; one fusion often makes room for another.
#include <map>
#include <optional>

#include "convert/infer/infer.h"
#include "convert/passes/output_check.h"
#include "convert/passes/pass.h"

namespace edgeconv {

#define EDGECONV_PASS(name, outputs) int pass_##name(Graph& g, Diagnostics& d);
#include "convert/passes/pass_list.inc"
#include "convert/passes/quantized_pass_list.inc"
#undef EDGECONV_PASS

namespace {

#define EDGECONV_PASS(name, outputs) {#name, pass_##name, Effect::outputs},
constexpr PassDef kPasses[] = {
#include "convert/passes/pass_list.inc"
};
constexpr PassDef kQuantizedPasses[] = {
#include "convert/passes/quantized_pass_list.inc"
};
#undef EDGECONV_PASS

constexpr int kMaxRounds = 6;

class PassRun {
 public:
  PassRun(std::span<const PassDef> passes, Graph& g, Diagnostics& d, const PassOptions& o)
      : passes_(passes), g_(g), d_(d), o_(o) {
    if (o.checked) check_.emplace(g);
    if (check_ && o.trace && !check_->reason().empty()) o.trace->note("passes are not compared: " + check_->reason());
  }

  PipelineResult run() {
    int round = 1;
    bool again = true;
    while ((again = run_round(round)) && round < kMaxRounds) ++round;
    if (failed_) return {};
    if (o_.trace) o_.trace->note("passes: " + std::to_string(round) + (round == 1 ? " round" : " rounds") + without_match());
    if (again) report_limit();
    PipelineResult r;
    for (const PassDef& pass : passes_) r.counts.emplace_back(std::string(pass.name), matches_[pass.name]);
    return r;
  }

 private:
  // True if there has to be another one: a pass changed something. Ends where inference finds a problem in what a pass made.
  bool run_round(int round) {
    last_changed_.clear();
    for (const PassDef& pass : passes_) {
      if (o_.trace) o_.trace->before(pass.name, round, [&] { return g_.dump(); });
      const size_t nodes = g_.nodes.size();
      const int n = pass.run(g_, d_);
      if (n == 0 && g_.nodes.size() != nodes) g_.remove_dead();  // what was made for a match that failed in the end
      if (n) {
        g_.remove_dead();
        g_.sort();
        infer(g_, d_);
      }
      if (o_.trace) o_.trace->after(pass.name, round, n, [&] { return g_.dump(); });
      if (n == 0) continue;
      failed_ = !d_.ok();
      if (failed_) return false;
      matches_[pass.name] += n;
      last_changed_ += (last_changed_.empty() ? "" : ", ") + std::string(pass.name);
      if (check_) check(pass, round);
    }
    return !last_changed_.empty();
  }

  void check(const PassDef& pass, int round) {
    if (pass.effect == Effect::kSameOutputs)
      check_->compare(pass.name, round, g_);
    else
      check_->start(g_);
  }

  std::string without_match() {
    std::string s;
    for (const PassDef& pass : passes_)
      if (matches_[pass.name] == 0) s += (s.empty() ? "; without a match: " : ", ") + std::string(pass.name);
    return s;
  }

  void report_limit() {
    const std::string what = "the passes did not come to an end after " + std::to_string(kMaxRounds) +
                             " rounds; in the last one these still changed something: " + last_changed_;
    if (o_.checked) throw FatalError(ExitCode::kInternal, "internal error: " + what);
    d_.warn(what + ". The result is right, but may be slower than it could be; please report the model");
  }

  std::span<const PassDef> passes_;
  Graph& g_;
  Diagnostics& d_;
  const PassOptions& o_;
  std::optional<OutputCheck> check_;
  std::map<std::string_view, int> matches_;
  std::string last_changed_;
  bool failed_ = false;
};

}  // namespace

PipelineResult run_pass_list(std::span<const PassDef> passes, Graph& g, Diagnostics& d, const PassOptions& o) {
  return PassRun(passes, g, d, o).run();
}

PipelineResult run_passes(Graph& g, Diagnostics& d, const PassOptions& o) { return run_pass_list(kPasses, g, d, o); }
PipelineResult run_quantized_import(Graph& g, Diagnostics& d, const PassOptions& o) {
  return run_pass_list(kQuantizedPasses, g, d, o);
}

std::vector<std::string_view> graph_pass_names() {
  std::vector<std::string_view> names;
  for (const PassDef& pass : kQuantizedPasses) names.push_back(pass.name);
  for (const PassDef& pass : kPasses) names.push_back(pass.name);
  return names;
}

}  // namespace edgeconv
