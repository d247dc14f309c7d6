// See confirmed_choice.h.
#include "convert/confirmed_choice.h"

#include <algorithm>

namespace edgeconv {

namespace {

// The same for two choices if and only if their precisions are, within one conversion.
std::string precisions_key(const LowerOptions& o) {
  std::string key = {o.int8_attention ? 'a' : 'A', o.int8_tables ? 't' : 'T'};
  for (const auto& entry : o.linear) key += static_cast<char>('0' + static_cast<int>(entry.second.precision));
  return key;
}

}  // namespace

// What the ladder climbs by. What failed once fails on more rows, too, so that a climb that starts again takes little.
double ConfirmedChoice::judged(const std::vector<LayerReport>& layers, const LowerOptions& options) {
  const std::string key = precisions_key(options);
  if (const auto known = failed_.find(key); known != failed_.end()) return known->second;
  const double cosine = measured(layers, options);
  if (cosine < request_.target_cosine) failed_[key] = cosine;
  return cosine;
}

double ConfirmedChoice::measured(const std::vector<LayerReport>& layers, const LowerOptions& options) {
  const Candidate& c = candidates_.of(options);
  const double cosine = c.compared.canonical.worst_cosine();
  if (cosine < request_.target_cosine || !in_.made_up || !needs_more_rows(layers)) return cosine;
  if (!held_out_) {
    held_out_.emplace(in_.original.graph, in_.dims, in_.padding);
    in_.original.drop_pages();
  }
  return std::min(cosine, held_out_->worst_cosine(c.blob, request_.target_cosine));
}

void ConfirmedChoice::choose(std::vector<LayerReport>& layers, LowerOptions& options, std::vector<LadderStep>& trace) {
  const auto evaluate = [&](const LowerOptions& o) { return judged(layers, o); };
  const LowerOptions start = options;
  for (int round = 0; round < kClimbs; ++round) {
    options = start;
    trace.clear();
    choose_precision(request_, in_.smooth, layers, options, evaluate, &trace);
    if (!held_out_ || judged(layers, options) < request_.target_cosine) return;
    const bool confirmed = held_out_->confirms(candidates_.of(options).blob, request_.target_cosine);
    in_.original.drop_pages();
    if (confirmed) return;
  }
  // Whatever passed did so by luck, and is no reason that a report should give.
  std::erase_if(trace, [&](const LadderStep& s) { return s.worst_cosine >= request_.target_cosine; });
  PrecisionRequest exact = request_;
  exact.mode = PrecisionMode::kFp32;
  choose_precision(exact, in_.smooth, layers, options, {});
  options.int8_attention = options.int8_tables = false;
}

}  // namespace edgeconv
