// See confirmed_choice.h.
#include "convert/precision/confirmed_choice.h"

#include <algorithm>

namespace edgeconv {

namespace {

constexpr double kUnreachable = 2;

}  // namespace

// What the ladder climbs by. What failed once fails on more rows, too, so that a climb that starts again takes little.
double ConfirmedChoice::judged(const LowerOptions& options) {
  if (const auto known = failed_.find(options.plan); known != failed_.end()) return known->second;
  double cosine = judge_.compared(options);
  if (cosine >= request_.target_cosine && judge_.holds_rows_out())
    cosine = std::min(cosine, judge_.held_out(options, request_.target_cosine));
  if (cosine < request_.target_cosine) failed_[options.plan] = cosine;
  return cosine;
}

std::optional<Shortfall> ConfirmedChoice::choose(std::vector<LayerReport>& layers, LowerOptions& options,
                                                 std::vector<LadderStep>& trace) {
  const auto evaluate = [&](const LowerOptions& o) { return judged(o); };
  const auto bytes = [&](const LowerOptions& o) { return judge_.bytes(o); };
  // Local noise says little of layers that feed an attention which picks single tokens: each is measured by what it does to the outputs.
  PrecisionRequest request = request_;
  request.measured |= judge_.holds_rows_out();
  const LowerOptions start = options;
  for (int round = 0; round < kClimbs; ++round) {
    options = start;
    trace.clear();
    const auto shortfall = choose_precision(request, smooth_, layers, options, evaluate, &trace, bytes);
    // What the user forced is not chosen; what misses the gate needs no confirmation.
    if (shortfall || request_.mode != PrecisionMode::kAuto || !judge_.holds_rows_out()) return shortfall;
    if (judged(options) < request_.target_cosine || judge_.confirms(options, request_.target_cosine)) return std::nullopt;
  }
  // Whatever passed did so by luck, and is no reason that a report should give.
  std::erase_if(trace, [&](const LadderStep& s) { return s.worst_cosine >= request_.target_cosine; });
  PrecisionRequest exact = request_;
  exact.mode = PrecisionMode::kFp32;
  choose_precision(exact, smooth_, layers, options, {});
  options.plan.int8_attention = options.plan.int8_tables = false;
  if (within_budget(request_, layers, options, bytes)) return std::nullopt;
  request.target_cosine = kUnreachable;  // as exact as the budget allows
  options = start;
  return choose_precision(request, smooth_, layers, options, evaluate, nullptr, bytes);
}

}  // namespace edgeconv
