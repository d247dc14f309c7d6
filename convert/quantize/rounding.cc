// Tiles of rows: errors of finished tiles come in as one product, those of the own tile one by one.
#include "convert/quantize/rounding.h"

#include <algorithm>
#include <cmath>

#include "convert/quantize/curvature.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

// Inputs differ from the samples. The ridge keeps from what is peculiar to these: in a simulation on a real MiniLM, from random
// tokens, 0.01 and 0.1 made the embeddings worse than plain rounding and 1 made them better; of 0.5, 1 and 3 in the converter 1 was
// best. Fewer rows know less: the ridge grows as they become fewer.
constexpr double kRidgeTimesRows = 1024;
constexpr int64_t kFewestRowsToRound = 32;
// Channels that make up for each other: bounds memory, and time, which grows with the third power.
constexpr int64_t kMostChannels = 2048;
constexpr size_t kTile = 64, kColumns = 256;  // kColumns bounds memory: the errors of that many columns

// Channels [first, first + k) of the layer, which round among themselves.
struct Group {
  size_t first, k;
  std::vector<float> factors;
};

// Columns [begin, begin + width) of the smoothed weights of one group.
class Rounding {
 public:
  Rounding(const Group& group, QuantizedWeights& q, size_t begin, size_t width)
      : kernels_(ert::kernels::kernel_table(ert_isa_available())),
        group_(group),
        q_(q),
        begin_(begin),
        width_(width),
        error_(group.k * width),
        owed_(kTile * width) {}

  void run(std::span<const float> weight, const std::vector<float>& smooth) {
    for (size_t tile = 0; tile < group_.k; tile += kTile) {
      const size_t rows = std::min(kTile, group_.k - tile);
      if (tile)
        kernels_.gemm_f32(rows, width_, tile, group_.factors.data() + tile, 1, static_cast<ptrdiff_t>(group_.k), error_.data(),
                          static_cast<ptrdiff_t>(width_), nullptr, owed_.data(), static_cast<ptrdiff_t>(width_));
      else
        std::fill(owed_.begin(), owed_.end(), 0.0f);
      for (size_t r = 0; r < rows; ++r) round(tile, tile + r, weight, smooth);
    }
  }

 private:
  void round(size_t tile, size_t j, std::span<const float> weight, const std::vector<float>& smooth) {
    float* owed = owed_.data() + (j - tile) * width_;
    for (size_t i = tile; i < j; ++i) {
      const float factor = group_.factors[i * group_.k + j];
      const float* error = error_.data() + i * width_;
      for (size_t c = 0; c < width_; ++c) owed[c] += factor * error[c];
    }
    const size_t row = group_.first + j;
    const float* w = weight.data() + row * static_cast<size_t>(q_.n) + begin_;
    const float s = smooth.empty() ? 1.0f : smooth[row];
    for (size_t c = 0; c < width_; ++c) {
      const float scale = q_.scale[begin_ + c], wanted = w[c] * s;
      if (scale == 0.0f) continue;
      const float code = std::clamp(std::nearbyintf((wanted + owed[c]) / scale), -127.0f, 127.0f);
      error_[j * width_ + c] = wanted - code * scale;
      q_.codes[(begin_ + c) * static_cast<size_t>(q_.k) + row] = static_cast<int8_t>(code);
    }
  }

  const ert::kernels::KernelTable& kernels_;
  const Group& group_;
  QuantizedWeights& q_;
  size_t begin_, width_;
  std::vector<float> error_, owed_;
};

}  // namespace

QuantizedWeights round_with_feedback(std::span<const float> weight, int64_t k, int64_t n, const std::vector<float>& smooth,
                                     const SampledRows& rows) {
  QuantizedWeights q = quantize_weights(weight, k, n, smooth);
  if (rows.count() < kFewestRowsToRound) return q;
  const std::vector<float> inv = smooth.empty() ? std::vector<float>(static_cast<size_t>(k), 1.0f) : inverse(smooth);
  const double ridge = std::max(1.0, kRidgeTimesRows / static_cast<double>(rows.count()));
  const int64_t groups = (k + kMostChannels - 1) / kMostChannels;
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t first = g * k / groups, channels = (g + 1) * k / groups - first;
    const Group group{static_cast<size_t>(first), static_cast<size_t>(channels),
                      feedback_factors(rows, first, {inv.data() + first, static_cast<size_t>(channels)}, ridge)};
    if (group.factors.empty()) continue;
    for (size_t c = 0; c < static_cast<size_t>(n); c += kColumns)
      Rounding(group, q, c, std::min(kColumns, static_cast<size_t>(n) - c)).run(weight, smooth);
  }
  for (int64_t c = 0; c < n; ++c) {
    int32_t sum = 0;
    for (int64_t kk = 0; kk < k; ++kk) sum += q.codes[static_cast<size_t>(c * k + kk)];
    q.colsum[static_cast<size_t>(c)] = sum;
  }
  return q;
}

}  // namespace edgeconv
