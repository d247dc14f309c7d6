// Attention of every level where scores, ranges or inputs are infinite or NaN: NUMERICS.md 6, What overflows.
#include <cmath>
#include <limits>

#include "tests/kernels_int8/attention_head.h"

namespace ert::kernels::testing {
namespace {

// NaN equals NaN.
bool same_or_nan(const std::vector<float>& a, const std::vector<float>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) ? !std::isnan(b[i]) : ert::testing::float_bits(a[i]) != ert::testing::float_bits(b[i])) return false;
  }
  return a.size() == b.size();
}

class AttentionOverflowTest : public LevelTest {};

// What was put where in a head: at which query or key.
struct Overflow {
  enum Where { kQuery, kKey, kValue, kBias, kCount } where;
  int32_t row, column;
  float value;
};

bool reaches(const Head& head, const AttentionCase& c, const Overflow& o, int32_t i) {
  if (o.where == Overflow::kQuery) {
    bool any = false;
    for (int32_t j = 0; j < c.seq_k; ++j) any |= head.sees(i, j);
    return i == o.row && any;
  }
  if (o.where == Overflow::kBias && !c.bias_of_row) return i == o.row && head.sees(i, o.column);
  return head.sees(i, o.where == Overflow::kBias ? o.column : o.row);
}

void put(Head* head, const AttentionCase& c, const Overflow& o) {
  if (o.where == Overflow::kQuery) head->q()[static_cast<size_t>(o.row * head->q_stride() + o.column)] = o.value;
  if (o.where == Overflow::kKey) head->k()[static_cast<size_t>(o.row * head->q_stride() + o.column)] = o.value;
  if (o.where == Overflow::kValue) head->v()[static_cast<size_t>(o.row * head->v_stride() + o.column)] = o.value;
  if (o.where == Overflow::kBias) head->bias()[static_cast<size_t>((c.bias_of_row ? 0 : o.row * c.seq_k) + o.column)] = o.value;
}

// Every query that sees an infinity or NaN in q, k, v or the bias has NaN in all its outputs; the others keep their bits.
TEST_P(AttentionOverflowTest, ARowThatSeesAnOverflowIsNaNInAllItsOutputs) {
  SeededRandom random;
  const float values[] = {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  size_t spoilt = 0, kept = 0;
  for (Hide hide : {Hide::kNothing, Hide::kKeyPadding, Hide::kPairs, Hide::kCausal, Hide::kSomeRows}) {
    for (int32_t seq_k : {1, 7, 16, 33, 70, 1030}) {
      for (int32_t seq_q : {1, 6, 19, 33}) {
        if (seq_k > 100 && seq_q > 6) continue;
        for (int where = 0; where < Overflow::kCount; ++where) {
          AttentionCase c = {seq_q, seq_k, 20, 36, Fill::kNormal, hide, true, where % 2 == 0};
          c.bias_of_row = random.integer(0, 1) != 0;
          const int32_t width = where == Overflow::kBias ? seq_k : where == Overflow::kValue ? c.v_dim : c.head_dim;
          const bool of_query = where == Overflow::kQuery || where == Overflow::kBias;
          Overflow o = {static_cast<Overflow::Where>(where), random.integer(0, (of_query ? seq_q : seq_k) - 1),
                        random.integer(0, width - 1), values[random.integer(0, 3)]};
          if (where == Overflow::kBias && o.value < 0) o.value = -o.value;  // -inf hides
          Head head(c, 3, random);
          const std::vector<float> clean = head.run(kernel_of(kernels(), true));
          put(&head, c, o);
          const std::vector<float> want = head.run(kernel_of(ref(), true)), got = head.run(kernel_of(kernels(), true));
          for (int32_t i = 0; i < seq_q; ++i) {
            const bool reached = reaches(head, c, o, i);
            (reached ? spoilt : kept) += 1;
            for (int32_t d = 0; d < c.v_dim; ++d) {
              const size_t at = static_cast<size_t>(i * c.v_dim + d);
              ASSERT_EQ(std::isnan(got[at]), reached)
                  << describe(c) << " where " << where << " value " << o.value << " row " << i;
              ASSERT_EQ(std::isnan(want[at]), reached)
                  << "reference: " << describe(c) << " where " << where << " value " << o.value << " row " << i;
            }
          }
          ASSERT_TRUE(same_or_nan(want, got)) << describe(c);
          for (size_t at = 0; at < got.size(); ++at) {
            ASSERT_TRUE(std::isnan(got[at]) || ert::testing::float_bits(got[at]) == ert::testing::float_bits(clean[at]))
                << describe(c);
          }
          // fp32 goes as IEEE says, the same on every level; NaN is not lost.
          const std::vector<float> want_f32 = head.run(kernel_of(ref(), false)), got_f32 = head.run(kernel_of(kernels(), false));
          ASSERT_TRUE(same_or_nan(want_f32, got_f32)) << "fp32 " << describe(c) << " where " << where << " value " << o.value;
          for (int32_t i = 0; i < seq_q; ++i) {
            if (!std::isnan(o.value) || !reaches(head, c, o, i)) continue;
            const int32_t first = where == Overflow::kValue ? o.column : 0,
                          end = where == Overflow::kValue ? o.column + 1 : c.v_dim;
            for (int32_t d = first; d < end; ++d)
              ASSERT_TRUE(std::isnan(got_f32[static_cast<size_t>(i * c.v_dim + d)])) << "fp32 " << describe(c);
          }
        }
      }
    }
  }
  EXPECT_GT(spoilt, 200u);
  EXPECT_GT(kept, 200u);
}

// Finite q, k, v near the largest float: scores overflow, and what does is the same on every level.
TEST_P(AttentionOverflowTest, ScoresThatOverflowAreTheSameOnEveryLevel) {
  SeededRandom random;
  size_t nans = 0, numbers = 0;
  for (Hide hide : {Hide::kNothing, Hide::kKeyPadding, Hide::kCausal}) {
    for (int32_t seq_k : {1, 16, 33, 70}) {
      for (float scale : {1.0f, 0x1p-60f, 0x1p-125f, 0x1p127f}) {
        AttentionCase c = {9, seq_k, 20, 36, Fill::kHuge, hide};
        c.scale = scale;
        Head head(c, 1, random);
        for (size_t row = 0; row < 9; row += 2) {
          for (size_t d = 0; d < 20; ++d) head.q()[row * 21 + d] *= 0x1p-120f;
        }
        for (bool int8 : {true, false}) {
          const std::vector<float> want = head.run(kernel_of(ref(), int8)), got = head.run(kernel_of(kernels(), int8));
          ASSERT_TRUE(same_or_nan(want, got)) << (int8 ? "int8 " : "fp32 ") << describe(c) << " scale " << scale;
          for (size_t i = 0; int8 && i < got.size(); ++i) {
            nans += std::isnan(got[i]);
            numbers += !std::isnan(got[i]);
            ASSERT_EQ(std::isnan(got[i]), std::isnan(got[i / 36 * 36])) << "all outputs of a row or none";
          }
        }
      }
    }
  }
  EXPECT_GT(nans, 100u);
  EXPECT_GT(numbers, 100u);
}

ERT_INSTANTIATE_LEVELS(AttentionOverflowTest);

}  // namespace
}  // namespace ert::kernels::testing
