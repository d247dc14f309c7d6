// Attention against double arithmetic: grouped keys, merged columns, every broadcast of bias and mask, causal limits.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

namespace att = params::attention;

struct Shape {
  int32_t batch, seq_q, seq_k, heads, kv_heads, head_dim, v_dim;
};

// q, k and v are columns of one value, as after a merged projection; three extra columns lie in front.
OpCase attention(const Shape& s, int32_t precision, bool causal, Tensor bias, Tensor mask) {
  const int32_t q_first = 3, k_first = q_first + s.heads * s.head_dim, v_first = k_first + s.kv_heads * s.head_dim;
  const int32_t columns = v_first + s.kv_heads * s.v_dim;
  OpCase c = {&kOpAttention, {}, {empty(ERT_F32, {s.batch, s.seq_q, s.heads * s.v_dim})}, {}, {0.5f}, {}};
  c.inputs = {noisy({s.batch, s.seq_q, columns}, 1), noisy({s.batch, s.seq_k, columns}, 2), noisy({s.batch, s.seq_k, columns}, 3),
              std::move(bias), std::move(mask)};
  c.ints = {precision, s.heads, s.kv_heads, s.head_dim, s.v_dim, q_first, k_first, v_first, causal ? 1 : 0};
  return c;
}

void expect_attention(OpCase c, const Shape& s, double tolerance) {
  ASSERT_EQ(run(c), ERT_OK);
  const auto q = c.inputs[0].as<float>(), k = c.inputs[1].as<float>(), v = c.inputs[2].as<float>(),
             got = c.outputs[0].as<float>();
  const std::vector<float> bias = c.inputs[3].as<float>();
  const std::vector<uint8_t>& mask = c.inputs[4].bytes;
  const size_t columns = static_cast<size_t>(c.inputs[0].dims[2]);
  const auto at = [&](const std::vector<float>& t, int32_t b, int32_t rows, int32_t row, int32_t column) {
    return double{t[static_cast<size_t>(b * rows + row) * columns + static_cast<size_t>(column)]};
  };
  for_each_index({s.batch, s.heads, s.seq_q}, [&](const Dims& i) {
    const int32_t b = i[0], h = i[1], row = i[2], kv = h / (s.heads / s.kv_heads);
    std::vector<double> p;
    double top = -1e300, sum = 0;
    for (int32_t j = 0; j < s.seq_k; ++j) {
      double score = 0;
      for (int32_t d = 0; d < s.head_dim; ++d) {
        score += at(q, b, s.seq_q, row, c.ints[att::kQFirst] + h * s.head_dim + d) *
                 at(k, b, s.seq_k, j, c.ints[att::kKFirst] + kv * s.head_dim + d);
      }
      score *= c.floats[0];
      const Dims where = {b, h, row, j};
      if (c.inputs[3].dtype) score += bias[static_cast<size_t>(broadcast_at(c.inputs[3].dims, where))];
      bool sees = !c.ints[att::kCausal] || j <= row + s.seq_k - s.seq_q;
      if (c.inputs[4].dtype && !mask[static_cast<size_t>(broadcast_at(c.inputs[4].dims, where))]) sees = false;
      p.push_back(sees ? score : -INFINITY);
      top = std::max(top, p.back());
    }
    for (double& e : p) sum += e = std::exp(e - top);
    for (int32_t d = 0; d < s.v_dim; ++d) {
      double want = 0;
      for (int32_t j = 0; j < s.seq_k; ++j) {
        if (p[static_cast<size_t>(j)] > 0)
          want += p[static_cast<size_t>(j)] / sum * at(v, b, s.seq_k, j, c.ints[att::kVFirst] + kv * s.v_dim + d);
      }
      ASSERT_NEAR(got[static_cast<size_t>((b * s.seq_q + row) * s.heads * s.v_dim + h * s.v_dim + d)], want, tolerance)
          << b << " " << h << " " << row << " " << d;
    }
  });
}

// A mask of about two thirds ones; key 0 always attends.
Tensor mask_of(Dims dims) {
  Tensor t = empty(ERT_BOOL, dims);
  const std::vector<float> v = noise(t.elements(), 9);
  for (size_t i = 0; i < v.size(); ++i) t.bytes[i] = v[i] > -0.3f || i % static_cast<size_t>(dims.back()) == 0;
  return t;
}

TEST(Attention, PlainGroupedAndCausal) {
  for (int32_t precision : {0, 1}) {
    const double tolerance = precision ? 1e-5 : 0.03;
    for (const Shape& s : {Shape{1, 1, 1, 1, 1, 1, 1}, Shape{2, 5, 7, 4, 2, 8, 6}, Shape{1, 17, 33, 3, 1, 20, 32}}) {
      expect_attention(attention(s, precision, false, absent(), absent()), s, tolerance);
      expect_attention(attention(s, precision, true, absent(), absent()), s, tolerance);
    }
  }
}

TEST(Attention, BiasAndMaskBroadcast) {
  const Shape s = {2, 5, 7, 4, 4, 8, 8};
  for (int32_t precision : {0, 1}) {
    for (const Dims& d :
         {Dims{1, 1, 1, 7}, Dims{2, 1, 1, 7}, Dims{1, 4, 5, 7}, Dims{2, 4, 5, 7}, Dims{1, 1, 5, 7}, Dims{2, 4, 1, 7}}) {
      expect_attention(attention(s, precision, false, noisy(d, 8), absent()), s, precision ? 1e-5 : 0.03);
      expect_attention(attention(s, precision, false, absent(), mask_of(d)), s, precision ? 1e-5 : 0.03);
    }
  }
}

TEST(Attention, LongQueriesAreSplitWhenHeadsAreFew) {
  const Shape s = {1, 200, 40, 1, 1, 16, 16};  // the harness has three threads
  for (int32_t precision : {0, 1}) {
    expect_attention(attention(s, precision, false, noisy({1, 1, 200, 40}, 4), mask_of({1, 1, 200, 40})), s,
                     precision ? 1e-5 : 0.03);
  }
  const Shape causal = {1, 200, 230, 1, 1, 16, 16};
  expect_attention(attention(causal, 1, true, absent(), absent()), causal, 1e-5);
}

TEST(Attention, RowsWithoutAnyKeyGiveZeros) {
  const Shape s = {1, 6, 4, 2, 1, 8, 8};  // bottom-right aligned: the first two queries see nothing
  for (int32_t precision : {0, 1}) {
    OpCase c = attention(s, precision, true, absent(), absent());
    ASSERT_EQ(run(c), ERT_OK);
    for (size_t i = 0; i < 2 * 16; ++i) EXPECT_EQ(c.outputs[0].as<float>()[i], 0.0f);
    EXPECT_NE(c.outputs[0].as<float>()[2 * 16], 0.0f);
  }
}

TEST(Attention, RefusesWrongOperands) {
  const Shape s = {2, 5, 7, 4, 2, 8, 6};
  const OpCase good = attention(s, 0, false, empty(ERT_F32, {1, 4, 1, 7}), empty(ERT_BOOL, {2, 1, 5, 7}));
  ASSERT_TRUE(prepares(good));
  EXPECT_EQ(macs(good), 2u * 4 * 5 * 7 * (8 + 6));
  const auto refuses_int = [&](int index, int32_t value) {
    OpCase c = good;
    c.ints[static_cast<size_t>(index)] = value;
    return !prepares(c);
  };
  EXPECT_TRUE(refuses_int(att::kPrecision, 2));
  for (int32_t bad : {0, -1, 3, INT32_MAX, INT32_MIN}) {
    EXPECT_TRUE(refuses_int(att::kHeads, bad)) << bad;
    EXPECT_TRUE(refuses_int(att::kHeadDim, bad == 3 ? 16 : bad)) << bad;
    EXPECT_TRUE(refuses_int(att::kVDim, bad)) << bad;
  }
  EXPECT_TRUE(refuses_int(att::kKvHeads, 3));
  EXPECT_TRUE(refuses_int(att::kKvHeads, 0));
  EXPECT_TRUE(refuses_int(att::kKvHeads, 4));  // k and v have columns for two
  for (int first : {att::kQFirst, att::kKFirst, att::kVFirst}) {
    EXPECT_TRUE(refuses_int(first, -1));
    EXPECT_TRUE(refuses_int(first, INT32_MAX));
  }
  EXPECT_TRUE(refuses_int(att::kCausal, 2));
  const auto refuses_input = [&](size_t i, Tensor t) {
    OpCase c = good;
    c.inputs[i] = std::move(t);
    return !prepares(c);
  };
  EXPECT_TRUE(refuses_input(3, empty(ERT_F32, {1, 4, 1, 1})));  // one bias for all keys: the converter expands it
  EXPECT_TRUE(refuses_input(3, empty(ERT_F32, {1, 2, 1, 7})));
  EXPECT_TRUE(refuses_input(3, empty(ERT_F32, {4, 1, 7})));
  EXPECT_TRUE(refuses_input(4, empty(ERT_F32, {2, 1, 5, 7})));
  EXPECT_TRUE(refuses_input(4, empty(ERT_BOOL, {2, 1, 4, 7})));
  EXPECT_TRUE(refuses_input(2, empty(ERT_F32, {2, 6, 63})));
  OpCase c = good;
  c.floats[0] = INFINITY;
  EXPECT_FALSE(prepares(c));
}

}  // namespace
}  // namespace ert::test
