// Value and gradient of the noise, and the descent.
#include "convert/quantize/smoothing_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {

namespace {

constexpr int kSteps = 80;
constexpr double kRate = 0.04, kMeanDecay = 0.9, kSquareDecay = 0.999;
// More tell nothing new, and time is proportional to them.
constexpr size_t kMostRows = 1024, kMostColumns = 768;
constexpr size_t kLanes = 16;

float exponential(double x) {
  return ert::kernels::scalar_unary(ert::kernels::Unary::kExp, static_cast<float>(std::clamp(x, -30.0, 30.0)));
}

// The range of one row, zero included, and the channels at its ends (0 where an end is zero itself).
struct Extremes {
  float low = 0, high = 0;
  size_t low_at = 0, high_at = 0;
};

Extremes extremes(const float* y, size_t k) {
  float low[kLanes] = {}, high[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= k; i += kLanes)
    for (size_t l = 0; l < kLanes; ++l) {
      const float v = y[i + l];
      low[l] = v < low[l] ? v : low[l];
      high[l] = v > high[l] ? v : high[l];
    }
  Extremes e;
  for (size_t l = 0; l < kLanes; ++l) e.low = std::min(e.low, low[l]), e.high = std::max(e.high, high[l]);
  for (; i < k; ++i) e.low = std::min(e.low, y[i]), e.high = std::max(e.high, y[i]);
  while (e.high > 0 && y[e.high_at] != e.high) ++e.high_at;
  while (e.low < 0 && y[e.low_at] != e.low) ++e.low_at;
  return e;
}

class NoiseModel {
 public:
  NoiseModel(const SampledRows& rows, std::span<const float> weight, size_t n, double lhs_steps)
      : k_(static_cast<size_t>(rows.width)),
        t_(std::min(kMostRows, static_cast<size_t>(rows.count()))),
        n_(std::min(kMostColumns, n)),
        lhs_steps_(lhs_steps * lhs_steps),
        x_(t_ * k_),
        w_(k_ * n_),
        x2_(k_, 0.0),
        w2_(k_, 0.0),
        y_(k_) {
    for (size_t t = 0; t < t_; ++t)
      std::copy_n(rows.data.begin() + static_cast<ptrdiff_t>(spread_row(t, static_cast<size_t>(rows.count()), t_) * k_), k_,
                  x_.begin() + static_cast<ptrdiff_t>(t * k_));
    for (size_t k = 0; k < k_; ++k)
      for (size_t c = 0; c < n_; ++c) w_[k * n_ + c] = std::fabs(weight[k * n + c * n / n_]);
    for (size_t t = 0; t < t_; ++t)
      for (size_t k = 0; k < k_; ++k) x2_[k] += double{x_[t * k_ + k]} * x_[t * k_ + k] / static_cast<double>(t_);
    for (size_t k = 0; k < k_; ++k)
      for (size_t c = 0; c < n_; ++c) w2_[k] += double{w_[k * n_ + c]} * w_[k * n_ + c];
  }

  // The noise, up to a constant factor, and its derivatives.
  double operator()(const std::vector<double>& p, std::vector<double>& gradient) {
    std::vector<float> grow(k_), shrink(k_);
    double weight_power = 0, input_power = 0;
    for (size_t k = 0; k < k_; ++k) {
      grow[k] = exponential(p[k]);
      shrink[k] = 1.0f / grow[k];
      weight_power += w2_[k] * grow[k] * grow[k];
      input_power += x2_[k] * shrink[k] * shrink[k];
    }
    std::vector<double> range_gradient(k_, 0.0), step_gradient(k_, 0.0);
    const double ranges = row_ranges(shrink, range_gradient) / lhs_steps_;
    const double steps = column_steps(grow, step_gradient) / (127.0 * 127.0);
    for (size_t k = 0; k < k_; ++k)
      gradient[k] = ranges * 2 * w2_[k] * grow[k] * grow[k] - weight_power * range_gradient[k] / lhs_steps_ +
                    input_power * step_gradient[k] / (127.0 * 127.0) - steps * 2 * x2_[k] * shrink[k] * shrink[k];
    return ranges * weight_power + steps * input_power;
  }

 private:
  // Mean square of the ranges of all rows; what it loses as p grows.
  double row_ranges(const std::vector<float>& shrink, std::vector<double>& gradient) {
    double sum = 0;
    for (size_t t = 0; t < t_; ++t) {
      for (size_t k = 0; k < k_; ++k) y_[k] = x_[t * k_ + k] * shrink[k];
      const Extremes e = extremes(y_.data(), k_);
      const double range = double{e.high} - e.low, share = 2 * range / static_cast<double>(t_);
      sum += range * range / static_cast<double>(t_);
      if (e.high > 0) gradient[e.high_at] += share * e.high;
      if (e.low < 0) gradient[e.low_at] -= share * e.low;
    }
    return sum;
  }

  // Sum over the columns of the square of their largest weight; what it gains as p grows.
  double column_steps(const std::vector<float>& grow, std::vector<double>& gradient) {
    std::vector<float> most(n_, 0.0f);
    std::vector<int32_t> most_at(n_, 0);
    for (size_t k = 0; k < k_; ++k) {
      const float* w = w_.data() + k * n_;
      for (size_t c = 0; c < n_; ++c) {
        const float v = w[c] * grow[k];
        const bool more = v > most[c];
        most[c] = more ? v : most[c];
        most_at[c] = more ? static_cast<int32_t>(k) : most_at[c];
      }
    }
    double sum = 0;
    for (size_t c = 0; c < n_; ++c) {
      const double square = double{most[c]} * most[c];
      sum += square;
      gradient[static_cast<size_t>(most_at[c])] += 2 * square;
    }
    return sum;
  }

  size_t k_, t_, n_;
  double lhs_steps_;          // squared
  std::vector<float> x_, w_;  // magnitudes of the weights
  std::vector<double> x2_, w2_;
  std::vector<float> y_;
};

}  // namespace

void search_smoothing(const SampledRows& rows, std::span<const float> weight, size_t n, const std::vector<char>& fixed,
                      double lhs_steps, std::vector<double>& p) {
  NoiseModel noise(rows, weight, n, lhs_steps);
  std::vector<double> gradient(p.size()), mean(p.size(), 0.0), square(p.size(), 0.0), best = p;
  double least = 0, mean_left = 1, square_left = 1;
  for (int step = 0; step <= kSteps; ++step) {
    const double value = noise(p, gradient);
    if (!std::isfinite(value) || value <= 0) break;
    if (step == 0 || value < least) least = value, best = p;
    if (step == kSteps) break;
    mean_left *= kMeanDecay;
    square_left *= kSquareDecay;
    const double rate = kRate * (1 - static_cast<double>(step) / kSteps);
    for (size_t k = 0; k < p.size(); ++k) {
      if (fixed[k]) continue;
      const double g = gradient[k] / value;
      mean[k] = kMeanDecay * mean[k] + (1 - kMeanDecay) * g;
      square[k] = kSquareDecay * square[k] + (1 - kSquareDecay) * g * g;
      p[k] -= rate * (mean[k] / (1 - mean_left)) / (std::sqrt(square[k] / (1 - square_left)) + 1e-12);
    }
  }
  p = best;
}

}  // namespace edgeconv
