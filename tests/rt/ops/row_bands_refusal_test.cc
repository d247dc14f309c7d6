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
                            OpCode::kCustom, OpCode::kPool, static_cast<OpCode>(0), static_cast<OpCode>(999)}) {
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

// A value between the ops that is broadcast over rows is not taken: it has no rows to go on with.
TEST_F(RowBandsRefused, RowsBetweenOpsThatAreBroadcast) {
  Net n;
  const OpCase scaled = {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, 1, 1, 4})}, {0}, {}, {}};
  const int scale = n.step(OpCode::kUnary, scaled, {n.add(noisy({1, 1, 1, 4}, 2))})[0];
  const OpCase times = {&kOpBinary, {Tensor(), Tensor()}, {empty(ERT_F32, {1, 9, 5, 4})}, {params::binary::kMul}, {}, {}};
  n.step(OpCode::kBinary, times, {n.add(noisy({1, 9, 5, 4}, 1)), scale});
  EXPECT_FALSE(prepares(n.as_bands(2)));
}

OpCase one_op(OpCode code, std::vector<Tensor> inputs, Tensor out, std::vector<int32_t> ints) {
  OpCase c = {&kOpRowBands, std::move(inputs), {std::move(out)}, {2, 1, 0}, {}, {}};
  c.ints.insert(c.ints.end(),
                {static_cast<int32_t>(code), static_cast<int32_t>(c.inputs.size()), 1, static_cast<int32_t>(ints.size()), 0});
  for (size_t i = 0; i < c.inputs.size(); ++i) c.ints.push_back(static_cast<int32_t>(i));
  c.ints.insert(c.ints.end(), ints.begin(), ints.end());
  return c;
}

Tensor constant_of(Dims d) {
  Tensor t = noisy(std::move(d), 3);
  t.constant = true;
  return t;
}

// Found in review: a constant has no rows to go on with, whatever its rank, and would be written whole at every band.
TEST(RowBandsOperands, ConstantsThatAnOpTakesByRows) {
  EXPECT_FALSE(prepares(one_op(OpCode::kUnary, {constant_of({1, 8, 4})}, empty(ERT_F32, {1, 8, 4}), {params::unary::kNeg})));
  EXPECT_FALSE(
      prepares(one_op(OpCode::kUnary, {constant_of({1, 8, 3, 4})}, empty(ERT_F32, {1, 8, 3, 4}), {params::unary::kNeg})));
  EXPECT_FALSE(prepares(one_op(OpCode::kLinear, {constant_of({1, 8, 4}), constant_of({4, 4})}, empty(ERT_F32, {1, 8, 4}),
                               {params::linear::kF32, -1})));
  EXPECT_FALSE(prepares(one_op(OpCode::kUnary, {noisy({1, 1, 4}, 1)}, empty(ERT_F32, {1, 8, 4}), {params::unary::kNeg})));
  EXPECT_TRUE(prepares(one_op(OpCode::kLinear, {noisy({1, 8, 4}, 1), constant_of({4, 4})}, empty(ERT_F32, {1, 8, 4}),
                              {params::linear::kF32, -1})));
}

// Found in review: numpy aligns axes at the last one, so that axis 1 of another rank is not that of the rows.
TEST(RowBandsOperands, BinaryOfOtherRanks) {
  const auto sum = [](Tensor a, Tensor b, Dims out) {
    return one_op(OpCode::kBinary, {std::move(a), std::move(b)}, empty(ERT_F32, std::move(out)), {params::binary::kAdd});
  };
  EXPECT_FALSE(prepares(sum(noisy({1, 8, 8, 4}, 1), noisy({1, 8, 4}, 2), {1, 8, 8, 4})));
  EXPECT_FALSE(prepares(sum(noisy({1, 8, 4}, 1), constant_of({8, 4}), {1, 8, 4})));
  EXPECT_FALSE(prepares(sum(noisy({1, 8, 4}, 1), constant_of({1, 8, 4}), {1, 8, 4})));
  EXPECT_FALSE(prepares(sum(noisy({1, 8, 8, 4}, 1), constant_of({8, 1, 4}), {1, 8, 8, 4})));
  EXPECT_FALSE(prepares(sum(noisy({2, 8, 8, 4}, 1), noisy({8, 4}, 2), {2, 8, 8, 4})));
  for (const Dims& d : {Dims{}, Dims{4}, Dims{8, 4}, Dims{1, 8, 4}, Dims{1, 1, 8, 4}}) {
    OpCase c = sum(noisy({1, 8, 8, 4}, 1), constant_of(d), {1, 8, 8, 4});
    OpCase whole = {&kOpBinary, c.inputs, c.outputs, {params::binary::kAdd}, {}, {}};
    ASSERT_TRUE(prepares(c));
    EXPECT_EQ(run_for<float>(c), run_for<float>(whole));
  }
}

// Found in review: every band would read the first rows of such scales.
TEST(RowBandsOperands, ScalesThatAreConstant) {
  Tensor scales = i32({1, 8, 2}, std::vector<int32_t>(16, 1));
  const auto restore = [&] {
    return one_op(OpCode::kMapToFloat, {empty(ERT_U8, {1, 8, 3, 4}), scales}, empty(ERT_F32, {1, 8, 3, 4}), {});
  };
  EXPECT_TRUE(prepares(restore()));
  scales.constant = true;
  EXPECT_FALSE(prepares(restore()));
}

TEST(RowBandsOperands, InputsThatNoOpTakesByRows) {
  EXPECT_FALSE(prepares(one_op(OpCode::kLinear, {noisy({1, 8, 4}, 1), noisy({4, 4}, 2)}, empty(ERT_F32, {1, 8, 4}), {params::linear::kF32, -1})))
      << "weights that change";
  const auto quantized = [](int32_t channels_first) {
    OpCase c = one_op(OpCode::kQuantizeMap, {noisy(channels_first != 0 ? Dims{1, 4, 2, 3} : Dims{1, 2, 3, 4}, 1)}, empty(ERT_U8, {1, 2, 3, 4}), {channels_first});
    c.outputs.push_back(empty(ERT_I32, {1, 2, 2}));
    c.ints[bands::kFirstValue + bands::kOutputs] = 2;
    return prepares(c);
  };
  EXPECT_TRUE(quantized(0));
  EXPECT_FALSE(quantized(1));
}

// Numbers of rows and columns that no arithmetic on them is made for. (No tensor of such a size is there.)
TEST(RowBandsOperands, MapsBeyondAnyHeight) {
  const auto every_other = [](Dims in, Dims out, int32_t row_stride, int32_t column_stride) {
    return prepares(one_op(OpCode::kDepthwiseConv, {empty(ERT_F32, std::move(in)), constant_of({1, 1})}, empty(ERT_F32, std::move(out)),
                           {-1, 1, row_stride, 1, 0, 0, 1, column_stride, 1, 0, 0}));
  };
  constexpr int32_t kMost = 1 << 29;
  EXPECT_TRUE(every_other({1, kMost, 1, 1}, {1, kMost, 1, 1}, 1, 1));
  EXPECT_FALSE(every_other({1, kMost + 1, 1, 1}, {1, kMost + 1, 1, 1}, 1, 1)) << "rows of the output";
  EXPECT_FALSE(every_other({1, kMost + 1, 1, 1}, {1, kMost / 2 + 1, 1, 1}, 2, 1)) << "rows of the input";
  EXPECT_FALSE(every_other({1, 1, kMost + 1, 1}, {1, 1, kMost / 2 + 1, 1}, 1, 2)) << "columns of the input";
  const OpCase one_axis = one_op(OpCode::kDepthwiseConv, {noisy({1, 9, 6}, 1), constant_of({3, 6})}, empty(ERT_F32, {1, 9, 6}), {-1, 3, 1, 1, 1, 1});
  EXPECT_FALSE(prepares(one_axis)) << "a window of one axis: its rows are the columns";
}

// Each row of the last op takes more rows of the first than are planned for.
TEST(RowBandsOperands, StridesThatMultiply) {
  const auto chain = [](int32_t stride) {
    const int32_t height = stride * stride + 1;
    Net n;
    std::vector<int> x = {n.add(noisy({1, height, 1, 1}, 1))};
    x = n.step(OpCode::kUnary, {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, height, 1, 1})}, {0}, {}, {}}, x);
    for (const int32_t out : {stride + 1, 2}) {
      const OpCase o = {&kOpDepthwiseConv, {Tensor(), noisy({1, 1}, 2), absent()}, {empty(ERT_F32, {1, out, 1, 1})}, {-1, 1, stride, 1, 0, 0, 1, 1, 1, 0, 0}, {}, {}};
      x = n.step(OpCode::kDepthwiseConv, o, x);
    }
    return prepares(n.as_bands(1));
  };
  EXPECT_TRUE(chain(32));
  EXPECT_FALSE(chain(33));
}

TEST_F(RowBandsRefused, InputsThatNoOpReads) {
  OpCase c = case_;
  c.inputs.push_back(noisy({4}, 1));
  EXPECT_FALSE(prepares(c));
}

TEST_F(RowBandsRefused, WindowsOfImpossibleNumbers) {
  const size_t of_op = bands::kFirstInput + 3 + 1, second = first_op() + of_op + 10 + of_op;
  for (const size_t window : {first_op() + of_op, second})
    for (const int i : {params::window::kKernel, params::window::kStride, params::window::kDilation})
      for (const int32_t wrong : {INT32_MIN, -1, 0, INT32_MAX}) {
        OpCase c = case_;
        c.ints[window + static_cast<size_t>(i)] = wrong;
        EXPECT_FALSE(prepares(c)) << i << " " << wrong;
      }
}

// Found in review: an outside map by a window whose padding of a band no window may have.
TEST_F(RowBandsRefused, FarWindowsOfInputs) {
  const size_t window = first_op() + bands::kFirstInput + 3 + 1;
  OpCase c = case_;
  c.ints[window + params::window::kBegin] = (1 << 30) - 1;
  c.ints[window + params::window::kEnd] = 2 - ((1 << 30) - 1);
  EXPECT_FALSE(prepares(c));
}

// Found in review: rows that are kept for a dilated window are moved for each band.
TEST_F(RowBandsRefused, StepsCountTheRowsThatAreMoved) {
  const auto steps = [](int32_t dilation) {
    Net n;
    std::vector<int> x = {n.add(noisy({1, 400, 1, 64}, 1))};
    x = n.step(OpCode::kUnary, {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, 400, 1, 64})}, {0}, {}, {}}, x);
    OpCase o = {&kOpDepthwiseConv,
                {Tensor(), noisy({2, 64}, 2), absent()},
                {empty(ERT_F32, {1, 400 - dilation, 1, 64})},
                {-1, 2, 1, dilation, 0, 0, 1, 1, 1, 0, 0},
                {},
                {}};
    n.step(OpCode::kDepthwiseConv, o, x);
    return further_steps(n.as_bands(1));
  };
  EXPECT_GT(steps(200), steps(1) + uint64_t{199} * 200 * 64);
}

}  // namespace
}  // namespace ert::test
