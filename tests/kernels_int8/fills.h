// Contents of test rows and weights: ordinary values and the extremes that break rounding, ranges and flushing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tests/support/random_numbers.h"

namespace ert::kernels::testing {

enum class Fill {
  kNormal,
  kZero,
  kNegativeZero,
  kConstant,
  kNegativeConstant,
  kAlternating,
  kHuge,
  kTiny,
  kSubnormal,
  kMixed,
  kOneOutlier,
  kTies,
  kSumsOf256Or257,
  kNearTheLeast,
  kCount
};

inline const char* fill_name(Fill fill) {
  constexpr const char* kNames[] = {"normal", "zero", "-zero",     "constant", "negative constant", "alternating",
                                    "huge",   "tiny", "subnormal", "mixed",    "outlier",           "ties",
                                    "sums of 256 or 257", "near the least"};
  return kNames[static_cast<int>(fill)];
}

// Made from bits: in ert's float mode arithmetic cannot produce one.
inline float subnormal(ert::testing::RandomNumbers& random) {
  const uint32_t bits = static_cast<uint32_t>(random.bits()) & 0x807fffffu;
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// Every value is finite.
inline float fill_value(Fill fill, size_t i, ert::testing::RandomNumbers& random) {
  constexpr float kMax = std::numeric_limits<float>::max();
  switch (fill) {
    case Fill::kNormal: return random.normal();
    case Fill::kZero: return 0.0f;
    case Fill::kNegativeZero: return -0.0f;
    case Fill::kConstant: return 0.7f;
    case Fill::kNegativeConstant: return -0.7f;  // all q = 0, the farthest from 128
    case Fill::kAlternating: return i % 2 == 0 ? 127.0f : -127.0f;
    case Fill::kHuge: return random.uniform(-1.0f, 1.0f) * kMax;
    case Fill::kTiny: return random.uniform(-1.0f, 1.0f) * 0x1p-99f;
    case Fill::kSubnormal: return subnormal(random);
    case Fill::kMixed: {
      const float scales[] = {0x1p-120f, 0x1p-60f, 1.0f, 100.0f, 0x1p40f, 0.0f, -0.0f};
      const int which = random.integer(0, 7);
      return which == 7 ? subnormal(random) : scales[which] * random.uniform(-1.0f, 1.0f);
    }
    case Fill::kOneOutlier: return i == 3 ? 5000.0f : random.normal() * 0.01f;
    case Fill::kTies: return static_cast<float>(random.integer(-510, 510)) * 0.5f;
    // In rows that have both ends q - 128 is the value: four of them sum up to -256, now and then to -257. Products with 127 then do or do not fit int16.
    case Fill::kSumsOf256Or257: {
      const int which = random.integer(0, 80);
      return which == 0 ? -128.0f : which == 1 ? 127.0f : which == 2 ? -65.0f : -64.0f;
    }
    // As behind a ReLU or GELU. In rows that have both ends q is the value, or one more: two or four of them sum up to 256, now and then to more.
    case Fill::kNearTheLeast: {
      const int which = random.integer(0, 80);
      constexpr float kFew[] = {255.0f, 254.0f, -1.0f, 128.0f, 128.0f, 129.0f, 127.0f, 64.0f, 64.0f, 64.0f, 65.0f, 63.0f};
      return which < 12 ? kFew[which] : which < 30 ? 1.0f : 0.0f;
    }
    case Fill::kCount: break;
  }
  return 0.0f;
}

template <class Buffer>
void fill_row(Buffer& buffer, Fill fill, ert::testing::RandomNumbers& random) {
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = fill_value(fill, i, random);
}

enum class WeightFill {
  kRandom,
  kAll127,
  kAllMinus127,
  kAlternating,
  kZero,
  kIdentity,
  kSmall,
  kSumsOf255Or256,
  kSumsOf252Or253,
  kCount
};

inline int8_t weight_value(WeightFill fill, size_t column, size_t k, ert::testing::RandomNumbers& random) {
  switch (fill) {
    case WeightFill::kAll127: return 127;
    case WeightFill::kAllMinus127: return -127;
    case WeightFill::kAlternating: return (column + k) % 2 == 0 ? 127 : -127;
    case WeightFill::kZero: return 0;
    case WeightFill::kIdentity: return column == k ? 1 : 0;
    case WeightFill::kSmall: return static_cast<int8_t>(random.integer(-63, 63));
    // Four magnitudes sum up to 255, seldom to 256: of k and its neighbour in one line of four k and the next, and of the same place in four lines.
    // With activations of -128 and the negative ones of odd columns, only the first fit int16.
    case WeightFill::kSumsOf255Or256: {
      const size_t place = k % 16;
      const int magnitude = (place == 0 || place == 3 || place == 9 || place == 10) && random.integer(0, 40) > 0 ? 63 : 64;
      return static_cast<int8_t>(column % 2 == 0 ? magnitude : -magnitude);
    }
    // Of k and its neighbour, in one line of four k and the next: 252, seldom 253, which fit where the weights of negative activations are one larger.
    case WeightFill::kSumsOf252Or253: return k % 8 == 0 && random.integer(0, 40) == 0 ? 64 : 63;
    default: return static_cast<int8_t>(random.integer(-127, 127));
  }
}

}  // namespace ert::kernels::testing
