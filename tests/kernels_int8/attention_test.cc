// Attention (int8 and fp32) of every level against the reference, bit for bit; masks, hidden rows, padding invariance.
#include <cmath>
#include <limits>

#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/attention_head.h"

namespace ert::kernels::testing {
namespace {

class AttentionTest : public LevelTest {
 protected:
  void compare(const AttentionCase& c, SeededRandom& random) {
    Head head(c, random.integer(0, 5), random);
    for (bool int8 : {true, false}) {
      const std::vector<float> want = head.run(kernel_of(ref(), int8));
      const std::vector<float> got = head.run(kernel_of(kernels(), int8));
      ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << (int8 ? "int8 " : "fp32 ") << describe(c);
      for (float y : got) ASSERT_FALSE(std::isnan(y)) << describe(c);
    }
  }
};

TEST_P(AttentionTest, Tails) {
  SeededRandom random;
  for (int32_t seq_k : {1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 100, 128, 129}) {
    for (int32_t seq_q : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) compare({seq_q, seq_k, 32, 32}, random);
  }
}

TEST_P(AttentionTest, HeadDimensions) {
  SeededRandom random;
  for (int32_t head_dim : {1, 2, 3, 4, 5, 8, 12, 16, 24, 26, 31, 32, 33, 48, 63, 64, 65, 80, 96, 128, 160, 256}) {
    compare({9, 21, head_dim, 64}, random);
    compare({5, 37, 32, head_dim}, random);
    compare({3, 18, head_dim, head_dim}, random);
  }
}

TEST_P(AttentionTest, MasksAndBiases) {
  SeededRandom random;
  for (int hide = 0; hide <= static_cast<int>(Hide::kSomeRows); ++hide) {
    for (int bias = 0; bias < 3; ++bias) {
      for (int32_t seq_k : {1, 7, 16, 40, 67}) {
        for (int32_t seq_q : {1, 6, 19, 70}) {
          compare({seq_q, seq_k, 32, 32, Fill::kNormal, static_cast<Hide>(hide), bias != 0, bias == 2}, random);
        }
      }
    }
  }
}

TEST_P(AttentionTest, Fills) {
  SeededRandom random;
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    if (static_cast<Fill>(fill) == Fill::kHuge) continue;  // scores overflow: see HugeScores
    compare({9, 33, 32, 32, static_cast<Fill>(fill), Hide::kKeyPadding, true, true}, random);
    compare({10, 50, 20, 12, static_cast<Fill>(fill)}, random);
  }
}

// Score differences far beyond the range of exp.
TEST_P(AttentionTest, HugeScores) {
  SeededRandom random;
  for (float scale : {0x1p10f, 0x1p40f, 0x1p100f, -0x1p20f}) {
    AttentionCase c = {9, 40, 32, 32};
    c.scale = scale;
    compare(c, random);
  }
}

// The int32 sum of P * v is taken over blocks of 1024 keys.
TEST_P(AttentionTest, ManyKeys) {
  SeededRandom random;
  for (int32_t seq_k : {1023, 1024, 1025, 1040, 2048, 2100, 3000}) {
    AttentionCase c = {2, seq_k, 16, 16};
    c.scale = 0.01f;
    compare(c, random);
    c.fill = Fill::kConstant;  // every P and every v is at its largest
    compare(c, random);
  }
}

// Each call's scratch ends at a guard page: whatever a level keeps for each key must be counted, which small heads hide least.
TEST_P(AttentionTest, ScratchHoldsTheMostKeys) {
  SeededRandom random;
  for (int32_t seq_k : {31000, 65000})
    for (int32_t head : {1, 16})
      for (Hide hide : {Hide::kNothing, Hide::kKeyPadding}) {
        AttentionCase c = {1, seq_k, head, head, Fill::kNormal, hide};
        c.scale = 0.01f;
        compare(c, random);
      }
}

// Sums of up to 256 products of 127 * 127 lie in the middle of 23 bits, which some levels make use of; longer ones do not.
TEST_P(AttentionTest, LargestSumsOfHeadsAndKeys) {
  SeededRandom random;
  for (int32_t length : {240, 256, 257, 272, 288}) {
    for (const AttentionCase& shape : {AttentionCase{5, 32, length, 32}, AttentionCase{5, length, 32, 48}}) {
      AttentionCase c = shape;
      c.scale = 0.01f;
      for (Fill fill : {Fill::kConstant, Fill::kAlternating, Fill::kNormal}) {
        c.fill = fill;
        compare(c, random);
      }
    }
  }
}

TEST_P(AttentionTest, HiddenRowsAreZero) {
  SeededRandom random;
  for (bool int8 : {true, false}) {
    Head head({5, 33, 32, 24, Fill::kNormal, Hide::kAllKeys}, 0, random);
    for (float y : head.run(kernel_of(kernels(), int8))) ASSERT_EQ(ert::testing::float_bits(y), 0u);
    Head biased({5, 33, 32, 24, Fill::kNormal, Hide::kNothing, true}, 0, random);
    for (size_t i = 0; i < biased.bias().size(); ++i) biased.bias()[i] = -std::numeric_limits<float>::infinity();
    for (float y : biased.run(kernel_of(kernels(), int8))) ASSERT_EQ(ert::testing::float_bits(y), 0u);
  }
}

// More causal queries than keys: the first rows see nothing.
TEST_P(AttentionTest, CausalRowsBeforeTheFirstKey) {
  SeededRandom random;
  compare({20, 7, 16, 16, Fill::kNormal, Hide::kCausal}, random);
  for (bool int8 : {true, false}) {
    Head head({20, 7, 16, 16, Fill::kNormal, Hide::kCausal}, 0, random);
    const std::vector<float> y = head.run(kernel_of(kernels(), int8));
    for (size_t i = 0; i < 13 * 16; ++i) ASSERT_EQ(ert::testing::float_bits(y[i]), 0u) << i;
    ASSERT_NE(y[13 * 16], 0.0f);
  }
}

// Appending hidden keys changes no bit, whether a mask or a large negative bias hides them.
TEST_P(AttentionTest, PaddingDoesNotMatter) {
  SeededRandom random;
  for (int32_t seq_k : {1, 5, 16, 31, 60, 130}) {
    for (int32_t extra : {1, 3, 16, 45}) {
      AttentionCase c = {7, seq_k, 32, 32};
      Head head(c, 0, random);
      c.seq_k += extra;
      for (Hide hide : {Hide::kKeyPadding, Hide::kNothing}) {
        c.hide = hide;
        c.bias = c.bias_of_row = hide == Hide::kNothing;
        Head longer(c, 0, random);
        std::copy(head.q().data(), head.q().data() + head.q().size(), longer.q().data());
        std::copy(head.k().data(), head.k().data() + head.k().size(), longer.k().data());
        std::copy(head.v().data(), head.v().data() + head.v().size(), longer.v().data());
        for (int32_t j = 0; j < c.seq_k; ++j) {
          if (hide == Hide::kKeyPadding) longer.mask()[static_cast<size_t>(j)] = j < seq_k;
          longer.bias()[static_cast<size_t>(j)] = j < seq_k ? 0.0f : -3.4e38f;
        }
        for (bool int8 : {true, false}) {
          const std::vector<float> want = head.run(kernel_of(kernels(), int8));
          const std::vector<float> got = longer.run(kernel_of(kernels(), int8));
          ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data())) << describe(c) << " int8 " << int8;
        }
      }
    }
  }
}

// Scratch of exactly the size that callers count, which small sizes leave room in.
TEST_P(AttentionTest, DrawnSizes) {
  SeededRandom random;
  constexpr size_t kElements = 1 << 17;
  for (int i = 0; i < 40; ++i) {
    const size_t seq_k = drawn_size(i % 2 == 0 ? 65000 : 500, random), head_dim = drawn_within(kElements, seq_k, 65000, random);
    const size_t v_dim = drawn_within(kElements, seq_k, 65000, random), seq_q = drawn_within(1 << 19, seq_k * (head_dim + v_dim), 40, random);
    AttentionCase c = {static_cast<int32_t>(seq_q), static_cast<int32_t>(seq_k), static_cast<int32_t>(head_dim), static_cast<int32_t>(v_dim)};
    c.hide = i % 3 == 0 ? Hide::kKeyPadding : i % 5 == 0 ? Hide::kCausal : Hide::kNothing;
    c.bias = c.bias_of_row = i % 4 == 0;
    c.scale = 0.1f;
    compare(c, random);
  }
}

ERT_INSTANTIATE_LEVELS(AttentionTest);

}  // namespace
}  // namespace ert::kernels::testing
