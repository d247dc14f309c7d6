// The climb from the noisiest layer on, and the search for a cheaper way up; or the way down from the top by measured loss.
#include "convert/quantize/ladder.h"

#include <algorithm>
#include <cmath>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

linear::Precision forced(PrecisionMode m) {
  return m == PrecisionMode::kFp32 ? linear::kF32 : m == PrecisionMode::kW8A16 ? linear::kInt8A16 : linear::kInt8;
}

// The way up, and then back down where a cheaper way passes too. Layers are sorted from the noisiest on.
class Climb {
 public:
  Climb(const std::map<NodeId, std::vector<float>>& smooth, std::vector<LayerReport>& layers, const std::vector<char>& fixed,
        LowerOptions& options, const PrecisionRequest& request, std::function<double()> evaluate)
      : smooth_(smooth),
        layers_(layers),
        fixed_(fixed),
        options_(options),
        gate_(request.target_cosine),
        trials_(request.trials),
        evaluate_(std::move(evaluate)) {}

  void apply() {
    for (const LayerReport& l : layers_) {
      const auto s = smooth_.find(l.node);
      options_.linear[l.node] = {l.precision,
                                 l.precision == linear::kF32 || s == smooth_.end() ? std::vector<float>() : s->second};
    }
  }

  // Each step lifts twice as many of the noisiest layers as the one before, so that even large models need few evaluations.
  bool reaches_gate() {
    if (evaluate_() >= gate_) return true;
    linear::Precision before = linear::kInt8;
    for (const linear::Precision next : {linear::kInt8A16, linear::kF32}) {
      size_t begin = 0;
      for (size_t step = std::max<size_t>(1, layers_.size() / 8); begin < layers_.size(); step *= 2) {
        const size_t end = std::min(layers_.size(), begin + step);
        for (size_t i = begin; i < end; ++i) set(i, next);
        if (apply_and_pass()) {
          if (!find_cheaper(begin, end, before, next)) drop_needless(before, next);
          return true;
        }
        begin = end;
      }
      before = next;
    }
    return false;
  }

  // For a gate that the user set: lifts everything as far as needed, measures what each layer alone loses one step lower, and takes
  // the layers down in the order of least loss per multiplication saved.
  bool descends_to_gate() {
    if (evaluate_() >= gate_) return true;
    for (const linear::Precision top : {linear::kInt8A16, linear::kF32}) {
      for (size_t i = 0; i < layers_.size(); ++i) set(i, top);
      if (!apply_and_pass()) continue;
      if (top == linear::kF32) take_down(linear::kF32, linear::kInt8A16);
      take_down(linear::kInt8A16, linear::kInt8);
      return true;
    }
    return false;
  }

 private:
  // Layers whose loss is measured on the way down: those that save most. Then how many more are tried where the gate is near.
  static constexpr size_t kMeasured = 64, kLast = 8;
  static constexpr size_t kCandidates = 8;  // of one step of a search for something cheaper

  static double macs(const LayerReport& l) { return static_cast<double>(l.k) * static_cast<double>(l.n); }
  static double noise_per_mac(const LayerReport& l) { return std::pow(10.0, l.local_sqnr_db / -10) / macs(l); }

  void set(size_t layer, linear::Precision p) {
    if (!fixed_[layer]) layers_[layer].precision = p;
  }
  bool apply_and_pass() {
    apply();
    return evaluate_() >= gate_;
  }

  // [begin, end) passes; adds up single layers instead as long as they cost less. Of the candidates with the most noise per
  // multiplication each step lifts the one that helps the output most: what noise does to an output depends on where it arises.
  bool find_cheaper(size_t begin, size_t end, linear::Precision before, linear::Precision next) {
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
  void drop_needless(linear::Precision before, linear::Precision next) {
    std::vector<size_t> order;
    for (size_t i = 0; i < layers_.size(); ++i)
      if (!fixed_[i] && layers_[i].precision == next) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return macs(layers_[a]) > macs(layers_[b]); });
    for (size_t t = 0; t < order.size() && t < static_cast<size_t>(trials_); ++t) {
      set(order[t], before);
      if (!apply_and_pass()) set(order[t], next);
    }
    apply();
  }

  void take_down(linear::Precision from, linear::Precision to) {
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
      if (apply_and_pass())
        passing = middle;
      else
        most = middle - 1;
    }
    take_first(passing);
    for (size_t at = passing; at < std::min(order.size(), passing + kLast); ++at) {
      set(order[at], to);
      if (cosine[order[at]] < gate_ || !apply_and_pass()) set(order[at], from);
    }
    apply();
  }

  const std::map<NodeId, std::vector<float>>& smooth_;
  std::vector<LayerReport>& layers_;
  const std::vector<char>& fixed_;
  LowerOptions& options_;
  double gate_;
  int trials_;
  std::function<double()> evaluate_;
};

LadderStep step_of(const std::vector<LayerReport>& layers, const LowerOptions& options, double cosine) {
  LadderStep step;
  for (const LayerReport& l : layers)
    ++(l.precision == linear::kInt8 ? step.int8 : l.precision == linear::kInt8A16 ? step.w8a16 : step.fp32);
  step.int8_attention = options.int8_attention;
  step.int8_tables = options.int8_tables;
  step.slowdown = slowdown(layers);
  step.worst_cosine = cosine;
  return step;
}

}  // namespace

void choose_precision(const PrecisionRequest& request, const std::map<NodeId, std::vector<float>>& smooth,
                      std::vector<LayerReport>& layers, LowerOptions& options,
                      const std::function<double(const LowerOptions&)>& evaluate, std::vector<LadderStep>* trace) {
  for (const auto& override : request.overrides) {
    const std::string& pattern = override.first;
    if (std::none_of(layers.begin(), layers.end(), [&](const LayerReport& l) { return glob_match(pattern, l.name); })) {
      std::string names;
      for (size_t i = 0; i < layers.size() && i < 12; ++i) names += "\n  " + layers[i].name;
      throw FatalError(ExitCode::kUsage, "--precision '" + pattern + "=...' matches no layer; layers are" + names +
                                             (layers.size() > 12 ? "\n  ..." : ""));
    }
  }
  std::vector<char> fixed(layers.size(), request.mode != PrecisionMode::kAuto);
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].precision = forced(request.mode);
    for (const auto& [pattern, mode] : request.overrides)
      if (glob_match(pattern, layers[i].name)) {
        layers[i].precision = forced(mode);
        fixed[i] = layers[i].asked = true;
      }
  }
  const auto traced = [&] {
    const double cosine = evaluate(options);
    if (trace) trace->push_back(step_of(layers, options, cosine));
    return cosine;
  };
  Climb climb(smooth, layers, fixed, options, request, traced);
  climb.apply();
  if (request.mode != PrecisionMode::kAuto || (request.measured ? climb.descends_to_gate() : climb.reaches_gate())) return;
  // With every Linear exact, attention and tables are what is left.
  options.int8_attention = false;
  if (traced() >= request.target_cosine) return;
  options.int8_tables = false;
}

double slowdown(const std::vector<LayerReport>& layers) {
  double all = 0, work = 0;
  for (const LayerReport& l : layers) {
    const double macs = static_cast<double>(l.k) * static_cast<double>(l.n);
    all += macs;
    work += macs * (l.precision == linear::kInt8 ? 1 : l.precision == linear::kInt8A16 ? kInt8A16Work : kF32Work);
  }
  return all > 0 ? work / all : 1;
}

bool glob_match(const std::string& pattern, const std::string& text) {
  // Iterative matcher with one backtrack point: linear in practice, no recursion on hostile patterns.
  size_t p = 0, t = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace edgeconv
