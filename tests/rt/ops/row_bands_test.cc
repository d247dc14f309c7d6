// RowBands against its ops one after the other on whole maps: chains of all kinds of ops, of random windows, strides, padding, bands, batches and threads.
// The same bits, in memory of exactly the size that prepare asks for.
#include <gtest/gtest.h>

#include "tests/rt/ops/map_case.h"
#include "tests/rt/ops/row_bands_net.h"

namespace ert::test {
namespace {

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}
  int32_t operator()(int32_t least, int32_t most) {
    state_ = state_ * 1664525u + 1013904223u;
    return least + static_cast<int32_t>((state_ >> 8) % static_cast<uint32_t>(most - least + 1));
  }

 private:
  uint32_t state_;
};

ConvAxis some_axis(Random& r, int32_t size) {
  for (;;) {
    ConvAxis a{size, r(1, 4), r(1, 3), r(1, 2), r(-1, 3), r(-1, 3)};
    if (a.fits()) return a;
  }
}

void some_linear(Net& n, Random& r, std::vector<int>& x) {
  const Dims d = n.values[static_cast<size_t>(x[0])].dims;
  ConvCase c;
  c.count = c.channels = d[3];
  c.filters = r(1, 20);
  c.precision = r(0, 2);
  c.extras = r(0, 1) != 0;
  OpCase o = {&kOpLinear, {Tensor()}, {empty(ERT_F32, {d[0], d[1], d[2], c.filters})}, {c.precision, r(-1, 1)}, {}, {}};
  for (Tensor& t : filters_of(c, static_cast<uint32_t>(n.values.size()))) o.inputs.push_back(std::move(t));
  x = n.step(OpCode::kLinear, o, x);
}

void some_conv(Net& n, Random& r, std::vector<int>& x, bool depthwise, bool patches) {
  const Dims d = n.values[static_cast<size_t>(x[0])].dims;
  const ConvAxis rows = some_axis(r, d[1]), columns = some_axis(r, d[2]);
  const int32_t positions = rows.kernel * columns.kernel, filters = depthwise ? d[3] : r(1, 9);
  const uint32_t seed = static_cast<uint32_t>(n.values.size());
  OpCase o = {depthwise ? &kOpDepthwiseConv : &kOpDirectConv,
              {Tensor()},
              {empty(ERT_F32, {d[0], rows.out(), columns.out(), filters})},
              {r(-1, 1)},
              {},
              {}};
  if (patches) {
    ConvCase c;
    c.axes = {rows, columns};
    c.count = c.channels = d[3];
    c.filters = filters;
    c.precision = r(0, 2);
    o.def = &kOpConv;
    o.ints = {c.precision, r(-1, 1), 0, d[3], 0};
    for (Tensor& t : filters_of(c, seed)) o.inputs.push_back(std::move(t));
  } else {
    if (!depthwise) o.ints.push_back(0);
    o.inputs.push_back(noisy({depthwise ? positions : positions * d[3], filters}, seed));
    o.inputs.push_back(r(0, 1) != 0 ? noisy({filters}, seed + 1) : absent());
  }
  for (const ConvAxis& a : {rows, columns}) o.ints.insert(o.ints.end(), {a.kernel, a.stride, a.dilation, a.begin, a.end});
  x = n.step(patches ? OpCode::kConv : depthwise ? OpCode::kDepthwiseConv : OpCode::kDirectConv, o, x);
}

// An activation, or a sum with a constant, with what the chain was given or with an earlier value of the same shape.
void some_elementwise(Net& n, Random& r, std::vector<int>& x, const std::vector<int>& earlier) {
  const Dims d = n.values[static_cast<size_t>(x[0])].dims;
  if (r(0, 2) == 0) {
    x = n.step(OpCode::kUnary,
               {&kOpUnary, {Tensor()}, {empty(ERT_F32, d)}, {static_cast<int32_t>(kernels::Unary::kRelu)}, {}, {}}, x);
    return;
  }
  int other = -1;
  for (const int v : earlier)
    if (v != x[0] && n.values[static_cast<size_t>(v)].dims == d && n.values[static_cast<size_t>(v)].dtype == ERT_F32 &&
        r(0, 2) != 0)
      other = v;
  if (other < 0)
    other = r(0, 1) != 0 ? n.add(noisy(d, 3)) : n.constant(noisy(r(0, 1) != 0 ? Dims{d[3]} : Dims{1, 1, 1, d[3]}, 5));
  std::vector<int> operands = {x[0], other};
  if (r(0, 1) != 0) std::swap(operands[0], operands[1]);
  x = n.step(OpCode::kBinary, {&kOpBinary, {Tensor(), Tensor()}, {empty(ERT_F32, d)}, {params::binary::kAdd}, {}, {}}, operands);
}

// Along the rows, or along another axis of each of them.
void some_pool(Net& n, Random& r, std::vector<int>& x) {
  Dims d = n.values[static_cast<size_t>(x[0])].dims;
  const int32_t axis = r(1, 3), size = d[static_cast<size_t>(axis)], kernel = r(1, size < 4 ? size : 4);
  const ConvAxis a{size, kernel, r(1, 3), 1, r(0, kernel - 1), r(0, kernel - 1)};
  d[static_cast<size_t>(axis)] = a.out();
  x = n.step(OpCode::kPool,
             {&kOpPool, {Tensor()}, {empty(ERT_F32, d)}, {r(0, 1), axis, a.kernel, a.stride, a.dilation, a.begin, a.end}, {}, {}},
             x);
}

void quantize(Net& n, std::vector<int>& x) {
  const Dims d = n.values[static_cast<size_t>(x[0])].dims;
  x = n.step(OpCode::kQuantizeMap,
             {&kOpQuantizeMap, {Tensor(), noisy({d[3]}, 3)}, {empty(ERT_U8, d), empty(ERT_I32, {d[0], d[1], 2})}, {}, {}, {}}, x);
}

// x is a map. Its result is another, or floats.
void some_map_op(Net& n, Random& r, std::vector<int>& x) {
  const Dims d = n.values[static_cast<size_t>(x[0])].dims;
  if (r(0, 5) == 0) {
    x = n.step(OpCode::kMapToFloat, {&kOpMapToFloat, {Tensor(), Tensor(), noisy({d[3]}, 3)}, {empty(ERT_F32, d)}, {}, {}, {}}, x);
    return;
  }
  MapConvCase c;
  c.rows = some_axis(r, d[1]);
  c.columns = some_axis(r, d[2]);
  c.columns.dilation = 1;
  while (!c.columns.fits()) c.columns = some_axis(r, d[2]), c.columns.dilation = 1;
  c.batch = d[0];
  c.channels = d[3];
  c.depthwise = r(0, 1) != 0;
  c.filters = r(1, 20);
  c.residual = r(0, 1) != 0;
  c.activation = r(-1, 1);
  OpCase o = map_conv_case(c, static_cast<uint32_t>(n.values.size()));
  if (r(0, 2) != 0) o = as_map(o, r(0, 1) != 0);
  std::vector<int> given = x;
  if (c.residual) {  // from outside, row by row with the result
    for (size_t i = 2; i < 7; ++i) given.push_back(n.constant(o.inputs[i]));
    for (size_t i = 7; i < 9; ++i) given.push_back(n.add(o.inputs[i]));
  }
  x = n.step(c.depthwise ? OpCode::kMapDepthwiseConv : OpCode::kMapConv, o, given);
}

Net some_net(uint32_t seed) {
  Random r(seed);
  Net n;
  std::vector<int> x = {n.add(noisy({r(1, 2), r(1, 24), r(1, 9), r(1, 18)}, seed))};
  std::vector<int> inner;
  const int32_t ops = r(2, 7);
  while (static_cast<int32_t>(n.steps.size()) < ops) {
    const bool map = n.values[static_cast<size_t>(x[0])].dtype == ERT_U8;
    const int32_t kind = r(0, 6);
    if (map) {
      some_map_op(n, r, x);
    } else if (kind == 0) {
      some_linear(n, r, x);
    } else if (kind == 1) {
      some_elementwise(n, r, x, inner);
    } else if (kind == 2) {
      quantize(n, x);
    } else if (kind == 6) {
      some_pool(n, r, x);
    } else {
      some_conv(n, r, x, kind == 3, kind == 4 && r(0, 1) != 0);
    }
    inner.push_back(x[0]);
  }
  return n;
}

TEST(RowBands, SameBitsAsOpAfterOp) {
  int32_t checked = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Net n = some_net(seed);
    const int32_t height = n.values[static_cast<size_t>(n.steps.back().outputs[0])].dims[1];
    for (const int32_t rows : {1, 2, 3, height}) {
      OpCase c = n.as_bands(rows);
      if (!prepares(c)) continue;  // see RefusesAndTakes
      n.expect_same_in_bands(rows);
      ++checked;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(checked, 1200);
}

// A chain of 3 x 3 convolutions has three rows of each value in memory and not the map.
TEST(RowBands, MemoryDoesNotGrowWithTheHeight) {
  const auto net = [](int32_t height) {
    Net n;
    std::vector<int> x = {n.add(noisy({1, height, 8, 4}, 1))};
    for (int i = 0; i < 4; ++i) {
      OpCase o = {&kOpDepthwiseConv,
                  {Tensor(), noisy({9, 4}, 2), absent()},
                  {empty(ERT_F32, {1, height, 8, 4})},
                  {-1, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
                  {},
                  {}};
      x = n.step(OpCode::kDepthwiseConv, o, x);
    }
    return n;
  };
  EXPECT_EQ(scratch_bytes(net(16).as_bands(1)), scratch_bytes(net(160).as_bands(1)));
  EXPECT_LT(scratch_bytes(net(160).as_bands(1)), 4096u);
  net(40).expect_same_in_bands(1);
  net(3).expect_same_in_bands(2);
}

OpCase window3x3(int32_t height) {
  return {&kOpDepthwiseConv,
          {Tensor(), noisy({9, 4}, 2), absent()},
          {empty(ERT_F32, {1, height, 8, 4})},
          {-1, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
          {},
          {}};
}

// Blocks with a way around them: a value that a window and a sum read, in both orders.
TEST(RowBands, ValuesThatTwoOpsRead) {
  const OpCase neg = {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, 23, 8, 4})}, {params::unary::kNeg}, {}, {}};
  const OpCase sum = {&kOpBinary, {Tensor(), Tensor()}, {empty(ERT_F32, {1, 23, 8, 4})}, {params::binary::kAdd}, {}, {}};
  for (const bool sum_last : {true, false}) {
    Net n;
    const std::vector<int> x = {n.add(noisy({1, 23, 8, 4}, 1))};
    const int u = n.step(OpCode::kUnary, neg, x)[0];
    if (sum_last) {
      const int w = n.step(OpCode::kDepthwiseConv, window3x3(23), {u})[0];
      n.step(OpCode::kBinary, sum, {u, w});
    } else {
      const int doubled = n.step(OpCode::kBinary, sum, {u, u})[0];
      const int w = n.step(OpCode::kDepthwiseConv, window3x3(23), {u})[0];
      n.step(OpCode::kBinary, sum, {doubled, w});
    }
    for (const int32_t rows : {1, 2, 5, 23}) n.expect_same_in_bands(rows);
  }
}

// Additive attention adds queries [batch, rows, 1, ..] to keys [batch, 1, columns, ..]: each row reads all keys.
TEST(RowBands, OperandsThatAreBroadcastOverRowsOrImages) {
  for (const Dims& d :
       {Dims{2, 1, 5, 4}, Dims{1, 9, 5, 4}, Dims{1, 1, 5, 4}, Dims{2, 1, 1, 4}, Dims{1, 9, 1, 1}, Dims{1, 1, 1, 1}})
    for (const bool first : {true, false})
      for (const Dims& other : {Dims{2, 9, 1, 4}, Dims{2, 9, 5, 4}}) {
        const OpCase sum = {&kOpBinary, {Tensor(), Tensor()}, {empty(ERT_F32, {2, 9, 5, 4})}, {params::binary::kSub}, {}, {}};
        if (d[2] == 1 && other[2] == 1) continue;  // gives another shape
        Net n;
        std::vector<int> operands = {n.add(noisy(other, 1)), n.add(noisy(d, 2))};
        if (first) std::swap(operands[0], operands[1]);
        const std::vector<int> x = n.step(OpCode::kBinary, sum, operands);
        n.step(OpCode::kUnary,
               {&kOpUnary, {Tensor()}, {empty(ERT_F32, {2, 9, 5, 4})}, {static_cast<int32_t>(kernels::Unary::kTanh)}, {}, {}}, x);
        for (const int32_t rows : {1, 2, 5, 9}) n.expect_same_in_bands(rows);
      }
}

// Rows of an image with its channels first lie in as many places: a window reads them from outside only.
TEST(RowBands, ImagesWithTheirChannelsFirst) {
  const auto conv = [](int32_t height) {
    return OpCase{&kOpDirectConv,
                  {Tensor(), noisy({27, 5}, 2), noisy({5}, 3)},
                  {empty(ERT_F32, {1, height, 7, 5})},
                  {0, 1, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
                  {},
                  {}};
  };
  const OpCase neg = {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, 9, 7, 5})}, {params::unary::kNeg}, {}, {}};
  Net outside;
  outside.step(OpCode::kUnary, neg, outside.step(OpCode::kDirectConv, conv(9), {outside.add(noisy({1, 3, 9, 7}, 1))}));
  for (const int32_t rows : {1, 4, 9}) outside.expect_same_in_bands(rows);
  Net inside;
  OpCase before = neg;
  before.outputs[0] = empty(ERT_F32, {1, 3, 9, 7});
  inside.step(OpCode::kDirectConv, conv(9), inside.step(OpCode::kUnary, before, {inside.add(noisy({1, 3, 9, 7}, 1))}));
  EXPECT_FALSE(prepares(inside.as_bands(2)));
}

TEST(RowBands, MultiplyAccumulatesAreThoseOfItsOps) {
  Net n;
  std::vector<int> x = {n.add(noisy({1, 6, 5, 4}, 1))};
  ConvCase c;
  c.count = c.channels = 4;
  c.filters = 3;
  c.precision = params::linear::kF32;
  OpCase o = {&kOpLinear, {Tensor()}, {empty(ERT_F32, {1, 6, 5, 3})}, {c.precision, -1}, {}, {}};
  for (Tensor& t : filters_of(c, 3)) o.inputs.push_back(std::move(t));
  x = n.step(OpCode::kLinear, o, x);
  x = n.step(OpCode::kUnary, {&kOpUnary, {Tensor()}, {empty(ERT_F32, {1, 6, 5, 3})}, {0}, {}, {}}, x);
  EXPECT_EQ(macs(n.as_bands(2)), 6u * 5 * 4 * 3);
}

}  // namespace
}  // namespace ert::test
