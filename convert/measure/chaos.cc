// See chaos.h.
#include "convert/measure/chaos.h"

#include <algorithm>
#include <cmath>

#include "convert/measure/accuracy.h"

namespace edgeconv {

namespace {

// The gate without --max-loss. Of what is made up for eighty models out of packages no sample loses more than 6e-5.
constexpr double kChaos = 1e-3;
constexpr size_t kVector = 4;  // fewer elements are numbers of their own, such as probabilities, which may be as small as they like

}  // namespace

ChaoticSamples chaotic_samples(const std::vector<Tensor>& exact, const std::vector<Tensor>& moved) {
  ChaoticSamples samples(exact.size());
  for (size_t o = 0; o < exact.size(); ++o) {
    if (!is_float(exact[o].dtype()) || exact[o].rank() < 2 || exact[o].elements() == 0 || exact[o].dims() != moved[o].dims()) continue;
    const std::vector<float> a = exact[o].to_float(), b = moved[o].to_float();
    const auto rows = static_cast<size_t>(exact[o].dims()[0]);
    const size_t width = a.size() / rows;
    if (width < kVector) continue;
    std::vector<char> chaotic(rows);
    for (size_t r = 0; r < rows; ++r) {
      Products p;
      for (size_t i = r * width; i < (r + 1) * width; ++i) p.add(static_cast<double>(a[i]), static_cast<double>(b[i]));
      chaotic[r] = p.ref2 > 0 && p.ref2 < INFINITY && loss_of(p.cosine()) > kChaos;
    }
    if (std::find(chaotic.begin(), chaotic.end(), 1) != chaotic.end()) samples[o] = std::move(chaotic);
  }
  return samples;
}

size_t count_of(const ChaoticSamples& samples) {
  size_t count = 0;
  for (const auto& of_output : samples) count += static_cast<size_t>(std::count(of_output.begin(), of_output.end(), 1));
  return count;
}

}  // namespace edgeconv
