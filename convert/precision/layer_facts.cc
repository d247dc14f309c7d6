// Sums in double over a weight and the largest inputs of its channels.
#include "convert/precision/layer_facts.h"

#include <algorithm>
#include <cmath>

#include "convert/ir/median.h"
#include "convert/measure/accuracy.h"
#include "kernels_int8/contract/packed_layout.h"

namespace edgeconv {

namespace {

// Largest of the channels over the median of those that are used.
double outlier_index(std::vector<double> amax) {
  std::erase(amax, 0.0);
  if (amax.empty()) return kNotKnown;
  return *std::max_element(amax.begin(), amax.end()) / median(amax);
}

double weight_sqnr(const Tensor& weight, const PackedWeights& stored) {
  const auto k = static_cast<size_t>(stored.k), n = static_cast<size_t>(stored.n);
  const auto w = weight.as<float>();
  const auto scale = stored.scale.as<float>();
  const float* inv_smooth = stored.inv_smooth.bytes() ? stored.inv_smooth.as<float>().data() : nullptr;
  const auto* codes = reinterpret_cast<const int8_t*>(stored.codes.data());
  double signal = 0, noise = 0;
  for (size_t row = 0; row < k; ++row) {
    const double factor = inv_smooth ? double{inv_smooth[row]} : 1.0;
    for (size_t c = 0; c < n; ++c) {
      const double want = w[row * n + c];
      const double got = codes[ert::kernels::packed_offset(ert::kernels::Layout::kN16K4, c, row, k)] * double{scale[c]} * factor;
      signal += want * want;
      noise += (want - got) * (want - got);
    }
  }
  return sqnr_db(signal, noise);
}

// smooth = c * amax^a / wmax^(1 - a): log(smooth * wmax) is a line over log(amax * wmax) whose slope is a.
double exponent(const std::vector<float>& amax, const std::vector<float>& smooth, const Tensor& weight) {
  const size_t n = static_cast<size_t>(weight.dims()[1]);
  const auto w = weight.as<float>();
  double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t k = 0; k < amax.size(); ++k) {
    float wmax = 0;
    for (size_t c = 0; c < n; ++c) wmax = std::max(wmax, std::fabs(w[k * n + c]));
    if (amax[k] <= 0 || wmax <= 0) continue;
    const double x = std::log(double{amax[k]} * wmax), y = std::log(double{smooth[k]} * wmax);
    count += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double spread = count * sxx - sx * sx;
  return count > 1 && spread > 1e-9 * count * count ? (count * sxy - sx * sy) / spread : kNotKnown;
}

}  // namespace

LayerFacts layer_facts(const LayerSample& sample, const Tensor& weight, const PackedWeights& stored,
                       const std::vector<float>& smooth) {
  LayerFacts f;
  f.weight_sqnr_db = weight_sqnr(weight, stored);
  if (sample.amax.empty()) return f;
  const std::vector<double> plain(sample.amax.begin(), sample.amax.end());
  f.largest_input = *std::max_element(plain.begin(), plain.end());
  f.smoothed_index = f.outlier_index = outlier_index(plain);
  if (smooth.empty()) return f;
  std::vector<double> smoothed;
  for (size_t k = 0; k < plain.size(); ++k) smoothed.push_back(plain[k] / smooth[k]);
  f.smoothed_index = outlier_index(smoothed);
  f.smoothing_exponent = exponent(sample.amax, smooth, weight);
  return f;
}

LayerFacts state_facts(const LayerSample& sample) {
  LayerFacts f;
  std::vector<double> amax;
  for (const SampledRows& rows : sample.rows) {
    const auto width = static_cast<size_t>(rows.width);
    std::vector<double> channels(width, 0.0);
    for (size_t i = 0; i < rows.data.size(); ++i)
      channels[i % width] = std::max(channels[i % width], std::fabs(double{rows.data[i]}));
    amax.insert(amax.end(), channels.begin(), channels.end());
  }
  if (amax.empty()) return f;
  f.largest_input = *std::max_element(amax.begin(), amax.end());
  f.smoothed_index = f.outlier_index = outlier_index(amax);
  return f;
}

}  // namespace edgeconv
