// Products: the backend's GEMM, MatMul with broadcast batches, MatMulInteger.
#include <algorithm>

#include "convert/interp/eval.h"
#include "convert/interp/openblas.h"
#include "convert/interp/strided.h"

namespace edgeconv {

void transpose_f32(int64_t rows, int64_t columns, const float* src, int64_t ld, float* dst) {
  constexpr int64_t kBlock = 16;  // of both matrices, so many cache lines are at hand
  for (int64_t r = 0; r < rows; r += kBlock)
    for (int64_t c = 0; c < columns; c += kBlock)
      for (int64_t i = c; i < std::min(columns, c + kBlock); ++i)
        for (int64_t j = r; j < std::min(rows, r + kBlock); ++j) dst[i * rows + j] = src[j * ld + i];
}

void matmul_f32(Backend backend, int64_t m, int64_t n, int64_t k, MatrixView a, MatrixView b, float* c, int64_t c_ld) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (int64_t i = 0; i < m; ++i) std::fill_n(c + i * c_ld, n, 0.0f);
    return;
  }
  if (backend == Backend::kOracle) {
    openblas_sgemm()(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans,
                     static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0f, a.data, static_cast<int>(a.ld), b.data,
                     static_cast<int>(b.ld), 0.0f, c, static_cast<int>(c_ld));
    return;
  }
  const auto& kernels = canonical_kernels();
  const ptrdiff_t row = a.transposed ? 1 : a.ld, column = a.transposed ? a.ld : 1;
  const float* rhs = b.data;
  std::vector<float> straight;
  if (b.transposed) {
    straight.resize(static_cast<size_t>(k * n));
    transpose_f32(n, k, b.data, b.ld, straight.data());
    rhs = straight.data();
  }
  kernels.gemm_f32(static_cast<size_t>(m), static_cast<size_t>(n), static_cast<size_t>(k), a.data, row, column, rhs,
                   b.transposed ? n : b.ld, nullptr, c, c_ld);
}

namespace {

struct Product {
  Dims batch, out;
  int64_t m, n, k;
  Dims a_strides, b_strides;  // of whole matrices, over the batch axes
};

Product plan_product(const NodeInputs& c, Dims a, Dims b) {
  if (a.empty() || b.empty()) c.fail("a product with a scalar");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  Product p;
  p.m = a[a.size() - 2];
  p.k = a.back();
  p.n = b.back();
  if (b[b.size() - 2] != p.k) c.fail("inner sizes differ");
  const Dims a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  const auto batch = broadcast_dims(a_batch, b_batch);
  if (!batch) c.fail("batch axes do not broadcast");
  p.batch = *batch;
  p.a_strides = broadcast_strides(a_batch, *batch);
  p.b_strides = broadcast_strides(b_batch, *batch);
  p.out = *batch;
  if (!row) p.out.push_back(p.m);
  if (!column) p.out.push_back(p.n);
  return p;
}

Tensor float_product(const NodeInputs& c, const Tensor& a, const Tensor& b) {
  const Product p = plan_product(c, a.dims(), b.dims());
  Tensor out(DType::kFloat, p.out);
  if (out.elements() == 0) return out;
  const float* pa = a.as<float>().data();
  const float* pb = b.as<float>().data();
  float* d = out.mut<float>().data();
  if (product(b.dims()) == p.k * p.n) {  // one right side for all: a single product
    matmul_f32(c.backend, product(p.batch) * p.m, p.n, p.k, {pa, p.k}, {pb, p.n}, d, p.n);
    return out;
  }
  for_each_pair(p.batch, p.a_strides, p.b_strides, [&](int64_t i, int64_t j) {
    matmul_f32(c.backend, p.m, p.n, p.k, {pa + i * p.m * p.k, p.k}, {pb + j * p.k * p.n, p.n}, d, p.n);
    d += p.m * p.n;
  });
  return out;
}

std::vector<int64_t> integer_product(const Product& p, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> out(static_cast<size_t>(product(p.batch) * p.m * p.n), 0);
  int64_t* d = out.data();
  for_each_pair(p.batch, p.a_strides, p.b_strides, [&](int64_t i, int64_t j) {
    const int64_t* pa = a.data() + i * p.m * p.k;
    const int64_t* pb = b.data() + j * p.k * p.n;
    for (int64_t r = 0; r < p.m; ++r) {
      for (int64_t t = 0; t < p.k; ++t) {
        const uint64_t x = static_cast<uint64_t>(pa[r * p.k + t]);
        for (int64_t s = 0; s < p.n; ++s)
          d[r * p.n + s] =
              static_cast<int64_t>(static_cast<uint64_t>(d[r * p.n + s]) + x * static_cast<uint64_t>(pb[t * p.n + s]));
      }
    }
    d += p.m * p.n;
  });
  return out;
}

// Subtracts a zero point: one value, or one per row of the left side / column of the right side (the axis from the end).
void subtract_zero_point(const NodeInputs& c, std::vector<int64_t>& v, const Dims& dims, const Tensor& zero, bool per_row) {
  const std::vector<int64_t> z = zero.to_int64();
  const int64_t inner = dims.empty() ? 1 : dims.back(), rows = dims.size() < 2 ? 1 : dims[dims.size() - 2];
  if (z.size() == 1) {
    for (int64_t& x : v) x -= z[0];
    return;
  }
  const int64_t channels = per_row ? rows : inner, matrices = product(dims, 0, dims.size() < 2 ? 0 : dims.size() - 2);
  const bool per_matrix = static_cast<int64_t>(z.size()) == channels * matrices;
  if (!per_matrix && static_cast<int64_t>(z.size()) != channels) c.fail("the zero point has the wrong size");
  for (int64_t i = 0; i < static_cast<int64_t>(v.size()); ++i) {
    const int64_t channel = per_row ? i / inner % rows : i % inner;
    v[static_cast<size_t>(i)] -= z[static_cast<size_t>(per_matrix ? i / (inner * rows) * channels + channel : channel)];
  }
}

}  // namespace

Results eval_matmul(const NodeInputs& c) {
  const Tensor &a = c.in(0), &b = c.in(1);
  if (is_float(a.dtype()) && is_float(b.dtype())) return {float_product(c, a.cast(DType::kFloat), b.cast(DType::kFloat))};
  const Product p = plan_product(c, a.dims(), b.dims());
  return {from_int64(a.dtype(), p.out, integer_product(p, a.to_int64(), b.to_int64()))};
}

Results eval_matmul_integer(const NodeInputs& c) {
  const Product p = plan_product(c, c.in(0).dims(), c.in(1).dims());
  std::vector<int64_t> a = c.in(0).to_int64(), b = c.in(1).to_int64();
  if (c.has(2)) subtract_zero_point(c, a, c.in(0).dims(), c.in(2), true);
  if (c.has(3)) subtract_zero_point(c, b, c.in(1).dims(), c.in(3), false);
  return {from_int64(DType::kInt32, p.out, integer_product(p, a, b))};
}

}  // namespace edgeconv
