// Elements of two tensors in runs.
#include "convert/interp/strided.h"

#include <gtest/gtest.h>

#include <utility>

namespace edgeconv::testing {

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs one_by_one(const Dims& dims, const Dims& a, const Dims& b) {
  Pairs pairs;
  for_each_pair(dims, a, b, [&](int64_t i, int64_t k) { pairs.emplace_back(i, k); });
  return pairs;
}

Pairs in_runs(const Dims& dims, const Dims& a, const Dims& b, int& runs) {
  Pairs pairs;
  runs = 0;
  for_each_run(dims, a, b, [&](int64_t i, int64_t k, int64_t count, int64_t sa, int64_t sb) {
    ++runs;
    for (int64_t e = 0; e < count; ++e) pairs.emplace_back(i + e * sa, k + e * sb);
  });
  return pairs;
}

TEST(Strided, RunsHaveTheSamePairsInTheSameOrder) {
  struct Case {
    Dims dims, a, b;
    int runs;
  };
  const Dims cube{2, 3, 4};
  for (const Case& c : {Case{cube, row_major_strides(cube), row_major_strides(cube), 1},
                        Case{cube, row_major_strides(cube), broadcast_strides({3, 1}, cube), 6},
                        Case{cube, broadcast_strides({4}, cube), row_major_strides(cube), 6},
                        Case{cube, row_major_strides(cube), broadcast_strides({}, cube), 1},
                        Case{cube, broadcast_strides({2, 1, 1}, cube), row_major_strides(cube), 2},
                        Case{cube, {1, 2, 6}, row_major_strides(cube), 6},
                        Case{{1, 3, 4, 1}, {12, 4, 1, 1}, {0, 1, 0, 0}, 3},  // axes of one element are none
                        Case{{}, {}, {}, 1},
                        Case{{2, 0, 3}, {0, 3, 1}, {0, 3, 1}, 0}}) {
    int runs = 0;
    EXPECT_EQ(in_runs(c.dims, c.a, c.b, runs), one_by_one(c.dims, c.a, c.b));
    EXPECT_EQ(runs, c.runs);
  }
}

}  // namespace

}  // namespace edgeconv::testing
