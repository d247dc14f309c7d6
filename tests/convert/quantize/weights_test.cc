// Weight quantization and the packed layout, checked against the text of NUMERICS.md and packed_layout.h.
#include "convert/quantize/weights.h"

#include <gtest/gtest.h>

#include <limits>

#include <cmath>

#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {

namespace {

std::vector<float> random_weights(int64_t count, uint32_t seed) {
  std::vector<float> w(static_cast<size_t>(count));
  for (float& x : w) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f;
  }
  return w;
}

TEST(QuantizeWeights, ScaleIsTheLargestMagnitudeOver127) {
  const std::vector<float> w{0.5f, -2.0f, 0, 0.25f, 1.0f, 0};  // [2, 3]
  const QuantizedWeights q = quantize_weights(w, 2, 3);
  EXPECT_EQ(q.scale, (std::vector<float>{0.5f / 127.0f, 2.0f / 127.0f, 0}));
  EXPECT_EQ(q.codes, (std::vector<int8_t>{127, 64, -127, 64, 0, 0}));  // 63.5 rounds to even
  EXPECT_EQ(q.colsum, (std::vector<int32_t>{191, -63, 0}));
}

TEST(QuantizeWeights, NeverBelowMinus127) {
  for (uint32_t seed = 1; seed < 50; ++seed) {
    const QuantizedWeights q = quantize_weights(random_weights(40 * 7, seed), 40, 7);
    int32_t sum[7] = {};
    for (size_t c = 0; c < 7; ++c) {
      int largest = 0;
      for (size_t k = 0; k < 40; ++k) {
        const int code = q.codes[c * 40 + k];
        EXPECT_GE(code, -127);
        largest = std::max(largest, std::abs(code));
        sum[c] += code;
      }
      EXPECT_EQ(largest, 127) << "the largest weight uses the whole range";
      EXPECT_EQ(q.colsum[c], sum[c]);
    }
  }
}

TEST(QuantizeWeights, ErrorIsAtMostHalfAStep) {
  const std::vector<float> w = random_weights(33 * 5, 3);
  const QuantizedWeights q = quantize_weights(w, 33, 5);
  for (size_t k = 0; k < 33; ++k)
    for (size_t c = 0; c < 5; ++c)
      EXPECT_LE(std::fabs(w[k * 5 + c] - static_cast<float>(q.codes[c * 33 + k]) * q.scale[c]), q.scale[c] * 0.5001f);
}

TEST(QuantizeWeights, SmoothingMultipliesRows) {
  const std::vector<float> w = random_weights(8 * 3, 5), smooth{1, 2, 0.5f, 4, 1, 1, 0.25f, 8};
  std::vector<float> multiplied = w;
  for (size_t k = 0; k < 8; ++k)
    for (size_t c = 0; c < 3; ++c) multiplied[k * 3 + c] *= smooth[k];
  const QuantizedWeights a = quantize_weights(w, 8, 3, smooth), b = quantize_weights(multiplied, 8, 3);
  EXPECT_EQ(a.codes, b.codes);
  EXPECT_EQ(a.scale, b.scale);
  EXPECT_EQ(inverse(smooth), (std::vector<float>{1, 0.5f, 2, 0.25f, 1, 1, 4, 0.125f}));
}

// packed_layout.h: panels of 16 columns; per group of 4 k one 64-byte line, column c element j at byte 4 c + j; padding is zero.
TEST(PackN16K4, MatchesTheLayout) {
  for (const auto& [k, n] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {4, 16}, {5, 17}, {7, 33}, {64, 48}}) {
    const QuantizedWeights q = quantize_weights(random_weights(k * n, 9), k, n);
    const Tensor bytes = pack_n16k4(q);
    const auto packed = bytes.as<uint8_t>();
    const auto ku = static_cast<size_t>(k), nu = static_cast<size_t>(n);
    ASSERT_EQ(packed.size(), (nu + 15) / 16 * 16 * ((ku + 3) / 4 * 4));
    std::vector<char> seen(packed.size(), 0);
    for (size_t c = 0; c < nu; ++c)
      for (size_t kk = 0; kk < ku; ++kk) {
        const size_t at = ert::kernels::packed_offset(ert::kernels::Layout::kN16K4, c, kk, ku);
        EXPECT_EQ(at, c / 16 * (16 * ((ku + 3) / 4 * 4)) + kk / 4 * 64 + 4 * (c % 16) + kk % 4);
        EXPECT_EQ(static_cast<int8_t>(packed[at]), q.codes[c * ku + kk]);
        seen[at] = 1;
      }
    for (size_t i = 0; i < packed.size(); ++i)
      if (!seen[i]) {
        EXPECT_EQ(packed[i], 0) << "padding";
      }
  }
}

TEST(QuantizeRows, PerRowScale) {
  const QuantizedRows q = quantize_rows(std::vector<float>{1, -0.5f, 0, 0, -4, 2}, 3, 2);
  EXPECT_EQ(q.scale, (std::vector<float>{1 / 127.0f, 0, 4 / 127.0f}));
  EXPECT_EQ(q.codes, (std::vector<int8_t>{127, -64, 0, 0, -127, 64}));  // halves to even
}

TEST(WideRows, PerRowScale) {
  const float inf = std::numeric_limits<float>::infinity();
  const WideRows q = wide_rows(std::vector<float>{1, -0.5f, 0, 0, -4, 2, -inf, 1}, 4, 2);
  EXPECT_EQ(q.scale, (std::vector<float>{1 / 32767.0f, 0, 4 / 32767.0f, inf}));
  EXPECT_EQ(q.codes, (std::vector<int16_t>{32767, -16384, 0, 0, -32767, 16384, 0, 0}));  // halves to even
}

}  // namespace

}  // namespace edgeconv
