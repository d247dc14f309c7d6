// kernel_check: every kernel of the level that this firmware is built for against the reference, bit for bit, on extreme fills and
// tail shapes. The same comparisons as the GoogleTest suites, for cores without an operating system. Exit 1 if a bit differs.
#include <initializer_list>
#include <type_traits>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/base/float_mode.h"
#include "tests/kernels_int8/cortex_m/checker.h"
#include "tests/kernels_int8/fills.h"

namespace ert::kernels {

std::remove_pointer_t<GemmFn> gemm_f32_qa13_qw12_1x1_ref;

}  // namespace ert::kernels

namespace ert::kernels::testing {
namespace {

using ert::testing::RandomNumbers;

struct KernelChecker : Checker {
  void linear(size_t m, size_t n, size_t k, Fill fill, WeightFill weights, Layout layout, Precision precision, bool smooth,
              bool with_bias) {
    RandomNumbers random("linear");
    float* src = memory.take<float>(m * k);
    float* inv_smooth = memory.take<float>(k);
    for (size_t i = 0; i < m * k; ++i) src[i] = fill_value(fill, i, random);
    for (size_t i = 0; i < k; ++i) inv_smooth[i] = random.uniform(0.125f, 1.0f);
    int8_t* packed[2];
    const Layout layouts[2] = {Layout::kN16K4, layout};
    for (int i = 0; i < 2; ++i) {
      packed[i] = memory.take<int8_t>(packed_bytes(layouts[i], n, k));
      memset(packed[i], 0, packed_bytes(layouts[i], n, k));
    }
    float *scale = memory.take<float>(n), *bias = memory.take<float>(n);
    int32_t* colsum = memory.take<int32_t>(n);
    for (size_t column = 0; column < n; ++column) {
      colsum[column] = 0;
      for (size_t kk = 0; kk < k; ++kk) {
        const int8_t w = weight_value(weights, column, kk, random);
        colsum[column] += w;
        for (int i = 0; i < 2; ++i) packed[i][packed_offset(layouts[i], column, kk, k)] = w;
      }
      scale[column] = random.uniform(0.001f, 0.01f);
      bias[column] = random.normal();
    }
    const LinearKernels kernels[2] = {linear_kernels(ref, precision, Layout::kN16K4), linear_kernels(own, precision, layout)};
    float* out[2];
    RowScale* scales[2];
    for (int i = 0; i < 2; ++i) {
      const size_t row_bytes = kernels[i].row_bytes(k);
      void* rows = memory.take<uint8_t>(m * row_bytes);
      out[i] = memory.take<float>(m * n);
      scales[i] = memory.take<RowScale>(m);
      kernels[i].quantize_rows(m, k, src, static_cast<ptrdiff_t>(k), smooth ? inv_smooth : nullptr, rows, row_bytes, scales[i]);
      kernels[i].gemm({m,
                       n,
                       k,
                       rows,
                       row_bytes,
                       scales[i],
                       {packed[i], scale, colsum, with_bias ? bias : nullptr, layouts[i]},
                       out[i],
                       static_cast<ptrdiff_t>(n)});
    }
    bool good = same_floats(m * n, out[0], out[1]);
    for (size_t i = 0; i < m; ++i)
      good =
          good && same_floats(1, &scales[0][i].scale, &scales[1][i].scale) && scales[0][i].zero_point == scales[1][i].zero_point;
    count(good, precision == Precision::kW8A16 ? "linear qa16, m n k layout:" : "linear qa8, m n k layout:", m, n, k,
          static_cast<int>(layout));
  }

  // W12A13. The value and the weight behind a run of odd length are anything, and must not count.
  void wide_linear(size_t m, size_t n, size_t k) {
    RandomNumbers random("wide linear");
    const LinearKernels kernels = linear_kernels(own, Precision::kW12A13, Layout::kN16K2);
    const size_t row_bytes = kernels.row_bytes(k), weights = round_up(n, 16) * 2 * wide_pairs(k);
    float *src = memory.take<float>(m * k), *scale = memory.take<float>(n);
    for (size_t i = 0; i < m * k; ++i) src[i] = random.normal();
    for (size_t i = 0; i < n; ++i) scale[i] = random.uniform(0.001f, 0.01f);
    int16_t *rows = memory.take<int16_t>(m * row_bytes / 2), *packed = memory.take<int16_t>(weights);
    for (size_t i = 0; i < m * row_bytes / 2; ++i) rows[i] = 4095;
    for (size_t i = 0; i < weights; ++i) packed[i] = static_cast<int16_t>(random.uniform(-2047.0f, 2047.0f));
    RowScale* scales = memory.take<RowScale>(m);
    kernels.quantize_rows(m, k, src, static_cast<ptrdiff_t>(k), nullptr, rows, row_bytes, scales);
    float* out[2] = {memory.take<float>(m * n), memory.take<float>(m * n)};
    for (int i = 0; i < 2; ++i) {
      const GemmFn gemm = i == 0 ? gemm_f32_qa13_qw12_1x1_ref : kernels.gemm;
      gemm({m,
            n,
            k,
            rows,
            row_bytes,
            scales,
            {static_cast<int8_t*>(static_cast<void*>(packed)), scale, nullptr, nullptr, Layout::kN16K2},
            out[i],
            static_cast<ptrdiff_t>(n)});
    }
    count(same_floats(m * n, out[0], out[1]), "linear qa13, m n k layout:", m, n, k, static_cast<int>(Layout::kN16K2));
  }

  void all_linear() {
    for (size_t k : {1, 2, 3, 37, 255, 256, 257, 511, 513, 1025}) {
      wide_linear(1, 1, k);
      wide_linear(3, 17, k);
    }
    for (Layout layout : {Layout::kN16K4, Layout::kN2K16, Layout::kN8K8}) {
      for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
        for (size_t m : {1, 2, 3, 4, 7}) {
          for (size_t n : {1, 2, 3, 6, 15, 16, 17, 33, 40})
            linear(m, n, 37, Fill::kNormal, WeightFill::kRandom, layout, precision, true, n != 3);
        }
        for (size_t k : {1, 2, 3, 4, 5, 15, 16, 17, 19, 31, 32, 33, 63, 65, 128, 1040, 1041, 1537})
          linear(3, 5, k, Fill::kNormal, WeightFill::kRandom, layout, precision, false, true);
        for (int weights = 0; weights < static_cast<int>(WeightFill::kCount); ++weights) {
          for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
            for (size_t k : {77, 1101})
              linear(2, 3, k, static_cast<Fill>(fill), static_cast<WeightFill>(weights), layout, precision, fill % 2 == 0, true);
          }
        }
        linear(1, 2, 65000, Fill::kConstant, WeightFill::kAll127, layout, precision, false, true);
        linear(1, 2, 65000, Fill::kAlternating, WeightFill::kAlternating, layout, precision, false, true);
      }
    }
  }

  void unary() {
    for (int kind = 0; kind < static_cast<int>(Unary::kCount); ++kind) {
      if (own.unary[kind] == ref.unary[kind]) continue;
      for (int fill = 0; fill < static_cast<int>(Fill::kCount) + 3; ++fill) {
        for (size_t n : {1, 3, 4, 15, 16, 17, 31, 33, 200}) {
          RandomNumbers random("unary");
          float *src = memory.take<float>(n), *want = memory.take<float>(n), *got = memory.take<float>(n);
          for (size_t i = 0; i < n; ++i) {
            const float ranges[] = {4.0f, 20.0f, 100.0f};
            src[i] = fill < static_cast<int>(Fill::kCount) ? fill_value(static_cast<Fill>(fill), i, random)
                                                           : random.normal() * ranges[fill - static_cast<int>(Fill::kCount)];
          }
          ref.unary[kind](n, src, want);
          own.unary[kind](n, src, got);
          count(same_floats(n, want, got), "unary, kind n fill:", static_cast<size_t>(kind), n, static_cast<size_t>(fill), 0);
        }
      }
    }
  }

  void rows() {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (size_t n : {1, 2, 15, 16, 17, 33, 100, 384}) {
        for (int form = 0; form < 8; ++form) {
          constexpr size_t m = 5;
          RandomNumbers random("rows");
          float *src = memory.take<float>(m * n), *residual = memory.take<float>(m * n), *gamma = memory.take<float>(n);
          float *want = memory.take<float>(m * n), *got = memory.take<float>(m * n);
          float *want_sum = memory.take<float>(m * n), *got_sum = memory.take<float>(m * n);
          for (size_t i = 0; i < m * n; ++i)
            src[i] = fill_value(static_cast<Fill>(fill), i, random), residual[i] = random.normal();
          for (size_t i = 0; i < n; ++i) gamma[i] = random.normal();
          const float* r = form & 1 ? residual : nullptr;
          const float* beta = form & 2 ? gamma : nullptr;
          ref.layernorm(m, n, src, r, gamma, beta, 1e-12f, (form & 4) != 0, want, want_sum);
          own.layernorm(m, n, src, r, gamma, beta, 1e-12f, (form & 4) != 0, got, got_sum);
          bool good = same_floats(m * n, want, got) && same_floats(m * n, want_sum, got_sum);
          ref.softmax(m, n, src, want);
          own.softmax(m, n, src, got);
          good = good && same_floats(m * n, want, got);
          const float sums[2][2] = {{ref.sum(n, src), ref.sum_squares(n, src)}, {own.sum(n, src), own.sum_squares(n, src)}};
          count(good && same_floats(2, sums[0], sums[1]), "rows, n fill form:", n, static_cast<size_t>(fill),
                static_cast<size_t>(form), 0);
        }
      }
    }
  }

  // State before the step in row 0, after it by the reference in row 1 and by the level in row 2.
  void cell(size_t n, Fill fill, bool lstm) {
    RandomNumbers random("cell");
    const size_t stride = round_up(n, 16), count_of_gates = lstm ? 4 : 3;
    float *gates = memory.take<float>(count_of_gates * stride), *projected = memory.take<float>(count_of_gates * n);
    float *c = memory.take<float>(3 * n), *h = memory.take<float>(3 * n);
    for (size_t i = 0; i < count_of_gates * stride; ++i) gates[i] = fill_value(fill, i, random);
    for (size_t i = 0; i < count_of_gates * n; ++i) projected[i] = fill_value(fill, i, random);
    for (size_t i = 0; i < n; ++i) {
      c[i] = c[n + i] = c[2 * n + i] = fill_value(fill, i, random);
      h[i] = h[n + i] = h[2 * n + i] = fill_value(fill, i, random);
    }
    if (lstm) {
      ref.lstm_step(n, gates, stride, projected, c + n, h + n);
      own.lstm_step(n, gates, stride, projected, c + 2 * n, h + 2 * n);
    } else {
      ref.gru_step(n, gates, stride, projected, h + n);
      own.gru_step(n, gates, stride, projected, h + 2 * n);
    }
    count(same_floats(n, c + n, c + 2 * n) && same_floats(n, h + n, h + 2 * n), "cell, n fill lstm:", n,
          static_cast<size_t>(fill), lstm, 0);
  }
  void cells() {
    for (size_t n : {1, 15, 16, 17, 33, 65}) {
      for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
        for (bool lstm : {false, true}) cell(n, static_cast<Fill>(fill), lstm);
      }
    }
  }

  void gemm_f32() {
    for (size_t m : {1, 2, 3, 7}) {
      for (size_t n : {1, 4, 15, 16, 17, 33, 40}) {
        for (size_t k : {1, 2, 17, 64}) {
          RandomNumbers random("gemm_f32");
          float *lhs = memory.take<float>(m * k), *rhs = memory.take<float>(n * k), *bias = memory.take<float>(n);
          float *want = memory.take<float>(m * n), *got = memory.take<float>(m * n);
          for (size_t i = 0; i < m * k; ++i) lhs[i] = fill_value(Fill::kMixed, i, random);
          for (size_t i = 0; i < n * k; ++i) rhs[i] = random.normal();
          for (size_t i = 0; i < n; ++i) bias[i] = random.normal();
          const ptrdiff_t rows = static_cast<ptrdiff_t>(k), columns = static_cast<ptrdiff_t>(n);
          ref.gemm_f32(m, n, k, lhs, rows, 1, rhs, columns, k == 2 ? nullptr : bias, want, columns);
          own.gemm_f32(m, n, k, lhs, rows, 1, rhs, columns, k == 2 ? nullptr : bias, got, columns);
          count(same_floats(m * n, want, got), "gemm_f32, m n k:", m, n, k, 0);
        }
      }
    }
  }

  void attention(int32_t queries, int32_t keys, int32_t dim, int form) {
    RandomNumbers random("attention");
    const size_t sq = static_cast<size_t>(queries), sk = static_cast<size_t>(keys), d = static_cast<size_t>(dim);
    float *q = memory.take<float>(sq * d), *k = memory.take<float>(sk * d), *v = memory.take<float>(sk * d);
    float *bias = memory.take<float>(sq * sk), *want = memory.take<float>(sq * d), *got = memory.take<float>(sq * d);
    uint8_t* mask = memory.take<uint8_t>(sk);
    for (size_t i = 0; i < sq * d; ++i) q[i] = random.normal();
    for (size_t i = 0; i < sk * d; ++i) k[i] = random.normal() * 2.0f, v[i] = random.normal();
    for (size_t i = 0; i < sq * sk; ++i) bias[i] = random.normal();
    for (size_t i = 0; i < sk; ++i) mask[i] = form == 3 ? 0 : random.integer(0, 3) != 0;
    AttentionArgs a = {};
    a.seq_q = queries;
    a.seq_k = keys;
    a.head_dim = a.v_dim = dim;
    a.q = q, a.k = k, a.v = v;
    a.q_stride = a.k_stride = a.v_stride = a.dst_stride = dim;
    a.scale = 0.25f;
    a.bias = form & 1 ? bias : nullptr;
    a.bias_stride = keys;
    a.mask = form & 2 ? mask : nullptr;
    a.causal_offset = form == 4 ? 0 : INT32_MAX;
    a.scratch = memory.take<uint8_t>(attention_scratch_bytes(queries, keys, dim, dim));
    for (auto slot : {&KernelTable::attention_f32, &KernelTable::attention_i8}) {
      a.dst = want;
      (ref.*slot)(a);
      a.dst = got;
      (own.*slot)(a);
      ++cases;
      if (!same_floats(sq * d, want, got)) ++faults, ert_print("differs: attention\n");
    }
    count(true, "attention", sq, sk, d, form);
  }

  void all_attention() {
    for (int32_t keys : {1, 3, 16, 17, 40}) {
      for (int32_t dim : {1, 8, 16, 33}) {
        for (int form = 0; form < 5; ++form) attention(keys == 3 ? 1 : 9, keys, dim, form);
      }
    }
    attention(2, 1100, 16, 0);
  }
};

int run() {
  const ert::FloatMode float_mode;
  KernelChecker c;
  c.must_see();
  c.all_linear();
  c.unary();
  if (c.own.layernorm != c.ref.layernorm) c.rows();
  if (c.own.lstm_step != c.ref.lstm_step) c.cells();
  if (c.own.gemm_f32 != c.ref.gemm_f32) c.gemm_f32();
  if (c.own.attention_f32 != c.ref.attention_f32 || c.own.attention_i8 != c.ref.attention_i8) c.all_attention();
  return c.report("kernels");
}

}  // namespace
}  // namespace ert::kernels::testing

int main() { return ert::kernels::testing::run(); }
