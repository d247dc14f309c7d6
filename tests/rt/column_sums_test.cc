// Int8 weights and the sums of their columns: what levels rely on in different ways is checked by open, in every layout, in time that is
// linear in the blob.
#include <gtest/gtest.h>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/ops/op_params.h"
#include "tests/support/context_fixture.h"
#include "tests/support/seeded_random.h"

namespace ert::testing {
namespace {

using kernels::Layout;
using params::OpCode;

struct Codes {
  Layout layout;
  size_t n, k;
  std::vector<int8_t> packed;
  std::vector<int32_t> sums;

  Codes(Layout l, size_t columns, size_t depth)
      : layout(l), n(columns), k(depth), packed(kernels::packed_bytes(l, n, k)), sums(n) {
    SeededRandom random;
    for (size_t column = 0; column < n; ++column) {
      for (size_t i = 0; i < k; ++i) {
        const int32_t code = column == 0 ? 127 : column == 1 ? -127 : static_cast<int32_t>(random.bits() % 255) - 127;
        at(column, i) = static_cast<int8_t>(code);
        sums[column] += code;
      }
    }
  }
  int8_t& at(size_t column, size_t i) { return packed[kernels::packed_offset(layout, column, i, k)]; }
};

template <class T>
uint32_t add_bytes(BlobSpec* s, uint8_t dtype, std::vector<uint32_t> shape, const std::vector<T>& contents) {
  BlobSpec::Segment segment;
  segment.bytes.resize(contents.size() * sizeof(T));
  std::memcpy(segment.bytes.data(), contents.data(), segment.bytes.size());
  s->segments.push_back(std::move(segment));
  return s->add({dtype, std::move(shape), 1, static_cast<uint32_t>(s->segments.size()) - 1});
}

// The operands of a quantized product behind x.
struct Product {
  int32_t weights, scale, sums;
};

Product add_product(BlobSpec* s, const Codes& c) {
  const uint32_t n = s->constant(static_cast<int64_t>(c.n)), k = s->constant(static_cast<int64_t>(c.k));
  const auto dtype = static_cast<uint8_t>(params::kPackedN16K4 + static_cast<int>(c.layout));
  return {static_cast<int32_t>(add_bytes(s, dtype, {n, k}, c.packed)),
          static_cast<int32_t>(add_bytes(s, ERT_F32, {n}, std::vector<float>(c.n, 0.01f))),
          static_cast<int32_t>(add_bytes(s, ERT_I32, {n}, c.sums))};
}

// y [1, n] = x [1, k] times the weights.
BlobSpec linear_program(const Codes& c, params::linear::Precision precision = params::linear::kInt8) {
  BlobSpec s;
  const uint32_t one = s.constant(1), n = s.constant(static_cast<int64_t>(c.n)), k = s.constant(static_cast<int64_t>(c.k));
  const auto x = static_cast<int32_t>(s.add_input("x", ERT_F32, {one, k}));
  const Product p = add_product(&s, c);
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, {one, n}, 0));
  s.ops = {{OpCode::kLinear, {x, p.weights, -1, p.scale, p.sums}, {y}, {precision, params::linear::kNoActivation}, {}}};
  return s;
}

constexpr Layout kLayouts[] = {Layout::kN16K4, Layout::kN8K8, Layout::kN2K16};

// Whole and cut panels and lines, an odd number of lines, and more lines than are added up at once.
constexpr size_t kSizes[][2] = {{1, 1}, {3, 5}, {16, 4}, {17, 33}, {40, 48}, {2, 1100}, {3, 2056}, {2, 8300}, {2, 16400}};

TEST(ColumnSums, RightOnesOpen) {
  for (const Layout layout : kLayouts) {
    for (const auto& [n, k] : kSizes) {
      EXPECT_EQ(open_spec(linear_program(Codes(layout, n, k))), ERT_OK) << static_cast<int>(layout) << ": " << n << " x " << k;
      EXPECT_EQ(open_spec(linear_program(Codes(layout, n, k), params::linear::kInt8A16)), ERT_OK);
    }
  }
}

TEST(ColumnSums, EveryWrongOneIsRefused) {
  for (const Layout layout : kLayouts) {
    for (const auto& [n, k] : kSizes) {
      for (size_t column = 0; column < n; ++column) {
        for (const int32_t by : {1, -1, 65536, INT32_MIN}) {
          Codes c(layout, n, k);
          c.sums[column] = static_cast<int32_t>(static_cast<uint32_t>(c.sums[column]) + static_cast<uint32_t>(by));
          ASSERT_EQ(open_spec(linear_program(c)), ERT_ERR_MODEL) << n << " x " << k << ", column " << column << " by " << by;
        }
      }
    }
  }
}

TEST(ColumnSums, EveryWeightCounts) {
  for (const Layout layout : kLayouts) {
    Codes c(layout, 19, 37);
    for (size_t column = 0; column < c.n; ++column) {
      for (size_t i = 0; i < c.k; ++i) {
        const int8_t before = c.at(column, i);
        c.at(column, i) = static_cast<int8_t>(before > 0 ? before - 1 : before + 1);
        ASSERT_EQ(open_spec(linear_program(c)), ERT_ERR_MODEL) << column << ", " << i;
        c.at(column, i) = before;
      }
    }
    ASSERT_EQ(open_spec(linear_program(c)), ERT_OK);
  }
}

// Sums that fit do not help: products of -128 overflow where pairs of them are added in 16 bits.
TEST(ColumnSums, MinusOneHundredAndTwentyEightIsNoWeight) {
  for (const Layout layout : kLayouts) {
    for (const size_t i : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{20}, size_t{1099}}) {
      Codes c(layout, 3, 1100);
      c.sums[2] += -128 - c.at(2, i);
      c.at(2, i) = -128;
      EXPECT_EQ(open_spec(linear_program(c)), ERT_ERR_MODEL) << i;
    }
  }
}

// What lies behind the last k of a column is multiplied by some levels.
TEST(ColumnSums, PaddingOfALineIsZero) {
  for (const Layout layout : kLayouts) {
    const Codes good(layout, 3, 33);
    const size_t padded = kernels::round_up(good.k, kernels::line_depth(layout));
    for (size_t i = good.k; i < padded; ++i) {
      for (const bool in_sum : {false, true}) {
        Codes c = good;
        c.at(1, i) = 1;
        if (in_sum) c.sums[1] += 1;
        EXPECT_EQ(open_spec(linear_program(c)), ERT_ERR_MODEL) << i;
      }
    }
  }
}

TEST(ColumnSums, AreConstants) {
  BlobSpec s = linear_program(Codes(Layout::kN16K4, 16, 8));
  const uint32_t n = s.values[static_cast<size_t>(s.ops[0].inputs[params::linear::kColsum])].shape[0];
  const uint32_t computed = s.add({ERT_I32, {n}, 0, 0, 0, 0, 1});
  s.ops.insert(s.ops.begin(), {OpCode::kFill, {}, {static_cast<int32_t>(computed)}, {7}, {}});
  s.values[s.outputs[0].value].first_op = s.values[s.outputs[0].value].last_op = 1;
  s.slots = 1;
  s.arena_order = {computed};
  ASSERT_EQ(open_spec(s), ERT_OK);
  s.ops[1].inputs[params::linear::kColsum] = static_cast<int32_t>(computed);
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
}

// A simple RNN of 8 units, in one or two directions.
BlobSpec rnn_program(const std::vector<Codes>& directions) {
  BlobSpec s;
  const auto count = static_cast<int64_t>(directions.size());
  const uint32_t one = s.constant(1), units = s.constant(8), wide = s.constant(8 * count), both = s.constant(count);
  std::vector<int32_t> inputs{static_cast<int32_t>(s.add_input("x", ERT_F32, {one, one, wide})), -1, -1, -1, -1};
  for (const Codes& c : directions) {
    const Product p = add_product(&s, c);
    inputs.insert(inputs.end(), {p.weights, p.scale, p.sums, -1});
  }
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, {one, one, wide}, 0));
  const auto last = static_cast<int32_t>(s.add_output("last", ERT_F32, {both, one, units}, 0));
  const auto tanh = static_cast<int32_t>(kernels::Unary::kTanh);
  std::vector<int32_t> ints{params::recurrence::kRnn, params::linear::kInt8,
                            count == 2 ? params::recurrence::kBidirectional : params::recurrence::kForward, 0, 0};
  ints.insert(ints.end(), directions.size() * params::recurrence::kActivationCount, tanh);
  s.ops = {{OpCode::kRecurrence, inputs, {y, last}, ints, {0.0f}}};
  return s;
}

TEST(ColumnSums, OfEveryDirectionOfARecurrence) {
  for (const Layout layout : kLayouts) {
    const Codes good(layout, 16, 8);
    Codes bad = good;
    bad.sums[7] += 1;
    EXPECT_EQ(open_spec(rnn_program({good})), ERT_OK);
    EXPECT_EQ(open_spec(rnn_program({good, good})), ERT_OK);
    EXPECT_EQ(open_spec(rnn_program({bad})), ERT_ERR_MODEL);
    EXPECT_EQ(open_spec(rnn_program({bad, good})), ERT_ERR_MODEL);
    EXPECT_EQ(open_spec(rnn_program({good, bad})), ERT_ERR_MODEL);
  }
}

// A 3 x 3 convolution over an 8-bit map, whose weights are c's: those of 16 columns for each row of the kernel, of which the filters are 5.
BlobSpec map_program(const Codes& c, bool depthwise) {
  BlobSpec s;
  const uint32_t one = s.constant(1), three = s.constant(3), two = s.constant(2), filters = s.constant(5);
  const auto x = static_cast<int32_t>(s.add_input("x", ERT_F32, {one, three, three, depthwise ? filters : s.constant(4)}));
  const std::vector<uint32_t> map = s.values[static_cast<size_t>(x)].shape;
  const auto q = static_cast<int32_t>(s.add({ERT_U8, map, 0, 0, 0, 0, 1}));
  const auto scales = static_cast<int32_t>(s.add({ERT_I32, {one, three, two}, 0, 1, 0, 0, 1}));
  s.slots = 2;
  s.arena_order = {static_cast<uint32_t>(q), static_cast<uint32_t>(scales)};
  const Product p = add_product(&s, c);
  const auto scale = static_cast<int32_t>(s.add_constant(ERT_F32, {filters}, std::vector<float>(5, 0.01f)));
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, {one, three, three, filters}, 0));
  s.values[static_cast<size_t>(y)].first_op = s.values[static_cast<size_t>(y)].last_op = 1;
  s.ops = {{OpCode::kQuantizeMap, {x}, {q, scales}, {}, {}},
           {depthwise ? OpCode::kMapDepthwiseConv : OpCode::kMapConv,
            {q, scales, p.weights, scale, p.sums},
            {y},
            {params::map_conv::kNoActivation, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
            {}}};
  return s;
}

TEST(ColumnSums, OfEveryRowOfAMapConv) {
  for (const bool depthwise : {false, true}) {
    const Codes good(Layout::kN16K4, 48, depthwise ? 3 : 12);
    ASSERT_EQ(open_spec(map_program(good, depthwise)), ERT_OK);
    for (const size_t column : {size_t{0}, size_t{4}, size_t{15}, size_t{16}, size_t{47}}) {
      Codes bad = good;
      bad.sums[column] += 1;
      EXPECT_EQ(open_spec(map_program(bad, depthwise)), ERT_ERR_MODEL) << column;
    }
    Codes least = good;
    least.sums[20] += -128 - least.at(20, 1);
    least.at(20, 1) = -128;
    EXPECT_EQ(open_spec(map_program(least, depthwise)), ERT_ERR_MODEL);
  }
}

// x [1, 6, 2, k] times the weights, then Relu, in bands of one row.
BlobSpec bands_program(const Codes& c) {
  namespace bands = params::row_bands;
  BlobSpec s;
  const std::vector<uint32_t> map = {s.constant(1), s.constant(6), s.constant(2)};
  const auto of = [&](size_t channels) {
    std::vector<uint32_t> shape = map;
    shape.push_back(s.constant(static_cast<int64_t>(channels)));
    return shape;
  };
  const auto x = static_cast<int32_t>(s.add_input("x", ERT_F32, of(c.k)));
  const Product p = add_product(&s, c);
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, of(c.n), 0));
  std::vector<int32_t> ints = {1, 2, 1, ERT_F32, 4};  // rows, ops, values; the value between
  for (const uint32_t axis : of(c.n)) ints.push_back(static_cast<int32_t>(axis));
  for (const int32_t i :
       {static_cast<int32_t>(OpCode::kLinear), 5, 1, 2, 0, 0, 1, bands::kAbsent, 2, 3, int32_t{params::linear::kInt8}, -1})
    ints.push_back(i);
  for (const int32_t i :
       {static_cast<int32_t>(OpCode::kUnary), 1, 1, 1, 0, bands::value_of(0), static_cast<int32_t>(kernels::Unary::kRelu)})
    ints.push_back(i);
  s.ops = {{OpCode::kRowBands, {x, p.weights, p.scale, p.sums}, {y}, ints, {}}};
  return s;
}

TEST(ColumnSums, OfOpsInBandsOfRows) {
  const Codes good(Layout::kN16K4, 20, 9);
  ASSERT_EQ(open_spec(bands_program(good)), ERT_OK);
  for (const size_t column : {size_t{0}, size_t{19}}) {
    Codes bad = good;
    bad.sums[column] += 1;
    EXPECT_EQ(open_spec(bands_program(bad)), ERT_ERR_MODEL) << column;
  }
}

// In fp32 there are no sums, so nothing stands where they would be.
TEST(ColumnSums, OfRecurrencesInFloatThereAreNone) {
  BlobSpec s;
  const uint32_t one = s.constant(1), units = s.constant(8), wide = s.constant(16);
  const auto x = static_cast<int32_t>(s.add_input("x", ERT_F32, {one, one, units}));
  const auto weights = static_cast<int32_t>(s.add_constant(ERT_F32, {units, wide}, std::vector<float>(8 * 16, 0.5f)));
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, {one, one, units}, 0));
  const auto last = static_cast<int32_t>(s.add_output("last", ERT_F32, {one, one, units}, 0));
  const auto tanh = static_cast<int32_t>(kernels::Unary::kTanh);
  s.ops = {{OpCode::kRecurrence,
            {x, -1, -1, -1, -1, weights},
            {y, last},
            {params::recurrence::kRnn, params::linear::kF32, params::recurrence::kForward, 0, 0, tanh, tanh, tanh},
            {0.0f}}};
  EXPECT_EQ(open_spec(s), ERT_OK);
  s.ops[0].inputs.insert(s.ops[0].inputs.end(), {-1, weights});
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL) << "sums of such weights";
}

// Layers may share weights (ALBERT's do), which are then read once. 80 values of sums for one value of weights would be 80 times.
TEST(ColumnSums, SharedWeightsAreReadOnce) {
  constexpr uint32_t kOps = 80;
  for (const bool own_sums : {false, true}) {
    const Codes c(Layout::kN16K4, 64, 256);
    BlobSpec s = linear_program(c);
    const BlobSpec::Op first = s.ops[0];
    const BlobSpec::Value y = s.values[s.outputs[0].value];
    const BlobSpec::Value sums = s.values[static_cast<size_t>(first.inputs[params::linear::kColsum])];
    for (uint32_t i = 1; i < kOps; ++i) {
      BlobSpec::Op op = first;
      op.outputs = {static_cast<int32_t>(s.add_output("y" + std::to_string(i), ERT_F32, y.shape, i))};
      if (own_sums) op.inputs[params::linear::kColsum] = static_cast<int32_t>(s.add(sums));
      s.ops.push_back(op);
    }
    EXPECT_EQ(open_spec(s), own_sums ? ERT_ERR_LIMIT : ERT_OK);
  }
}

}  // namespace
}  // namespace ert::testing
