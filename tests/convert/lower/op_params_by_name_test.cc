// Parameters written by name: in the order of op_params.h, each exactly once.
#include "convert/lower/op_params_by_name.h"

#include <gtest/gtest.h>

#include "rt/ops/op_params.h"

namespace edgeconv::testing {

namespace {

namespace topk = ert::params::topk;

TEST(OpParamsByName, TakeThePositionsOfTheirNames) {
  EXPECT_EQ(named<topk::kIntCount>({{topk::kSorted, 3}, {topk::kAxis, 1}, {topk::kLargest, 2}}), (std::vector<int32_t>{1, 2, 3}));
}

TEST(OpParamsByName, OneThatIsMissingOrWrittenTwiceIsFound) {
  EXPECT_THROW(named<topk::kIntCount>({{topk::kAxis, 1}, {topk::kLargest, 1}}), std::logic_error);
  EXPECT_THROW(named<topk::kIntCount>({{topk::kAxis, 1}, {topk::kAxis, 1}, {topk::kSorted, 1}}), std::logic_error);
}

TEST(OpParamsByName, NumbersThatDoNotFitAreFound) {
  EXPECT_THROW(named<topk::kIntCount>({{topk::kAxis, int64_t{1} << 32}, {topk::kLargest, 1}, {topk::kSorted, 1}}),
               std::logic_error);
  EXPECT_EQ(named<topk::kIntCount>({{topk::kAxis, INT32_MIN}, {topk::kLargest, 1}, {topk::kSorted, 1}})[0], INT32_MIN);
}

}  // namespace

}  // namespace edgeconv::testing
