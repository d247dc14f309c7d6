// What prepare of a RowBands refuses.
#include <gtest/gtest.h>

#include "tests/rt/ops/row_bands_net.h"

namespace ert::test {
namespace {

class RowBandsRefused : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<int> x = {net_.add(noisy({1, 9, 5, 4}, 1))};
    for (int i = 0; i < 2; ++i) {
      OpCase o = {&kOpDepthwiseConv,
                  {Tensor(), noisy({9, 4}, 2), absent()},
                  {empty(ERT_F32, {1, 9, 5, 4})},
                  {-1, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
                  {},
                  {}};
      x = net_.step(OpCode::kDepthwiseConv, o, x);
    }
    case_ = net_.as_bands(2);
    ASSERT_TRUE(prepares(case_));
  }
  size_t first_op() const { return bands::kFirstValue + bands::kValueInts; }
  Net net_;
  OpCase case_;
};

TEST_F(RowBandsRefused, NumbersOfOpsValuesAndRows) {
  for (const int i : {bands::kRows, bands::kOps, bands::kValues})
    for (const int32_t wrong : {0, -1, INT32_MAX, INT32_MIN, 17}) {
      if (i == bands::kRows && wrong == 17) continue;  // more than there are: all
      OpCase c = case_;
      c.ints[static_cast<size_t>(i)] = wrong;
      EXPECT_FALSE(prepares(c)) << i << " " << wrong;
    }
}

TEST_F(RowBandsRefused, ItselfAndOpsThatDoNotGoByRows) {
  for (const OpCode code : {OpCode::kRowBands, OpCode::kSoftmax, OpCode::kReduce, OpCode::kMapMean, OpCode::kTranspose,
                            OpCode::kCustom, static_cast<OpCode>(0), static_cast<OpCode>(999)}) {
    OpCase c = case_;
    c.ints[first_op() + bands::kCode] = static_cast<int32_t>(code);
    EXPECT_FALSE(prepares(c)) << static_cast<int>(code);
  }
}

TEST_F(RowBandsRefused, ValuesThatAreNotWrittenYet) {
  OpCase c = case_;
  c.ints[first_op() + bands::kFirstInput] = bands::value_of(0);
  EXPECT_FALSE(prepares(c));
  c.ints[first_op() + bands::kFirstInput] = bands::value_of(7);
  EXPECT_FALSE(prepares(c));
  c.ints[first_op() + bands::kFirstInput] = static_cast<int32_t>(c.inputs.size());
  EXPECT_FALSE(prepares(c));
}

TEST_F(RowBandsRefused, IntsThatEndTooEarlyOrTooLate) {
  for (size_t n = 0; n < case_.ints.size(); ++n) {
    OpCase c = case_;
    c.ints.resize(n);
    EXPECT_FALSE(prepares(c)) << n;
  }
  OpCase c = case_;
  c.ints.push_back(0);
  EXPECT_FALSE(prepares(c));
  c = case_;
  c.floats.push_back(0.0f);
  EXPECT_FALSE(prepares(c));
}

TEST_F(RowBandsRefused, ValuesOfAnotherShape) {
  for (size_t i = 0; i < 4; ++i)
    for (const int64_t size : {int64_t{0}, int64_t{-1}, int64_t{8}, int64_t{1} << 31, int64_t{1} << 40}) {
      OpCase c = case_;
      c.exprs[i] = size;
      EXPECT_FALSE(prepares(c)) << i << " " << size;
    }
}

// Windows whose rows are further apart than any memory for bands: refused, not tried.
TEST_F(RowBandsRefused, FarWindows) {
  const size_t of_op = bands::kFirstInput + 3 + 1;        // ints before the window: those of the op, three inputs, the activation
  const size_t window = first_op() + of_op + 10 + of_op;  // of the second, which reads a value
  ASSERT_EQ(case_.ints[window], 3);
  OpCase c = case_;
  c.ints[window + params::window::kBegin] = 1 << 20;
  c.ints[window + params::window::kEnd] = 2 - (1 << 20);
  EXPECT_FALSE(prepares(c));
}

// An input of rows that is broadcast over them from outside is not taken: it has no rows to go on with.
TEST_F(RowBandsRefused, RowsThatAreBroadcast) {
  Net n;
  std::vector<int> x = {n.add(noisy({1, 9, 5, 4}, 1))};
  const int scale = n.add(noisy({1, 1, 1, 4}, 2));
  const OpCase add = {&kOpBinary, {Tensor(), Tensor()}, {empty(ERT_F32, {1, 9, 5, 4})}, {params::binary::kMul}, {}, {}};
  x = n.step(OpCode::kBinary, add, {x[0], scale});
  x = n.step(OpCode::kUnary, {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, 9, 5, 4})}, {0}, {}, {}}, x);
  EXPECT_FALSE(prepares(n.as_bands(2)));
}

}  // namespace
}  // namespace ert::test
