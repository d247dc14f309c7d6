// Linear in all three precisions: against double arithmetic within the error that quantization allows, and bit for bit
// against the kernels called once on the whole matrix.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <memory>

#include "kernels_int8/dispatch/dispatch.h"
#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

namespace lin = params::linear;

struct Layer {
  int32_t n, k;
  std::vector<int8_t> w;  // [n, k]
  std::vector<float> scale, bias, inv_smooth;
  std::vector<int32_t> colsum;
};

Layer layer_of(int32_t n, int32_t k, uint32_t seed) {
  Layer l = {n, k, {}, {}, noise(n, seed + 1), {}, {}};
  for (float v : noise(int64_t{n} * k, seed)) l.w.push_back(static_cast<int8_t>(v * 127.0f));
  for (float v : noise(n, seed + 2)) l.scale.push_back(0.01f + 0.005f * v);
  for (float v : noise(k, seed + 3)) l.inv_smooth.push_back(1.0f + 0.5f * v);
  for (int32_t c = 0; c < n; ++c) {
    int32_t sum = 0;
    for (int32_t i = 0; i < k; ++i) sum += l.w[static_cast<size_t>(c * k + i)];
    l.colsum.push_back(sum);
  }
  return l;
}

OpCase quantized_case(const Layer& l, Dims x_dims, int32_t precision, int32_t activation, bool with_bias, bool with_smooth) {
  Dims out_dims = x_dims;
  out_dims.back() = l.n;
  OpCase c = {
      &kOpLinear, {noisy(x_dims, 99), packed_n16k4(l.n, l.k, l.w)}, {empty(ERT_F32, out_dims)}, {precision, activation}, {}, {}};
  c.inputs.push_back(with_bias ? f32({l.n}, l.bias) : absent());
  c.inputs.push_back(f32({l.n}, l.scale));
  c.inputs.push_back(i32({l.n}, l.colsum));
  c.inputs.push_back(with_smooth ? f32({l.k}, l.inv_smooth) : absent());
  return c;
}

// |got - want| stays below what rounding the activations can do: per element half a step, one step at the clamped ends.
void expect_close(const OpCase& c, const Layer& l, bool wide) {
  const std::vector<float> x = c.inputs[lin::kX].as<float>(), got = c.outputs[0].as<float>();
  const bool bias = c.inputs[lin::kBias].dtype != 0, smooth = c.inputs[lin::kInvSmooth].dtype != 0;
  const size_t k = static_cast<size_t>(l.k), n = static_cast<size_t>(l.n);
  for (size_t row = 0; row < x.size() / k; ++row) {
    double lo = 0, hi = 0;
    std::vector<double> y;
    for (size_t i = 0; i < k; ++i) {
      y.push_back(double{x[row * k + i]} * (smooth ? l.inv_smooth[i] : 1.0f));
      lo = std::min(lo, y[i]);
      hi = std::max(hi, y[i]);
    }
    const double step = wide ? std::max(hi, -lo) / 16256 : (hi - lo) / 255;
    for (size_t j = 0; j < n; ++j) {
      double want = 0, weights = 0;
      for (size_t i = 0; i < k; ++i) {
        want += y[i] * l.w[j * k + i];
        weights += std::abs(l.w[j * k + i]);
      }
      want = want * l.scale[j] + (bias ? l.bias[j] : 0.0f);
      const double bound = step * weights * l.scale[j] + 1e-5 * (1 + std::abs(want));
      ASSERT_NEAR(got[row * n + j], want, bound) << "row " << row << " column " << j;
    }
  }
}

struct AlignedBytes {
  std::unique_ptr<uint8_t, void (*)(void*)> p;
  explicit AlignedBytes(size_t n) : p(static_cast<uint8_t*>(aligned_alloc(64, (n + 63) / 64 * 64)), &free) {}
};

// The kernels once over all rows and columns, then the activation.
std::vector<float> whole_matrix(const OpCase& c, const Layer& l) {
  const auto& t = kernels::kernel_table(1u);
  const kernels::LinearKernels q =
      kernels::linear_kernels(t, lin::kernel_precision(c.ints[lin::kPrecision]), kernels::Layout::kN16K4);
  const std::vector<float> x = c.inputs[lin::kX].as<float>();
  const size_t k = static_cast<size_t>(l.k), n = static_cast<size_t>(l.n), m = x.size() / k;
  const size_t row_bytes = q.row_bytes(k);
  const AlignedBytes lhs(row_bytes * m), weights(c.inputs[lin::kWeights].bytes.size());
  memcpy(weights.p.get(), c.inputs[lin::kWeights].bytes.data(), c.inputs[lin::kWeights].bytes.size());
  std::vector<kernels::RowScale> scales(m);
  std::vector<float> out(m * n);
  const kernels::PackedWeights w = {reinterpret_cast<const int8_t*>(weights.p.get()), l.scale.data(), l.colsum.data(),
                                    c.inputs[lin::kBias].dtype ? l.bias.data() : nullptr};
  q.quantize_rows(m, k, x.data(), l.k, c.inputs[lin::kInvSmooth].dtype ? l.inv_smooth.data() : nullptr, lhs.p.get(), row_bytes,
                  scales.data());
  q.gemm({m, n, k, lhs.p.get(), row_bytes, scales.data(), w, out.data(), l.n});
  const int32_t activation = c.ints[lin::kActivation];
  if (activation != lin::kNoActivation) t.unary[activation](out.size(), out.data(), out.data());
  return out;
}

TEST(Linear, QuantizedIsCloseToTheRealProduct) {
  for (int32_t n : {1, 15, 16, 37}) {
    for (int32_t k : {1, 5, 64, 131}) {
      const Layer l = layer_of(n, k, 7);
      for (int32_t precision : {lin::kInt8, lin::kInt8A16}) {
        for (bool extras : {false, true}) {
          OpCase c = quantized_case(l, {2, 3, k}, precision, lin::kNoActivation, extras, extras);
          ASSERT_EQ(run(c), ERT_OK);
          expect_close(c, l, precision == lin::kInt8A16);
        }
      }
    }
  }
}

TEST(Linear, SplittingRowsAndColumnsChangesNoBit) {
  const Layer l = layer_of(150, 68, 11);
  const int32_t gelu = static_cast<int32_t>(kernels::Unary::kGeluErf);
  for (int32_t m : {1, 2, 31, 32, 33, 64, 65, 100, 257}) {
    for (int32_t precision : {lin::kInt8, lin::kInt8A16}) {
      for (int32_t activation : {lin::kNoActivation, gelu}) {
        OpCase c = quantized_case(l, {m, 68}, precision, activation, true, true);
        ASSERT_EQ(run(c), ERT_OK);
        EXPECT_EQ(c.outputs[0].as<float>(), whole_matrix(c, l)) << m;
      }
    }
  }
}

// Weights above 1 MiB are split and fetched in other ways.
TEST(Linear, LargeWeightsChangeNoBit) {
  const Layer l = layer_of(1100, 960, 13);
  for (int32_t m : {7, 16, 20, 40, 129, 300}) {
    OpCase c = quantized_case(l, {m, 960}, lin::kInt8, lin::kNoActivation, true, true);
    ASSERT_EQ(run(c), ERT_OK);
    EXPECT_EQ(c.outputs[0].as<float>(), whole_matrix(c, l)) << m;
  }
}

TEST(Linear, FloatIsTheOrderedSum) {
  for (int32_t m : {1, 3, 40, 100}) {
    for (int32_t n : {1, 20, 300}) {
      const int32_t k = 33, relu = static_cast<int32_t>(kernels::Unary::kRelu);
      OpCase c = {
          &kOpLinear, {noisy({m, k}, 1), noisy({k, n}, 2), noisy({n}, 3)}, {empty(ERT_F32, {m, n})}, {lin::kF32, relu}, {}, {}};
      ASSERT_EQ(run(c), ERT_OK);
      const auto x = c.inputs[0].as<float>(), w = c.inputs[1].as<float>(), b = c.inputs[2].as<float>(),
                 y = c.outputs[0].as<float>();
      for (size_t i = 0; i < y.size(); ++i) {
        const size_t row = i / static_cast<size_t>(n), column = i % static_cast<size_t>(n);
        float sum = 0.0f;
        for (size_t kk = 0; kk < static_cast<size_t>(k); ++kk)
          sum = sum + x[row * static_cast<size_t>(k) + kk] * w[kk * static_cast<size_t>(n) + column];
        sum = sum + b[column];
        ASSERT_EQ(y[i], sum > 0.0f ? sum : 0.0f) << m << " " << n << " " << i;
      }
    }
  }
}

TEST(Linear, ScratchDoesNotGrowWithTheRows) {
  const Layer l = layer_of(16, 64, 3);
  const size_t at_32 = scratch_bytes(quantized_case(l, {32, 64}, lin::kInt8, -1, false, false));
  EXPECT_EQ(scratch_bytes(quantized_case(l, {5000, 64}, lin::kInt8, -1, false, false)), at_32);
  EXPECT_LT(scratch_bytes(quantized_case(l, {1, 64}, lin::kInt8, -1, false, false)), at_32);
  const Layer large = layer_of(1100, 960, 13);
  const size_t at_128 = scratch_bytes(quantized_case(large, {128, 960}, lin::kInt8, -1, false, false));
  EXPECT_EQ(scratch_bytes(quantized_case(large, {5000, 960}, lin::kInt8, -1, false, false)), at_128);
  EXPECT_EQ(macs(quantized_case(l, {2, 5, 64}, lin::kInt8, -1, false, false)), 10u * 16u * 64u);
}

TEST(Linear, RefusesWrongOperands) {
  const Layer l = layer_of(16, 8, 3);
  const OpCase good = quantized_case(l, {4, 8}, lin::kInt8, -1, true, true);
  ASSERT_TRUE(prepares(good));
  const auto refuses = [&](const std::function<void(OpCase&)>& spoil) {
    OpCase c = good;
    spoil(c);
    return !prepares(c);
  };
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[0] = 3; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[0] = lin::kF32; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[1] = -2; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[1] = static_cast<int32_t>(kernels::Unary::kCount); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.pop_back(); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.floats.push_back(1.0f); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].dims[1] = 9; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].dims[0] = 15; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].constant = false; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].dtype = params::kPackedN16K2 + 1; })) << "no layout";
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].dims.push_back(1); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kWeights].dtype = params::kPackedN16K2; })) << "weights of 12 bits in int8";
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[0] = lin::kW12A13; })) << "weights of 8 bits in w12a13";
  EXPECT_TRUE(refuses([](OpCase& c) {
    c.ints[0] = lin::kW12A13;
    c.inputs[lin::kWeights].dtype = params::kPackedN16K2;
  })) << "with sums of columns";
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[0] = lin::kW12A13 + 1; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kScale] = absent(); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kColsum] = empty(ERT_I32, {15}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kBias] = empty(ERT_F32, {1, 16}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kInvSmooth] = empty(ERT_F32, {7}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kX] = empty(ERT_I32, {4, 8}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kX] = empty(ERT_F32, {}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {5, 16}); }));
  EXPECT_TRUE(refuses([](OpCase& c) {
    c.inputs[lin::kX] = empty(ERT_F32, {4, 65001});
    c.inputs[lin::kWeights].dims[1] = 65001;
    c.inputs[lin::kInvSmooth] = absent();
  }));
}

}  // namespace
}  // namespace ert::test
