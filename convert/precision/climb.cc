// Steps up that double, a search for single layers that suffice instead, and the way down by measured loss.
#include "convert/precision/climb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

// Layers whose loss is measured on the way down: those that save most. Then how many more are tried where the gate is near.
constexpr size_t kMeasured = 64, kLast = 8;
constexpr size_t kCandidates = 8;  // of one step of a search for something cheaper
constexpr double kHelps = 0.1;     // share of the loss that exact attention or tables must take away where no gate is reached

double macs(const LayerReport& l) { return static_cast<double>(l.k) * static_cast<double>(l.n); }
double noise_per_mac(const LayerReport& l) { return std::pow(10.0, l.local_sqnr_db / -10) / macs(l); }

}  // namespace

Climb::Climb(const SmoothingFactors& smooth, std::vector<LayerReport>& layers, const std::vector<char>& fixed,
             LowerOptions& options, const PrecisionRequest& request, std::function<double()> evaluate)
    : smooth_(smooth),
      layers_(layers),
      fixed_(fixed),
      options_(options),
      gate_(request.target_cosine),
      trials_(request.trials),
      evaluate_(std::move(evaluate)) {}

void Climb::apply() { write_precisions(smooth_, layers_, options_); }

bool Climb::passes() {
  apply();
  return evaluate_() >= gate_;
}

void Climb::to_gate() {
  if (!climb_to_16_bits() && !climb_to_fp32()) stay_where_it_helps();
}

bool Climb::climb_to_16_bits() {
  if (passes()) return true;
  std::pair<size_t, size_t> last;
  for (const Exact e : kExact) {
    set_exact(e);
    // Behind exact attention or tables only what passes at the top is looked at further: then int8 may do again.
    if (e.attention || e.tables) {
      set_all(linear::kInt8A16);
      if (!passes()) continue;
      set_all(linear::kInt8);
      if (passes()) return true;
    }
    if (!lift(linear::kInt8, linear::kInt8A16, std::numeric_limits<double>::infinity(), last)) continue;
    make_cheaper(last, linear::kInt8, linear::kInt8A16);
    return true;
  }
  return false;
}

// Weights of 8 bits are at fault, perhaps with attention and tables: whatever leaves the least work.
bool Climb::climb_to_fp32() {
  double least = std::numeric_limits<double>::infinity();
  std::pair<size_t, size_t> last, best_last;
  std::vector<LayerReport> best;
  Exact best_exact{};
  for (const Exact e : kExact) {
    set_exact(e);
    set_all(linear::kInt8A16);
    if (!lift(linear::kInt8A16, linear::kF32, least, last)) continue;
    least = slowdown(layers_), best = layers_, best_last = last, best_exact = e;
  }
  if (best.empty()) return false;
  layers_ = best;
  set_exact(best_exact);
  make_cheaper(best_last, linear::kInt8A16, linear::kF32);
  drop_needless(linear::kInt8, linear::kInt8A16);
  return true;
}

// Nothing reaches the gate.
void Climb::stay_where_it_helps() {
  set_all(linear::kF32);
  double best = -1;
  Exact chosen{};
  for (const Exact e : kExact) {
    set_exact(e);
    apply();
    const double cosine = evaluate_();
    if (cosine > best + kHelps * (1 - best)) best = cosine, chosen = e;
  }
  set_exact(chosen);
  apply();
}

// Each step lifts twice as many of the noisiest layers as the one before, so that even large models need few evaluations. Gives up
// where the work is no longer less than most_work. last: the layers of the last step.
bool Climb::lift(Precision before, Precision next, double most_work, std::pair<size_t, size_t>& last) {
  set_all(before);
  size_t begin = 0;
  for (size_t step = std::max<size_t>(1, layers_.size() / 8); begin < layers_.size(); step *= 2) {
    const size_t end = std::min(layers_.size(), begin + step);
    bool lifted = false;
    for (size_t i = begin; i < end; ++i) lifted |= set(i, next);
    if (slowdown(layers_) >= most_work) return false;
    if (lifted && passes()) {
      last = {begin, end};
      return true;
    }
    begin = end;
  }
  return false;
}

void Climb::make_cheaper(std::pair<size_t, size_t> last, Precision before, Precision next) {
  if (!find_cheaper(last, before, next)) drop_needless(before, next);
}

void Climb::descend_to_gate() {
  if (passes()) return;
  for (const Precision top : {linear::kInt8A16, linear::kF32})
    for (const Exact e : kExact) {
      set_exact(e);
      set_all(top);
      if (!passes()) continue;
      if (top == linear::kF32) take_down(linear::kF32, linear::kInt8A16);
      take_down(linear::kInt8A16, linear::kInt8);
      return;
    }
  stay_where_it_helps();
}

// The last step passes; adds up single layers instead as long as they cost less. Of the candidates with the most noise per
// multiplication each step lifts the one that helps the output most: what noise does to an output depends on where it arises.
bool Climb::find_cheaper(std::pair<size_t, size_t> last, Precision before, Precision next) {
  const auto [begin, end] = last;
  double budget = 0;
  std::vector<size_t> candidates;
  for (size_t i = begin; i < layers_.size(); ++i) {
    if (fixed_[i]) continue;
    if (i < end) budget += macs(layers_[i]);
    candidates.push_back(i);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](size_t a, size_t b) { return noise_per_mac(layers_[a]) > noise_per_mac(layers_[b]); });
  const std::vector<LayerReport> known = layers_;
  for (size_t i = begin; i < end; ++i) set(i, before);
  for (int trials = 0; trials < trials_ && !candidates.empty();) {
    size_t best = candidates.size();
    double best_cosine = -2;
    for (size_t c = 0; c < candidates.size() && c < kCandidates; ++c) {
      if (macs(layers_[candidates[c]]) >= budget) continue;
      set(candidates[c], next);
      apply();
      const double cosine = evaluate_();
      if (cosine >= gate_) return true;
      set(candidates[c], before);
      ++trials;
      if (cosine > best_cosine) best_cosine = cosine, best = c;
    }
    if (best == candidates.size()) break;
    set(candidates[best], next);
    budget -= macs(layers_[candidates[best]]);
    candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(best));
  }
  layers_ = known;
  apply();
  return false;
}

// Takes back what the gate does not need, the most expensive first.
void Climb::drop_needless(Precision before, Precision next) {
  std::vector<size_t> order;
  for (size_t i = 0; i < layers_.size(); ++i)
    if (!fixed_[i] && layers_[i].precision == next) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return macs(layers_[a]) > macs(layers_[b]); });
  for (size_t t = 0; t < order.size() && t < static_cast<size_t>(trials_); ++t) {
    set(order[t], before);
    if (!passes()) set(order[t], next);
  }
  apply();
}

void Climb::take_down(Precision from, Precision to) {
  std::vector<size_t> order;
  for (size_t i = 0; i < layers_.size(); ++i)
    if (!fixed_[i] && layers_[i].precision == from) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return macs(layers_[a]) > macs(layers_[b]); });
  order.resize(std::min({order.size(), kMeasured, static_cast<size_t>(trials_) * kMeasured / 24}));
  std::vector<double> cosine(layers_.size(), 0.0);
  for (size_t i : order) {
    set(i, to);
    apply();
    cosine[i] = evaluate_();
    set(i, from);
  }
  const double highest = order.empty() ? 0 : *std::max_element(cosine.begin(), cosine.end());
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return (highest - cosine[a]) / macs(layers_[a]) < (highest - cosine[b]) / macs(layers_[b]);
  });
  // The most that pass together: more of them lose more.
  const auto take_first = [&](size_t count) {
    for (size_t at = 0; at < order.size(); ++at) set(order[at], at < count ? to : from);
  };
  size_t passing = 0, most = order.size();
  while (passing < most) {
    const size_t middle = passing + (most - passing + 1) / 2;
    take_first(middle);
    if (passes())
      passing = middle;
    else
      most = middle - 1;
  }
  take_first(passing);
  for (size_t at = passing; at < std::min(order.size(), passing + kLast); ++at) {
    set(order[at], to);
    if (cosine[order[at]] < gate_ || !passes()) set(order[at], from);
  }
  apply();
}

}  // namespace edgeconv
