// What is asked for, layer by layer; then the climb.
#include "convert/precision/ladder.h"

#include <algorithm>

#include "convert/interp/work.h"
#include "convert/ir/diagnostics.h"
#include "convert/precision/budget_climb.h"
#include "convert/precision/climb.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

// Enough for all trials of a BERT, and of models that use their weights in every layer.
constexpr double kTrialShare = 4;

linear::Precision forced(PrecisionMode m) {
  return m == PrecisionMode::kFp32 ? linear::kF32 : m == PrecisionMode::kW8A16 ? linear::kInt8A16 : linear::kInt8;
}

LadderStep step_of(const std::vector<LayerReport>& layers, const LowerOptions& options, double cosine) {
  LadderStep step;
  for (const LayerReport& l : layers)
    ++(l.precision == linear::kInt8 ? step.int8 : l.precision == linear::kInt8A16 ? step.w8a16 : step.fp32);
  step.int8_attention = options.plan.int8_attention;
  step.int8_tables = options.plan.int8_tables;
  step.slowdown = slowdown(layers);
  step.worst_cosine = cosine;
  return step;
}

}  // namespace

void write_precisions(const SmoothingFactors& smooth, const std::vector<LayerReport>& layers, LowerOptions& options) {
  for (const LayerReport& l : layers) options.plan.set(l.node, {l.precision, smooth.count(l.node) != 0});
}

std::optional<Shortfall> choose_precision(const PrecisionRequest& request, const SmoothingFactors& smooth,
                                          std::vector<LayerReport>& layers, LowerOptions& options,
                                          const std::function<double(const LowerOptions&)>& evaluate,
                                          std::vector<LadderStep>* trace,
                                          const std::function<uint64_t(const LowerOptions&)>& bytes) {
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
  if (request.mode != PrecisionMode::kAuto)
    climb.apply();
  else if (request.measured)
    climb.descend_to_gate();
  else
    climb.to_gate();

  const auto size = [&] { return request.max_bytes ? bytes(options) : uint64_t{0}; };
  const auto fits = [&] { return within_budget(request, layers, options, bytes); };
  if (request.mode != PrecisionMode::kAuto || fits()) return std::nullopt;
  Shortfall s;
  s.needed = step_of(layers, options, evaluate(options));
  s.needed_bytes = size();
  s.gate_reached = s.needed.worst_cosine >= request.target_cosine;
  const double cosine = BudgetClimb(smooth, layers, fixed, options, request, traced, fits).run();
  if (cosine >= request.target_cosine) return std::nullopt;
  s.reached = step_of(layers, options, cosine);
  s.reached_bytes = size();
  return s;
}

bool within_budget(const PrecisionRequest& request, const std::vector<LayerReport>& layers, const LowerOptions& options,
                   const std::function<uint64_t(const LowerOptions&)>& bytes) {
  if (request.max_slowdown > 0 && slowdown(layers) > request.max_slowdown) return false;
  return !request.max_bytes || bytes(options) <= request.max_bytes;
}

int affordable_trials(const Graph& g, double work) {
  return static_cast<int>(std::min<double>(PrecisionRequest{}.trials, kTrialShare * allowed_work(g) / std::max(work, 1.0)));
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
