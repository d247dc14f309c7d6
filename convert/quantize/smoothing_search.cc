// Value and gradient of the noise, and the descent.
#include "convert/quantize/smoothing_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {

namespace {

constexpr int kSteps = 80;
constexpr double kRate = 0.04, kMeanDecay = 0.9, kSquareDecay = 0.999;
// More tell nothing new, and time is proportional to them.
constexpr size_t kMostRows = 1024, kMostColumns = 768;
constexpr size_t kLanes = 16;
// An entry that is less than exp(-a) times an end of its row cannot be there as long as the logarithms of no two factors moved apart by more than a.
// a: what so many steps move at most, for more contenders take longer to look at, and less of them to be looked for again.
constexpr double kStepsApart = 5, kMostApart = 0.35, kLeastApart = 0.02;
constexpr double kRounding = 0.999;
constexpr float kSmallest = 1e-30f;

float exponential(double x) {
  return ert::kernels::scalar_unary(ert::kernels::Unary::kExp, static_cast<float>(std::clamp(x, -30.0, 30.0)));
}

// Which entries of each row, in their order, can be at one of its ends while logarithms of factors stay close enough.
class Contenders {
 public:
  struct Entry {
    uint32_t at;
    float magnitude;  // before its factor
  };
  void start(size_t rows) { ends_.assign(rows, 0), entries_.clear(); }
  void add(size_t i, float x) { entries_.push_back({static_cast<uint32_t>(i), std::fabs(x)}); }
  void end(size_t row) { ends_[row] = entries_.size(); }
  std::span<const Entry> of(size_t row) const {
    const size_t first = row == 0 ? 0 : ends_[row - 1];
    return {entries_.data() + first, ends_[row] - first};
  }

 private:
  std::vector<Entry> entries_;
  std::vector<size_t> ends_;
};

// The largest of some entries of a row, and its channel (0 where all of them are zero).
struct Largest {
  float value = 0;
  uint32_t at = 0;
};

Largest largest(std::span<const Contenders::Entry> entries, const float* factors) {
  // Every fourth of its own, so that none waits for the one before; of equal ones the first counts.
  Largest most[4];
  const auto look = [&](Largest& l, const Contenders::Entry& e) {
    const float y = e.magnitude * factors[e.at];
    const bool more = y > l.value;
    l.at = more ? e.at : l.at;
    l.value = more ? y : l.value;
  };
  size_t i = 0;
  for (; i + 4 <= entries.size(); i += 4)
    for (size_t l = 0; l < 4; ++l) look(most[l], entries[i + l]);
  for (; i < entries.size(); ++i) look(most[0], entries[i]);
  for (size_t l = 1; l < 4; ++l)
    if (most[l].value > most[0].value || (most[l].value == most[0].value && most[l].at < most[0].at)) most[0] = most[l];
  return most[0];
}

// Low and high end of a row, zero included.
std::pair<float, float> ends(const float* y, size_t k) {
  float low[kLanes] = {}, high[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= k; i += kLanes)
    for (size_t l = 0; l < kLanes; ++l) {
      const float v = y[i + l];
      low[l] = v < low[l] ? v : low[l];
      high[l] = v > high[l] ? v : high[l];
    }
  std::pair<float, float> e{0, 0};
  for (size_t l = 0; l < kLanes; ++l) e = {std::min(e.first, low[l]), std::max(e.second, high[l])};
  for (; i < k; ++i) e = {std::min(e.first, y[i]), std::max(e.second, y[i])};
  return e;
}

// What an entry must at least be to get to an end that is now at `end`; of numbers so small that their rounding is no small part of them, any.
float least_contender(float end, float share) {
  return end > kSmallest ? end * share : std::numeric_limits<float>::denorm_min();
}

// Four at a time; comparisons give -1 and 0.
using Four = float __attribute__((vector_size(16)));
using FourInts = int32_t __attribute__((vector_size(16)));

Four four_at(const float* x) {
  Four v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

// Calls f with each index for which is(index), in their order: whole blocks without any are passed over. four(index) is the same of four of them.
template <class FourAre, class Is, class F>
void for_each_of_few(size_t count, FourAre four, Is is, F f) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const FourInts any = four(i) | four(i + 4) | four(i + 8) | four(i + 12);
    if ((any[0] | any[1] | any[2] | any[3]) == 0) continue;
    for (size_t l = 0; l < kLanes; ++l)
      if (is(i + l)) f(i + l);
  }
  for (; i < count; ++i)
    if (is(i)) f(i);
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

  // The noise, up to a constant factor, and its derivatives. rate: what the next step moves each logarithm at most, or hardly more.
  double operator()(const std::vector<double>& p, double rate, std::vector<double>& gradient) {
    std::vector<float> grow(k_), shrink(k_);
    const bool look = moved_apart(p);
    double weight_power = 0, input_power = 0;
    for (size_t k = 0; k < k_; ++k) {
      grow[k] = exponential(p[k]);
      shrink[k] = 1.0f / grow[k];
      weight_power += w2_[k] * grow[k] * grow[k];
      input_power += x2_[k] * shrink[k] * shrink[k];
    }
    std::vector<double> range_gradient(k_, 0.0), step_gradient(k_, 0.0);
    if (look) {
      apart_ = std::clamp(2 * kStepsApart * rate, kLeastApart, kMostApart);
      const auto share = static_cast<float>(std::exp(-apart_) * kRounding);
      find_rows(shrink, share);
      find_columns(grow, share);
      looked_at_ = p;
    }
    const double ranges = row_ranges(shrink, range_gradient) / lhs_steps_;
    const double steps = column_steps(grow, step_gradient) / (127.0 * 127.0);
    for (size_t k = 0; k < k_; ++k)
      gradient[k] = ranges * 2 * w2_[k] * grow[k] * grow[k] - weight_power * range_gradient[k] / lhs_steps_ +
                    input_power * step_gradient[k] / (127.0 * 127.0) - steps * 2 * x2_[k] * shrink[k] * shrink[k];
    return ranges * weight_power + steps * input_power;
  }

 private:
  // Whether contenders have to be looked for again.
  bool moved_apart(const std::vector<double>& p) const {
    if (looked_at_.empty()) return true;
    double least = 0, most = 0;
    for (size_t k = 0; k < k_; ++k) {
      const double moved = p[k] - looked_at_[k];
      least = std::min(least, moved), most = std::max(most, moved);
    }
    return !(most - least <= apart_);
  }

  void find_rows(const std::vector<float>& shrink, float share) {
    high_contenders_.start(t_);
    low_contenders_.start(t_);
    for (size_t t = 0; t < t_; ++t) {
      for (size_t k = 0; k < k_; ++k) y_[k] = x_[t * k_ + k] * shrink[k];
      const auto [low, high] = ends(y_.data(), k_);
      const float above = least_contender(high, share), below = -least_contender(-low, share);
      const float* y = y_.data();
      const auto four = [=](size_t k) -> FourInts { return (four_at(y + k) >= above) | (four_at(y + k) <= below); };
      for_each_of_few(k_, four, [=](size_t k) { return y[k] >= above || y[k] <= below; },
                      [&](size_t k) { (y[k] > 0 ? high_contenders_ : low_contenders_).add(k, x_[t * k_ + k]); });
      high_contenders_.end(t);
      low_contenders_.end(t);
    }
  }

  void find_columns(const std::vector<float>& grow, float share) {
    std::vector<float> most(n_, 0.0f);
    for (size_t k = 0; k < k_; ++k)
      for (size_t c = 0; c < n_; ++c) {
        const float v = w_[k * n_ + c] * grow[k];
        most[c] = v > most[c] ? v : most[c];
      }
    for (float& m : most) m = least_contender(m, share);
    column_contenders_.start(k_);
    for (size_t k = 0; k < k_; ++k) {
      const float *w = w_.data() + k * n_, *least = most.data(), factor = grow[k];
      const auto four = [=](size_t c) -> FourInts { return four_at(w + c) * factor >= four_at(least + c); };
      for_each_of_few(n_, four, [=](size_t c) { return w[c] * factor >= least[c]; },
                      [&](size_t c) { column_contenders_.add(c, w[c]); });
      column_contenders_.end(k);
    }
  }

  // Mean square of the ranges of all rows; what it loses as p grows.
  double row_ranges(const std::vector<float>& shrink, std::vector<double>& gradient) {
    double sum = 0;
    for (size_t t = 0; t < t_; ++t) {
      const Largest high = largest(high_contenders_.of(t), shrink.data()), low = largest(low_contenders_.of(t), shrink.data());
      const double range = double{high.value} + low.value, share = 2 * range / static_cast<double>(t_);
      sum += range * range / static_cast<double>(t_);
      if (high.value > 0) gradient[high.at] += share * high.value;
      if (low.value > 0) gradient[low.at] += share * low.value;
    }
    return sum;
  }

  // Sum over the columns of the square of their largest weight; what it gains as p grows.
  double column_steps(const std::vector<float>& grow, std::vector<double>& gradient) {
    std::vector<float> most(n_, 0.0f);
    std::vector<uint32_t> most_at(n_, 0);
    for (size_t k = 0; k < k_; ++k)
      for (const auto& [c, w] : column_contenders_.of(k))
        if (const float v = w * grow[k]; v > most[c]) most[c] = v, most_at[c] = static_cast<uint32_t>(k);
    double sum = 0;
    for (size_t c = 0; c < n_; ++c) {
      const double square = double{most[c]} * most[c];
      sum += square;
      gradient[most_at[c]] += 2 * square;
    }
    return sum;
  }

  size_t k_, t_, n_;
  double lhs_steps_;          // squared
  std::vector<float> x_, w_;  // magnitudes of the weights
  std::vector<double> x2_, w2_;
  std::vector<float> y_;
  std::vector<double> looked_at_;  // p for which the contenders were found, which hold while logarithms stay this close
  double apart_ = 0;
  Contenders high_contenders_, low_contenders_, column_contenders_;
};

}  // namespace

void search_smoothing(const SampledRows& rows, std::span<const float> weight, size_t n, const std::vector<char>& fixed,
                      double lhs_steps, std::vector<double>& p) {
  NoiseModel noise(rows, weight, n, lhs_steps);
  std::vector<double> gradient(p.size()), mean(p.size(), 0.0), square(p.size(), 0.0), best = p;
  double least = 0, mean_left = 1, square_left = 1;
  for (int step = 0; step <= kSteps; ++step) {
    const double rate = kRate * (1 - static_cast<double>(step) / kSteps);
    const double value = noise(p, rate, gradient);
    if (!std::isfinite(value) || value <= 0) break;
    if (step == 0 || value < least) least = value, best = p;
    if (step == kSteps) break;
    mean_left *= kMeanDecay;
    square_left *= kSquareDecay;
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
