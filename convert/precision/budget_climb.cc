// Losses of single layers add up about, so that the order of the steps is known after one measurement of each.
#include "convert/precision/budget_climb.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr size_t kMeasured = 64;       // layers, at the usual number of trials
constexpr double kLoss16 = 0.01;       // of the loss in int8: of layers that are not measured
constexpr double kF32Bytes = 3;        // more for each weight than in int8
constexpr double kLeastBudget = 1e-9;  // of work: --max-slowdown 1

double macs(const LayerReport& l) { return static_cast<double>(l.k) * static_cast<double>(l.n); }
double noise(const LayerReport& l) { return std::pow(10.0, l.local_sqnr_db / -10); }

}  // namespace

BudgetClimb::BudgetClimb(const SmoothingFactors& smooth, std::vector<LayerReport>& layers, const std::vector<char>& fixed,
                         LowerOptions& options, const PrecisionRequest& request, std::function<double()> evaluate,
                         std::function<bool()> fits)
    : smooth_(smooth),
      layers_(layers),
      fixed_(fixed),
      options_(options),
      request_(request),
      evaluate_(std::move(evaluate)),
      fits_(std::move(fits)),
      loss8_(layers.size()),
      loss16_(layers.size()) {}

void BudgetClimb::apply() { write_precisions(smooth_, layers_, options_); }

double BudgetClimb::evaluated() {
  apply();
  return evaluate_();
}

bool BudgetClimb::fitting() {
  apply();
  return fits_();
}

void BudgetClimb::set_all(Precision p) {
  for (size_t i = 0; i < layers_.size(); ++i)
    if (!fixed_[i]) layers_[i].precision = p;
}

// What each layer alone takes away from a model in which all else is exact.
void BudgetClimb::measure() {
  options_.plan.int8_attention = options_.plan.int8_tables = false;
  set_all(linear::kF32);
  const double exact = evaluated();
  const size_t most = std::max<size_t>(1, static_cast<size_t>(request_.trials) * kMeasured / 24);
  size_t measured = 0;
  double losses = 0, noises = 0;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (fixed_[i]) continue;
    if (measured++ < most) {
      for (const auto& [precision, loss] : {std::pair(linear::kInt8A16, &loss16_), std::pair(linear::kInt8, &loss8_)}) {
        layers_[i].precision = precision;
        (*loss)[i] = std::max(0.0, exact - evaluated());
      }
      layers_[i].precision = linear::kF32;
      losses += loss8_[i], noises += noise(layers_[i]);
    } else {
      loss8_[i] = noises > 0 ? noise(layers_[i]) * losses / noises : 0;
      loss16_[i] = kLoss16 * loss8_[i];
    }
  }
}

// All of them, those that gain most for their cost first. A step from int8 to fp32 comes before its first half where the second half gains more.
std::vector<BudgetClimb::Step> BudgetClimb::steps() const {
  double all = 0;
  for (const LayerReport& l : layers_) all += macs(l);
  const double most_work = request_.max_slowdown > 0 ? std::max(kLeastBudget, request_.max_slowdown - 1) : kF32Work - 1;
  const auto cost = [&](size_t i, double more_work, bool more_bytes) {
    const double bytes =
        more_bytes && request_.max_bytes ? kF32Bytes * macs(layers_[i]) / static_cast<double>(request_.max_bytes) : 0;
    return more_work * macs(layers_[i]) / all / most_work + bytes;
  };
  std::vector<Step> s;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (fixed_[i]) continue;
    s.push_back({i, linear::kInt8, linear::kInt8A16, loss8_[i] - loss16_[i], cost(i, kInt8A16Work - 1, false)});
    s.push_back({i, linear::kInt8A16, linear::kF32, loss16_[i], cost(i, kF32Work - kInt8A16Work, true)});
    s.push_back({i, linear::kInt8, linear::kF32, loss8_[i], cost(i, kF32Work - 1, true)});
  }
  std::erase_if(s, [](const Step& step) { return !(step.gain > 0); });
  std::stable_sort(s.begin(), s.end(), [](const Step& a, const Step& b) { return a.gain * b.cost > b.gain * a.cost; });
  return s;
}

// Takes every step that fits; what does not is passed over for what comes behind it.
std::vector<BudgetClimb::Step> BudgetClimb::fill(const std::vector<Step>& steps) {
  std::vector<Step> taken;
  for (const Step& step : steps) {
    LayerReport& l = layers_[step.layer];
    if (l.precision != step.from) continue;
    l.precision = step.to;
    if (fitting())
      taken.push_back(step);
    else
      l.precision = step.from;
  }
  return taken;
}

// All steps taken keep to the gate: as few of the first ones as do, too.
double BudgetClimb::keep_least(const std::vector<Step>& taken) {
  const auto take_first = [&](size_t count) {
    set_all(linear::kInt8);
    for (size_t i = 0; i < count; ++i) layers_[taken[i].layer].precision = taken[i].to;
  };
  size_t least = 0, enough = taken.size();
  while (least < enough) {
    const size_t middle = least + (enough - least) / 2;
    take_first(middle);
    if (evaluated() >= request_.target_cosine)
      enough = middle;
    else
      least = middle + 1;
  }
  take_first(enough);
  return evaluated();
}

double BudgetClimb::run() {
  measure();
  const std::vector<Step> order = steps();
  struct Best {
    double cosine;
    std::vector<LayerReport> layers;
    bool int8_attention, int8_tables;
  };
  std::optional<Best> best;
  for (const bool int8_tables : {true, false})
    for (const bool int8_attention : {true, false}) {
      options_.plan.int8_attention = int8_attention, options_.plan.int8_tables = int8_tables;
      set_all(linear::kInt8);
      if (!fitting()) continue;
      const std::vector<Step> taken = fill(order);
      const double cosine = evaluated();
      if (cosine >= request_.target_cosine) return keep_least(taken);
      if (!best || cosine > best->cosine) best = {cosine, layers_, int8_attention, int8_tables};
    }
  if (!best) {
    options_.plan.int8_attention = options_.plan.int8_tables = true;
    set_all(linear::kInt8);
    apply();
    return kNothingFits;
  }
  layers_ = best->layers;
  options_.plan.int8_attention = best->int8_attention, options_.plan.int8_tables = best->int8_tables;
  apply();
  return best->cosine;
}

}  // namespace edgeconv
