// The square-root rule, and what the search makes of it.
#include "convert/quantize/smoothing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "convert/ir/median.h"
#include "convert/quantize/smoothing_search.h"
#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {

namespace {

// From 64 rows of a real MiniLM search and rounding together lost on others; the two were not measured apart.
constexpr int64_t kFewestRows = 256;

float log_of(float x) { return ert::kernels::scalar_unary(ert::kernels::Unary::kLog, x); }
float exp_of(double x) { return ert::kernels::scalar_unary(ert::kernels::Unary::kExp, static_cast<float>(x)); }

// The largest magnitude of every channel. A few rows say little of it: a channel that was small in all of them (a saturated
// sigmoid) may be as large as others in the next. What was zero in all rows stays so.
std::vector<float> expected_largest(const LayerSample& sample) {
  std::vector<float> amax = sample.amax;
  const int64_t rows = sample.rows[0].count();
  if (rows == 0 || rows >= kFewestRows) return amax;
  const float least = *std::max_element(amax.begin(), amax.end()) / static_cast<float>(rows);
  for (float& a : amax)
    if (a > 0) a = std::max(a, least);
  return amax;
}

// The logarithms of all that are used and lie `tied` apart become their mean, and that of the unused among them, which are used from then on.
void tie(std::vector<double>& p, std::vector<char>& unused, size_t tied) {
  for (size_t c = 0; c < tied; ++c) {
    double sum = 0;
    int64_t used = 0;
    for (size_t j = c; j < p.size(); j += tied)
      if (!unused[j]) sum += p[j], ++used;
    for (size_t j = c; j < p.size(); j += tied) {
      p[j] = used == 0 ? 0.0 : sum / static_cast<double>(used);
      unused[j] = used == 0;
    }
  }
}

// Beside the middle one of those that are not 0: an outlier, which smoothing is for, says nothing of the others.
constexpr float kHardly = 0x1p-10f;

float middle_of(std::vector<float> channels) {
  std::erase_if(channels, [](float a) { return !(a > 0); });
  return channels.empty() ? 0 : median(std::move(channels));
}

// What the sample hardly sees beside the others, neither in x nor in what it adds to the products (GELU of what the sample has far below zero). A
// feature in small units with weights that make up for it is used like any other.
std::vector<char> hardly_seen(const std::vector<float>& amax, const std::vector<float>& wmax) {
  std::vector<float> share(amax.size());
  for (size_t j = 0; j < amax.size(); ++j) share[j] = amax[j] * wmax[j];
  const float small = middle_of(amax) * kHardly, little = middle_of(share) * kHardly;
  std::vector<char> hardly(amax.size());
  for (size_t j = 0; j < amax.size(); ++j) hardly[j] = amax[j] <= small && share[j] <= little;
  return hardly;
}

// The largest magnitude of the weights of every channel, over its n columns.
std::vector<float> largest_weights(const Tensor& weight, size_t k, size_t n) {
  const auto w = weight.as<float>();
  std::vector<float> wmax(k, 0.0f);
  for (size_t j = 0; j < k; ++j)
    for (size_t c = 0; c < n; ++c) wmax[j] = std::max(wmax[j], std::fabs(w[j * n + c]));
  return wmax;
}

}  // namespace

// Channels that are always zero, or whose weights are, keep the factor 1; so do those that the sample hardly sees: divided by a factor of their size
// they would drown all others where real inputs wake them. Weights that are too coarse for it are seen by the sample, what they would do is not.
std::vector<float> smoothing_factors(const LayerSample& sample, const Tensor& weight, double lhs_steps, int64_t tied) {
  const std::vector<float> amax = expected_largest(sample);
  const size_t k = amax.size(), n = static_cast<size_t>(weight.dims()[1]);
  const std::vector<float> wmax = largest_weights(weight, k, n);
  std::vector<double> p(k, 0.0);
  std::vector<char> unused = hardly_seen(amax, wmax);
  for (size_t j = 0; j < k; ++j) {
    unused[j] = unused[j] || amax[j] <= 0 || wmax[j] <= 0;
    if (!unused[j]) p[j] = log_of(std::sqrt(amax[j] / wmax[j]));
  }
  if (std::count(unused.begin(), unused.end(), 0) == 0) return std::vector<float>(k, 1.0f);
  const auto centre = [&] {
    const auto counted = std::count(unused.begin(), unused.end(), 0);
    double sum = 0;
    for (size_t j = 0; j < k; ++j) sum += unused[j] ? 0.0 : p[j];
    for (size_t j = 0; j < k; ++j) p[j] -= unused[j] ? 0.0 : sum / static_cast<double>(counted);
  };
  centre();
  if (sample.rows[0].count() >= kFewestRows) search_smoothing(sample.rows[0], weight.as<float>(), n, unused, lhs_steps, p);
  if (tied != 0) tie(p, unused, static_cast<size_t>(tied));
  centre();
  std::vector<float> smooth(k, 1.0f);
  for (size_t j = 0; j < k; ++j)
    if (!unused[j]) smooth[j] = std::clamp(exp_of(p[j]), 0x1p-10f, 0x1p10f);
  return smooth;
}

std::vector<float> common_factors(const std::vector<std::vector<float>>& layers) {
  if (layers.size() == 1) return layers[0];
  std::vector<float> common;
  for (size_t c = 0; c < layers[0].size(); ++c) {
    double sum = 0;
    for (const std::vector<float>& l : layers) sum += log_of(l[c]);
    common.push_back(exp_of(sum / static_cast<double>(layers.size())));
  }
  return common;
}

}  // namespace edgeconv
