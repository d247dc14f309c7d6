// See wide_weights.h.
#include "convert/quantize/wide_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels_int8/contract/math_constants.h"

namespace edgeconv {

namespace {

using ert::kernels::Layout;

size_t offset(int64_t column, int64_t k_index, int64_t k) {
  return ert::kernels::packed_offset(Layout::kN16K2, static_cast<size_t>(column), static_cast<size_t>(k_index), static_cast<size_t>(k));
}

}  // namespace

PackedWeights wide_weights_of_zeros(int64_t k, int64_t n) {
  const size_t bytes = ert::kernels::packed_bytes(Layout::kN16K2, static_cast<size_t>(n), static_cast<size_t>(k));
  return {k, n, Tensor(DType::kUint8, {static_cast<int64_t>(bytes)}), Tensor(DType::kFloat, {n}), {}, {}, ert::params::kPackedN16K2};
}

PackedWeights wide_weights(std::span<const float> weight, int64_t k, int64_t n) {
  std::vector<float> scale(static_cast<size_t>(n), 0.0f);
  for (int64_t i = 0; i < k * n; ++i) {
    float& most = scale[static_cast<size_t>(i % n)];
    most = std::max(most, std::abs(weight[static_cast<size_t>(i)]));
  }
  for (float& s : scale) s /= ert::kernels::kMaxQ12;
  PackedWeights packed = wide_weights_of_zeros(k, n);
  packed.scale = Tensor::of<float>(DType::kFloat, {n}, scale);
  uint8_t* at = packed.codes.mutable_data();
  for (int64_t kk = 0; kk < k; ++kk)
    for (int64_t column = 0; column < n; ++column) {
      const double s = scale[static_cast<size_t>(column)];
      const double q = s > 0 ? std::nearbyint(static_cast<double>(weight[static_cast<size_t>(kk * n + column)]) / s) : 0;
      const auto code = static_cast<int16_t>(std::clamp<double>(q, -ert::kernels::kMaxQ12, ert::kernels::kMaxQ12));
      std::memcpy(at + offset(column, kk, k), &code, sizeof code);
    }
  return packed;
}

}  // namespace edgeconv
