// Which rows of a layer's inputs are kept.
#include "convert/quantize/layer_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace edgeconv::testing {

namespace {

constexpr size_t kSentences = 32, kTokens = 32;

}  // namespace

// A real MiniLM lost a tenth more of its cosine when rows at equal distances told of 8 of 32 positions only.
TEST(LayerSamples, RowsComeFromAllPositions) {
  for (size_t take : {64u, 128u, 256u, 512u}) {
    std::vector<size_t> taken(kTokens, 0);
    for (size_t i = 0; i < take; ++i) ++taken[spread_row(i, kSentences * kTokens, take) % kTokens];
    const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
    EXPECT_GE(*least, take / kTokens / 2) << take;
    EXPECT_LE(*most, take / kTokens * 2) << take;
  }
}

TEST(LayerSamples, RowsAreDistinctAndInRange) {
  for (size_t count : {1u, 2u, 7u, 100u, 1023u})
    for (size_t take = 1; take <= count; ++take) {
      size_t next = 0;
      for (size_t i = 0; i < take; ++i) {
        const size_t row = spread_row(i, count, take);
        ASSERT_GE(row, next) << count << ' ' << take << ' ' << i;
        ASSERT_LT(row, count);
        next = row + 1;
      }
    }
}

}  // namespace edgeconv::testing
