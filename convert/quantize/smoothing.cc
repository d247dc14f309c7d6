// The square-root rule.
#include "convert/quantize/smoothing.h"

#include <algorithm>
#include <cmath>

#include "kernels_int8/kernel_table.h"

namespace edgeconv {

namespace {

std::vector<float> factors(const std::vector<float>& amax, const Tensor& weight) {
  const size_t k = amax.size(), n = static_cast<size_t>(weight.dims()[1]);
  const auto w = weight.as<float>();
  std::vector<float> smooth(k, 1.0f);
  // The mean of logarithms in double: float logs are canonical, and the order of the sum is fixed.
  double log_sum = 0;
  size_t counted = 0;
  for (size_t j = 0; j < k; ++j) {
    float wmax = 0;
    for (size_t c = 0; c < n; ++c) wmax = std::max(wmax, std::fabs(w[j * n + c]));
    if (amax[j] <= 0 || wmax <= 0) continue;
    smooth[j] = std::sqrt(amax[j] / wmax);
    log_sum += ert::kernels::scalar_unary(ert::kernels::Unary::kLog, smooth[j]);
    ++counted;
  }
  if (counted == 0) return smooth;
  const float mean =
      ert::kernels::scalar_unary(ert::kernels::Unary::kExp, static_cast<float>(log_sum / static_cast<double>(counted)));
  for (size_t j = 0; j < k; ++j) {
    const bool unused = smooth[j] == 1.0f && amax[j] <= 0;
    smooth[j] = unused ? 1.0f : std::clamp(smooth[j] / mean, 0x1p-10f, 0x1p10f);
  }
  return smooth;
}

}  // namespace

std::map<NodeId, std::vector<float>> smoothing_factors(const Graph& g, const LayerSamples& samples) {
  // Weights that came quantized keep their integers, which rules factors out.
  const auto kept = [&](NodeId id) { return g.value(g.node(id).in(1)).quantized != nullptr; };
  std::map<ValueId, std::vector<float>> by_weight;
  for (const auto& [id, sample] : samples) {
    if (sample.amax.empty() || kept(id)) continue;
    std::vector<float>& joint = by_weight[g.node(id).in(1)];
    joint.resize(sample.amax.size(), 0.0f);
    for (size_t j = 0; j < joint.size(); ++j) joint[j] = std::max(joint[j], sample.amax[j]);
  }
  std::map<ValueId, std::vector<float>> made;
  for (const auto& [weight, amax] : by_weight)
    made[weight] = factors(amax, g.value(weight).constant->cast(DType::kFloat).aligned());
  std::map<NodeId, std::vector<float>> result;
  for (const auto& [id, sample] : samples)
    if (!sample.amax.empty() && !kept(id)) result[id] = made[g.node(id).in(1)];
  return result;
}

}  // namespace edgeconv
