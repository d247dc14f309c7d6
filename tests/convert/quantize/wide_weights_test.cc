// Weights of 12 bits: each column has a scale of its own, and its largest weight 2047 of its steps.
#include "convert/quantize/wide_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels_int8/contract/packed_layout.h"

namespace edgeconv {

namespace {

int16_t code(const PackedWeights& w, int64_t column, int64_t k) {
  int16_t value = 0;
  std::memcpy(&value,
              w.codes.as<uint8_t>().data() +
                  ert::kernels::packed_offset(ert::kernels::Layout::kN16K2, static_cast<size_t>(column), static_cast<size_t>(k), static_cast<size_t>(w.k)),
              sizeof value);
  return value;
}

TEST(WideWeights, AreWithinHalfAStepAndReachTheLastOne) {
  const int64_t k = 7, n = 18;
  std::vector<float> w;
  for (int64_t i = 0; i < k * n; ++i) w.push_back(std::sin(static_cast<float>(i)) * static_cast<float>(1 + i % n));
  const PackedWeights q = wide_weights(w, k, n);
  EXPECT_EQ(q.colsum.bytes(), 0u);
  for (int64_t j = 0; j < n; ++j) {
    const float scale = q.scale.as<float>()[static_cast<size_t>(j)];
    int most = 0;
    for (int64_t i = 0; i < k; ++i) {
      EXPECT_NEAR(static_cast<float>(code(q, j, i)) * scale, w[static_cast<size_t>(i * n + j)], 0.501f * scale);
      most = std::max(most, std::abs(int{code(q, j, i)}));
    }
    EXPECT_EQ(most, 2047) << j;
  }
}

TEST(WideWeights, AColumnOfZerosHasNoScale) {
  const PackedWeights q = wide_weights(std::vector<float>{0, 1, 0, -2}, 2, 2);
  EXPECT_EQ(q.scale.as<float>()[0], 0.0f);
  EXPECT_EQ(code(q, 0, 0), 0);
  EXPECT_EQ(code(q, 1, 1), -2047);
}

}  // namespace
}  // namespace edgeconv
