// PackRows, UnpackRows and Attention on packed rows.
#include <gtest/gtest.h>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

namespace att = params::attention;

TEST(PackRows, TakesTheRowsOfEverySequence) {
  // Lengths 2, 0, 3 of 3.
  const OpCase c{&kOpPackRows,
                 {f32({3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
                 {empty(ERT_F32, {1, 5, 1})},
                 {},
                 {},
                 {},
                 nullptr,
                 {0, 2, 2, 5},
                 3};
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{1, 2, 7, 8, 9}));
}

TEST(PackRows, RepeatsWhatIsSharedByTheBatchOrBySequence) {
  OpCase c{&kOpPackRows, {f32({1, 3, 1}, {1, 2, 3})}, {empty(ERT_F32, {1, 5, 1})}, {}, {}, {}, nullptr, {0, 2, 2, 5}, 3};
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{1, 2, 1, 2, 3}));
  c.inputs[0] = f32({3, 1, 1}, {7, 8, 9});
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{7, 7, 9, 9, 9}));
  c.inputs[0] = f32({1, 1, 1}, {4});
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{4, 4, 4, 4, 4}));
}

TEST(PackRows, GivesOneRowOfZerosWhenAllIsPadding) {
  const OpCase c{&kOpPackRows, {i32({2, 2}, {1, 2, 3, 4})}, {empty(ERT_I32, {1, 1})}, {}, {}, {}, nullptr, {0, 0, 0}, 2};
  EXPECT_EQ(run_for<int32_t>(c), (std::vector<int32_t>{0}));
}

TEST(UnpackRows, PutsRowsBackAndZerosBehindThem) {
  const OpCase c{
      &kOpUnpackRows, {f32({1, 5, 1}, {1, 2, 7, 8, 9})}, {empty(ERT_F32, {3, 3, 1})}, {}, {}, {}, nullptr, {0, 2, 2, 5}, 3};
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{1, 2, 0, 0, 0, 0, 7, 8, 9}));
}

TEST(UnpackRows, IsTheInverseOfPackRowsForLargeRows) {
  const int32_t width = 300, sequence = 70;
  const std::vector<int32_t> starts{0, 70, 70, 71, 120, 155};
  const Tensor packed = noisy({1, 155, width}, 7);
  OpCase c{&kOpUnpackRows, {packed}, {empty(ERT_F32, {5, sequence, width})}, {}, {}, {}, nullptr, starts, sequence};
  ASSERT_EQ(run(c), ERT_OK);
  const std::vector<float> full = c.outputs[0].as<float>();
  for (size_t b = 0; b + 1 < starts.size(); ++b)
    for (int32_t s = starts[b + 1] - starts[b]; s < sequence; ++s)
      for (int32_t k = 0; k < width; ++k)
        ASSERT_EQ(full[(b * sequence + static_cast<size_t>(s)) * width + static_cast<size_t>(k)], 0.0f);
  const OpCase back{&kOpPackRows, {c.outputs[0]}, {empty(ERT_F32, {1, 155, width})}, {}, {}, {}, nullptr, starts, sequence};
  EXPECT_EQ(run_for<float>(back), packed.as<float>());
}

TEST(PackRows, RefusesOtherShapesAndProgramsWithoutAMask) {
  const OpCase good{&kOpPackRows, {empty(ERT_F32, {2, 3, 4})}, {empty(ERT_F32, {1, 5, 4})}, {}, {}, {}, nullptr, {0, 2, 5}, 3};
  ASSERT_TRUE(prepares(good));
  OpCase c = good;
  c.row_starts.clear();
  EXPECT_FALSE(prepares(c));
  c = good;
  c.outputs[0].dims = {1, 6, 4};
  EXPECT_FALSE(prepares(c));
  c = good;
  c.outputs[0].dims = {2, 5, 4};
  EXPECT_FALSE(prepares(c));
  c = good;
  c.inputs[0].dims = {2, 2, 4};
  EXPECT_FALSE(prepares(c));
  c = good;
  c.outputs[0].dtype = ERT_I32;
  EXPECT_FALSE(prepares(c));
  OpCase back{&kOpUnpackRows, {empty(ERT_F32, {1, 5, 4})}, {empty(ERT_F32, {1, 3, 4})}, {}, {}, {}, nullptr, {0, 2, 5}, 3};
  EXPECT_FALSE(prepares(back)) << "only the full batch has a place for every row";
}

// Attention over sequences of these lengths, packed, gives the bits of each sequence alone.
void check_packed_attention(const std::vector<int32_t>& lengths, int32_t causal, int32_t precision) {
  const int32_t sequence = 150, heads = 3, dim = 16, width = heads * dim;
  std::vector<int32_t> starts{0};
  for (int32_t n : lengths) starts.push_back(starts.back() + n);
  const int32_t total = starts.back();
  const std::vector<int32_t> ints{precision, heads, heads, dim, dim, 0, width, 2 * width, causal};
  const Tensor qkv = noisy({1, total, 3 * width}, 3), bias = noisy({1, heads, sequence, sequence}, 4);
  OpCase packed{&kOpAttention, {qkv, qkv, qkv, bias}, {empty(ERT_F32, {1, total, width})}, ints, {0.25f}, {}, nullptr, starts,
                sequence};
  packed.ints.push_back(1);
  ASSERT_EQ(run(packed), ERT_OK);
  const std::vector<float> got = packed.outputs[0].as<float>(), rows = qkv.as<float>(), all_bias = bias.as<float>();
  for (size_t b = 0; b < lengths.size(); ++b) {
    const int32_t n = lengths[b];
    if (n == 0) continue;
    const auto from = rows.begin() + int64_t{starts[b]} * 3 * width;
    const Tensor own = f32({1, n, 3 * width}, {from, from + int64_t{n} * 3 * width});
    std::vector<float> corner;
    for (int32_t h = 0; h < heads; ++h)
      for (int32_t q = 0; q < n; ++q)
        for (int32_t k = 0; k < n; ++k) corner.push_back(all_bias[static_cast<size_t>((h * sequence + q) * sequence + k)]);
    const OpCase alone{
        &kOpAttention, {own, own, own, f32({1, heads, n, n}, corner)}, {empty(ERT_F32, {1, n, width})}, ints, {0.25f}, {}};
    const auto at = got.begin() + int64_t{starts[b]} * width;
    EXPECT_EQ(run_for<float>(alone), (std::vector<float>(at, at + int64_t{n} * width))) << b;
  }
}

TEST(PackedAttention, GivesTheBitsOfEachSequenceAlone) {
  for (int32_t causal : {0, 1})
    for (int32_t precision : {0, 1}) {
      check_packed_attention({5, 0, 150, 1, 37}, causal, precision);
      check_packed_attention({140}, causal, precision);  // one sequence: queries in blocks
    }
}

TEST(PackedAttention, GivesZerosWhenAllIsPadding) {
  const Tensor x = f32({1, 1, 4}, {1, 2, 3, 4});
  const OpCase c{&kOpAttention, {x, x, x}, {empty(ERT_F32, {1, 1, 4})}, {0, 1, 1, 4, 4, 0, 0, 0, 0, 1}, {1.0f}, {}, nullptr,
                 {0, 0, 0},     6};
  EXPECT_EQ(run_for<float>(c), (std::vector<float>(4)));
}

TEST(PackedAttention, RefusesOtherRowsThanTheMaskGives) {
  const auto x = [](Dims d) { return empty(ERT_F32, std::move(d)); };
  const OpCase good{&kOpAttention,
                    {x({1, 5, 4}), x({1, 5, 4}), x({1, 5, 4})},
                    {x({1, 5, 4})},
                    {0, 1, 1, 4, 4, 0, 0, 0, 0, 1},
                    {1.0f},
                    {},
                    nullptr,
                    {0, 2, 5},
                    3};
  ASSERT_TRUE(prepares(good));
  for (size_t k = 0; k < 4; ++k) {
    OpCase c = good;
    Tensor& t = k < 3 ? c.inputs[k] : c.outputs[0];
    t.dims = {1, 6, 4};
    EXPECT_FALSE(prepares(c)) << k;
    t.dims = {2, 5, 4};
    EXPECT_FALSE(prepares(c)) << k;
  }
  OpCase c = good;
  c.row_starts.clear();
  EXPECT_FALSE(prepares(c)) << "no mask";
  c = good;
  c.ints[att::kPacked] = 2;
  EXPECT_FALSE(prepares(c));
  c = good;
  c.inputs.push_back(x({2, 1, 3, 5}));
  EXPECT_FALSE(prepares(c)) << "the bias is over positions, not over packed rows";
  c.inputs[3].dims = {2, 1, 3, 3};
  EXPECT_TRUE(prepares(c));
}

}  // namespace
}  // namespace ert::test
