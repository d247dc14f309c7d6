// LayerNorm, Softmax, MeanPool, L2Normalize and Embedding: rows of a value, one result per row whatever surrounds it.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

OpCase layer_norm(Dims dims, bool rms, bool residual, bool beta, bool sum) {
  const int32_t n = dims.back();
  OpCase c = {&kOpLayerNorm,
              {noisy(dims, 1), residual ? noisy(dims, 2) : absent(), noisy({n}, 3), beta ? noisy({n}, 4) : absent()},
              {empty(ERT_F32, dims)},
              {rms},
              {1e-5f},
              {}};
  if (sum) c.outputs.push_back(empty(ERT_F32, dims));
  return c;
}

TEST(LayerNorm, MatchesTheDefinition) {
  for (const Dims& dims : {Dims{7}, Dims{3, 5, 33}, Dims{300, 100}}) {
    for (int flags = 0; flags < 16; ++flags) {
      const bool rms = flags & 1, residual = flags & 2, beta = flags & 4, sum = flags & 8;
      OpCase c = layer_norm(dims, rms, residual, beta, sum);
      ASSERT_EQ(run(c), ERT_OK);
      const auto x = c.inputs[0].as<float>(), g = c.inputs[2].as<float>(), y = c.outputs[0].as<float>();
      const auto r = c.inputs[1].as<float>(), shift = c.inputs[3].as<float>();
      const size_t n = g.size();
      for (size_t row = 0; row < x.size() / n; ++row) {
        std::vector<double> v;
        double mean = 0, square = 0;
        for (size_t i = 0; i < n; ++i) {
          v.push_back(double{x[row * n + i]} + (residual ? r[row * n + i] : 0.0f));
          mean += v[i] / static_cast<double>(n);
        }
        if (rms) mean = 0;
        for (double d : v) square += (d - mean) * (d - mean) / static_cast<double>(n);
        for (size_t i = 0; i < n; ++i) {
          const double want = (v[i] - mean) / std::sqrt(square + 1e-5) * g[i] + (beta ? shift[i] : 0.0f);
          ASSERT_NEAR(y[row * n + i], want, 1e-5);
          if (sum) {
            ASSERT_NEAR(c.outputs[1].as<float>()[row * n + i], v[i], 1e-6);
          }
        }
        if (n == 100 && row > 3) break;  // the large case is about the split, which run() compares
      }
    }
  }
}

TEST(Softmax, AnyAxisAndItsLogarithm) {
  const Dims dims = {3, 17, 5};
  for (int32_t axis : {0, 1, 2}) {
    OpCase plain = {&kOpSoftmax, {noisy(dims, 1)}, {empty(ERT_F32, dims)}, {axis, 0}, {}, {}}, log = plain;
    log.ints[1] = 1;
    ASSERT_EQ(run(plain), ERT_OK);
    ASSERT_EQ(run(log), ERT_OK);
    const auto x = plain.inputs[0].as<float>(), y = plain.outputs[0].as<float>(), z = log.outputs[0].as<float>();
    for_each_index(dims, [&](const Dims& index) {
      double sum = 0;
      Dims other = index;
      for (int32_t i = 0; i < dims[static_cast<size_t>(axis)]; ++i) {
        other[static_cast<size_t>(axis)] = i;
        sum += std::exp(double{x[static_cast<size_t>(broadcast_at(dims, other))]});
      }
      const size_t at = static_cast<size_t>(broadcast_at(dims, index));
      ASSERT_NEAR(y[at], std::exp(double{x[at]}) / sum, 1e-6);
      ASSERT_NEAR(z[at], x[at] - std::log(sum), 2e-6);
    });
  }
}

TEST(Softmax, MaskedRowsAndBigInputs) {
  const float inf = INFINITY;
  const Tensor x = f32({2, 2}, {-inf, -inf, -inf, 3.0f});
  EXPECT_EQ(run_for<float>({&kOpSoftmax, {x}, {empty(ERT_F32, {2, 2})}, {1, 0}, {}, {}}), (std::vector<float>{0, 0, 0, 1}));
  EXPECT_EQ(run_for<float>({&kOpSoftmax, {x}, {empty(ERT_F32, {2, 2})}, {1, 1}, {}, {}}),
            (std::vector<float>{-inf, -inf, -inf, 0}));
  for (int32_t log : {0, 1}) {
    for (int32_t axis : {0, 1})
      run_for<float>({&kOpSoftmax, {noisy({250, 90}, 2)}, {empty(ERT_F32, {250, 90})}, {axis, log}, {}, {}});
  }
}

TEST(MeanPool, WeightedAndPlain) {
  OpCase c = {
      &kOpMeanPool, {f32({1, 3, 2}, {1, 2, 3, 4, 5, 6}), f32({1, 3}, {1, 0, 1})}, {empty(ERT_F32, {1, 2})}, {}, {1e-9f}, {}};
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{3, 4}));
  c.inputs[1] = absent();
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{3, 4}));
  c.inputs[1] = f32({1, 3}, {0, 0, 0});
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{0, 0}));
  c.inputs[1] = f32({1, 3}, {0.25f, 0, 0});
  c.floats = {0.5f};
  EXPECT_EQ(run_for<float>(c), (std::vector<float>{0.5f, 1.0f}));
}

TEST(MeanPool, AppendedPaddingChangesNoBit) {
  const int32_t width = 150, batch = 3;
  for (int32_t length : {1, 15, 16, 17, 40}) {
    for (int32_t padding : {1, 16, 37}) {
      const std::vector<float> x = noise(int64_t{batch} * length * width, 5), w = noise(int64_t{batch} * length, 6);
      OpCase tight = {&kOpMeanPool,
                      {f32({batch, length, width}, x), f32({batch, length}, w)},
                      {empty(ERT_F32, {batch, width})},
                      {},
                      {1e-9f},
                      {}},
             padded = tight;
      std::vector<float> px, pw;
      for (int32_t b = 0; b < batch; ++b) {
        px.insert(px.end(), x.begin() + b * length * width, x.begin() + (b + 1) * length * width);
        for (float v : noise(int64_t{padding} * width, 7)) px.push_back(v * 1e30f);
        pw.insert(pw.end(), w.begin() + b * length, w.begin() + (b + 1) * length);
        pw.insert(pw.end(), static_cast<size_t>(padding), 0.0f);
      }
      padded.inputs = {f32({batch, length + padding, width}, px), f32({batch, length + padding}, pw)};
      run(tight);
      run(padded);
      EXPECT_EQ(tight.outputs[0].bytes, padded.outputs[0].bytes) << length << "+" << padding;
    }
  }
}

TEST(L2Normalize, DividesByTheNorm) {
  EXPECT_EQ(run_for<float>({&kOpL2Normalize, {f32({3, 2}, {3, 4, 0, 0, 1e-9f, 0})}, {empty(ERT_F32, {3, 2})}, {}, {1e-3f}, {}}),
            (std::vector<float>{3.0f / 5.0f, 4.0f / 5.0f, 0, 0, 1e-9f / 1e-3f, 0}));
  run_for<float>({&kOpL2Normalize, {noisy({400, 77}, 1)}, {empty(ERT_F32, {400, 77})}, {}, {1e-12f}, {}});
}

TEST(Embedding, FloatAndQuantizedTables) {
  const Tensor ids = i32({2, 2}, {2, 0, 1, 2});
  EXPECT_EQ(run_for<float>({&kOpEmbedding, {ids, f32({3, 2}, {1, 2, 3, 4, 5, 6})}, {empty(ERT_F32, {2, 2, 2})}, {}, {}, {}}),
            (std::vector<float>{5, 6, 1, 2, 3, 4, 5, 6}));
  const Tensor table = i8({3, 2}, {1, -2, 3, 4, -127, 127}), scale = f32({3}, {0.5f, 0.25f, 2.0f});
  EXPECT_EQ(run_for<float>({&kOpEmbedding, {ids, table, scale}, {empty(ERT_F32, {2, 2, 2})}, {}, {}, {}}),
            (std::vector<float>{-254, 254, 0.5f, -1, 0.75f, 1, -254, 254}));
  EXPECT_EQ(
      run_for<float>({&kOpEmbedding, {i32({2, 2}, {-1, -3, -2, 2}), table, scale}, {empty(ERT_F32, {2, 2, 2})}, {}, {}, {}}),
      (std::vector<float>{-254, 254, 0.5f, -1, 0.75f, 1, -254, 254}))
      << "as in ONNX Gather, negative ids count from the end";
  const Tensor wide = i16({3, 2}, {1, -2, 300, 4, -32767, 32767});
  EXPECT_EQ(run_for<float>({&kOpEmbedding, {ids, wide, scale}, {empty(ERT_F32, {2, 2, 2})}, {}, {}, {}}),
            (std::vector<float>{-65534, 65534, 0.5f, -1, 75, 1, -65534, 65534}));
  EXPECT_FALSE(prepares({&kOpEmbedding, {ids, wide}, {empty(ERT_F32, {2, 2, 2})}, {}, {}, {}})) << "a scale is missing";
  for (int32_t bad : {-4, 3, INT32_MAX, INT32_MIN}) {
    OpCase c = {&kOpEmbedding, {i32({2}, {0, bad}), table, scale}, {empty(ERT_F32, {2, 2})}, {}, {}, {}};
    EXPECT_EQ(run(c), ERT_ERR_INPUT) << bad;
  }
  run_for<float>(
      {&kOpEmbedding, {i32({500}, std::vector<int32_t>(500, 1)), noisy({3, 64}, 1)}, {empty(ERT_F32, {500, 64})}, {}, {}, {}});
}

}  // namespace
}  // namespace ert::test
