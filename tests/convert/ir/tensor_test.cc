// Conversions between element types, sharing of bytes, refusal of impossible dimensions.
#include "convert/ir/tensor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "convert/ir/diagnostics.h"
#include "convert/ir/half.h"

namespace edgeconv {
namespace {

TEST(Half, RoundTripsAllBitPatterns) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const float f = half_to_float(static_cast<uint16_t>(h));
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(f))));
      continue;
    }
    ASSERT_EQ(float_to_half(f), h);
    const float b = bfloat16_to_float(static_cast<uint16_t>(h));
    if (!std::isnan(b)) {
      ASSERT_EQ(float_to_bfloat16(b), h);
    }
  }
}

TEST(Half, RoundsTiesToEven) {
  EXPECT_EQ(float_to_half(1.0f + 0x1p-11f), 0x3c00);      // halfway: stays even
  EXPECT_EQ(float_to_half(1.0f + 3 * 0x1p-11f), 0x3c02);  // halfway: goes up to even
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);  // rounds to infinity
  EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);
  EXPECT_EQ(float_to_half(0x1.8p-25f), 0x0001);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f818000u)), 0x3f82);
}

TEST(Tensor, CastTruncatesAndSaturates) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor f = Tensor::of<float>(DType::kFloat, {7}, {1.9f, -1.9f, 300, -300, nan, inf, -inf});
  EXPECT_EQ(f.cast(DType::kInt8).to_int64(), (std::vector<int64_t>{1, -1, 127, -128, 0, 127, -128}));
  EXPECT_EQ(f.cast(DType::kUint8).to_int64(), (std::vector<int64_t>{1, 0, 255, 0, 0, 255, 0}));
  EXPECT_EQ(f.cast(DType::kInt64).to_int64()[5], INT64_MAX);
  EXPECT_EQ(f.cast(DType::kBool).to_int64(), (std::vector<int64_t>{1, 1, 1, 1, 1, 1, 1}));
  const Tensor i = Tensor::ints({INT64_MAX, INT64_MIN, 5});
  EXPECT_EQ(i.cast(DType::kInt32).to_int64(), (std::vector<int64_t>{INT32_MAX, INT32_MIN, 5}));
  EXPECT_EQ(i.cast(DType::kFloat).to_float()[2], 5.0f);
  EXPECT_THROW(f.to_int64(), FatalError);
}

// The lowest float64, as masks of float64 models hold it: as -inf it would make NaN of 0 * mask.
TEST(Tensor, FiniteFloat64StaysFiniteInFloat32) {
  const double lowest = std::numeric_limits<double>::lowest(), inf = std::numeric_limits<double>::infinity();
  const Tensor t = Tensor::of<double>(DType::kDouble, {4}, {lowest, 1e39, -inf, 1.5});
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> expected = {-largest, largest, -std::numeric_limits<float>::infinity(), 1.5f};
  EXPECT_EQ(t.to_float(), expected);
  EXPECT_EQ(t.cast(DType::kFloat).to_float(), expected);
}

TEST(Tensor, CopiesShareUntilWritten) {
  Tensor a = Tensor::ints({1, 2, 3});
  Tensor b = a;
  EXPECT_EQ(a.data(), b.data());
  b.mut<int64_t>()[0] = 9;
  EXPECT_EQ(a.to_int64()[0], 1);
  EXPECT_EQ(b.to_int64()[0], 9);
  EXPECT_FALSE(a.same_bytes(b));
}

TEST(Tensor, ViewsOfUnalignedBytes) {
  const auto bytes = std::make_shared<std::vector<uint8_t>>(65);
  const float v = 2.5f;
  std::memcpy(bytes->data() + 1, &v, 4);
  Tensor t(DType::kFloat, {1}, bytes->data() + 1, bytes);
  EXPECT_EQ(t.to_float()[0], 2.5f);
  EXPECT_EQ(t.aligned().as<float>()[0], 2.5f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.aligned().data()) % 64, 0u);
  t.mut<float>()[0] = 1;
  float original;
  std::memcpy(&original, bytes->data() + 1, 4);
  EXPECT_EQ(original, 2.5f);
}

TEST(Tensor, RefusesImpossibleDimensions) {
  EXPECT_THROW(Tensor(DType::kFloat, {-1}), FatalError);
  EXPECT_THROW(Tensor(DType::kFloat, {int64_t{1} << 42, int64_t{1} << 42}), FatalError);
  EXPECT_EQ(Tensor(DType::kFloat, {0, 5}).elements(), 0);
  EXPECT_THROW(Tensor::ints({1, 2}).reshaped({3}), FatalError);
}

}  // namespace
}  // namespace edgeconv
