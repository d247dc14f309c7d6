// The fused kinds that passes make. Conventions of inputs: ir/attributes.h.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "convert/ir/axis.h"

namespace edgeconv {

Results eval_linear(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat), w = c.in(1).cast(DType::kFloat);
  if (x.rank() < 1 || w.rank() != 2 || x.dims().back() != w.dims()[0]) c.fail("x and the weight matrix do not fit");
  const int64_t k = w.dims()[0], n = w.dims()[1], m = product(x.dims(), 0, x.dims().size() - 1);
  Dims dims = x.dims();
  dims.back() = n;
  Tensor out(DType::kFloat, dims);
  float* d = out.mut<float>().data();
  matmul_f32(c.backend, m, n, k, {x.as<float>().data(), k}, {w.as<float>().data(), n}, d, n);
  if (c.has(2)) {
    const Tensor bias = c.in(2).cast(DType::kFloat);
    if (bias.elements() != n) c.fail("the bias needs one value per column");
    const float* b = bias.as<float>().data();
    for (int64_t row = 0; row < m; ++row)
      for (int64_t i = 0; i < n; ++i) d[row * n + i] += b[i];
  }
  const auto& [activation, alpha] = c.node.as<LinearAttrs>();
  if (activation != ert::params::linear::kNoActivation) apply_unary(c.backend, activation, alpha, static_cast<size_t>(m * n), d, d);
  return {out};
}

namespace {

struct Head {
  int64_t rows, keys, dim, v_dim;
  const float *q, *k, *v;
  int64_t q_stride, k_stride, v_stride;
  float scale;
  const float* bias;  // [rows, keys] dense, or null
  const uint8_t* mask;
  bool causal;
  float* dst;
  int64_t dst_stride;
};

// A row without a visible key gives zeros.
void oracle_head(const Head& h) {
  std::vector<float> scores(static_cast<size_t>(h.rows * h.keys));
  matmul_f32(Backend::kOracle, h.rows, h.keys, h.dim, {h.q, h.q_stride}, {h.k, h.k_stride, true}, scores.data(), h.keys);
  for (int64_t i = 0; i < h.rows; ++i) {
    float* s = scores.data() + i * h.keys;
    float top = -INFINITY;
    for (int64_t j = 0; j < h.keys; ++j) {
      s[j] = s[j] * h.scale + (h.bias ? h.bias[i * h.keys + j] : 0.0f);
      const bool hidden = (h.mask && !h.mask[i * h.keys + j]) || (h.causal && j > i + h.keys - h.rows);
      if (hidden) s[j] = -INFINITY;
      top = std::max(top, s[j]);
    }
    double sum = 0;
    for (int64_t j = 0; j < h.keys; ++j) {
      s[j] = top == -INFINITY ? 0.0f : std::exp(s[j] - top);
      sum += s[j];
    }
    for (int64_t j = 0; j < h.keys && sum > 0; ++j) s[j] = static_cast<float>(s[j] / sum);
  }
  matmul_f32(Backend::kOracle, h.rows, h.v_dim, h.keys, {scores.data(), h.keys}, {h.v, h.v_stride}, h.dst, h.dst_stride);
}

void canonical_head(const Head& h, std::vector<uint8_t>& scratch) {
  ert::kernels::AttentionArgs a{};
  a.seq_q = static_cast<int32_t>(h.rows);
  a.seq_k = static_cast<int32_t>(h.keys);
  a.head_dim = static_cast<int32_t>(h.dim);
  a.v_dim = static_cast<int32_t>(h.v_dim);
  a.q = h.q;
  a.k = h.k;
  a.v = h.v;
  a.q_stride = h.q_stride;
  a.k_stride = h.k_stride;
  a.v_stride = h.v_stride;
  a.scale = h.scale;
  a.bias = h.bias;
  a.bias_stride = h.keys;
  a.mask = h.mask;
  a.mask_stride = h.keys;
  a.causal_offset = h.causal ? a.seq_k - a.seq_q : INT32_MAX;
  a.dst = h.dst;
  a.dst_stride = h.dst_stride;
  scratch.resize(ert::kernels::attention_scratch_bytes(a.seq_q, a.seq_k, a.head_dim, a.v_dim) + 64);
  const uintptr_t at = reinterpret_cast<uintptr_t>(scratch.data());
  a.scratch = scratch.data() + (64 - at % 64) % 64;
  canonical_kernels().attention_f32(a);
}

// Bias or mask as [batch, heads, rows, keys], dense.
Tensor spread(const NodeInputs& c, size_t i, const Dims& dims, DType t) {
  if (!c.has(i)) return {};
  const auto d = broadcast_dims(c.in(i).dims(), dims);
  if (!d || *d != dims) c.fail("bias or mask does not broadcast to the scores");
  return strided_copy(c.in(i).cast(t), dims, broadcast_strides(c.in(i).dims(), dims));
}

}  // namespace

Results eval_attention(const NodeInputs& c) {
  const AttentionAttrs& a = c.node.as<AttentionAttrs>();
  const Tensor q = c.in(0).cast(DType::kFloat), k = c.in(1).cast(DType::kFloat), v = c.in(2).cast(DType::kFloat);
  if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3) c.fail("q, k and v need rank 3");
  const int64_t batch = q.dims()[0], rows = q.dims()[1], keys = k.dims()[1], v_dim = a.v_dim ? a.v_dim : a.head_dim;
  const int64_t wq = q.dims()[2], wk = k.dims()[2], wv = v.dims()[2];
  if (a.heads <= 0 || a.kv_heads <= 0 || a.heads % a.kv_heads != 0 || k.dims()[0] != batch || v.dims()[0] != batch ||
      v.dims()[1] != keys || a.q_first + a.heads * a.head_dim > wq || a.k_first + a.kv_heads * a.head_dim > wk ||
      a.v_first + a.kv_heads * v_dim > wv) {
    c.fail("sizes of q, k and v do not fit the heads");
  }
  const Dims score_dims{batch, a.heads, rows, keys};
  const Tensor bias = spread(c, 3, score_dims, DType::kFloat), mask = spread(c, 4, score_dims, DType::kBool);
  Tensor out(DType::kFloat, {batch, rows, a.heads * v_dim});
  if (out.elements() == 0 || keys == 0) return {out};
  float* d = out.mut<float>().data();
  std::vector<uint8_t> scratch;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < a.heads; ++h) {
      const int64_t kv = h / (a.heads / a.kv_heads), plane = (b * a.heads + h) * rows * keys;
      Head head{rows,
                keys,
                a.head_dim,
                v_dim,
                q.as<float>().data() + b * rows * wq + a.q_first + h * a.head_dim,
                k.as<float>().data() + b * keys * wk + a.k_first + kv * a.head_dim,
                v.as<float>().data() + b * keys * wv + a.v_first + kv * v_dim,
                wq,
                wk,
                wv,
                a.scale,
                c.has(3) ? bias.as<float>().data() + plane : nullptr,
                c.has(4) ? mask.data() + plane : nullptr,
                a.causal,
                d + b * rows * a.heads * v_dim + h * v_dim,
                a.heads * v_dim};
      if (c.canonical()) {
        canonical_head(head, scratch);
      } else {
        oracle_head(head);
      }
    }
  }
  return {out};
}

Results eval_norm(const NodeInputs& c) {
  const FusedNormAttrs& a = c.node.as<FusedNormAttrs>();
  const Tensor x = c.in(0).cast(DType::kFloat), gamma = c.in(2).cast(DType::kFloat);
  if (x.rank() < 1) c.fail("needs an axis");
  const size_t n = static_cast<size_t>(x.dims().back()), rows = n ? static_cast<size_t>(x.elements()) / n : 0;
  const Tensor residual = c.has(1) ? c.in(1).cast(DType::kFloat) : Tensor(),
               beta = c.has(3) ? c.in(3).cast(DType::kFloat) : Tensor();
  if (c.has(1) && residual.dims() != x.dims()) c.fail("the residual has another shape");
  if (gamma.elements() != static_cast<int64_t>(n) || (c.has(3) && beta.elements() != gamma.elements()))
    c.fail("gamma or beta has the wrong size");
  Tensor y(DType::kFloat, x.dims()), sum(DType::kFloat, x.dims());
  const float* g = gamma.as<float>().data();
  const float* b = c.has(3) ? beta.as<float>().data() : nullptr;
  const float* r = c.has(1) ? residual.as<float>().data() : nullptr;
  float* out = y.mut<float>().data();
  float* total = sum.mut<float>().data();
  if (c.canonical()) {
    canonical_kernels().layernorm(rows, n, x.as<float>().data(), r, g, b, a.epsilon, a.rms, out, total);
    return {y, sum};
  }
  const float* src = x.as<float>().data();
  for (size_t row = 0; row < rows; ++row) {
    double mean = 0, square = 0;
    for (size_t i = row * n; i < row * n + n; ++i) {
      total[i] = src[i] + (r ? r[i] : 0.0f);
      if (!a.rms) mean += total[i];
    }
    mean /= static_cast<double>(n);
    for (size_t i = row * n; i < row * n + n; ++i) square += (total[i] - mean) * (total[i] - mean);
    const double inverse = 1.0 / std::sqrt(square / static_cast<double>(n) + static_cast<double>(a.epsilon));
    for (size_t i = 0; i < n; ++i)
      out[row * n + i] = static_cast<float>((total[row * n + i] - mean) * inverse) * g[i] + (b ? b[i] : 0.0f);
  }
  return {y, sum};
}

Results eval_embedding(const NodeInputs& c) {
  const Tensor& table = c.in(1);
  if (table.rank() != 2) c.fail("the table needs rank 2");
  const std::vector<int64_t> ids = c.in(0).to_int64();
  const int64_t rows = table.dims()[0];
  Dims dims = c.in(0).dims();
  dims.push_back(table.dims()[1]);
  Tensor out(table.dtype(), dims);
  const size_t row = static_cast<size_t>(table.dims()[1]) * dtype_size(table.dtype());
  uint8_t* d = out.mutable_data();
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < -rows || ids[i] >= rows)
      c.fail("id " + std::to_string(ids[i]) + " is outside of the table of " + std::to_string(rows) + " rows");
    if (row) std::memcpy(d + i * row, table.data() + static_cast<size_t>(from_front(ids[i], rows)) * row, row);
  }
  return {out.cast(DType::kFloat)};
}

Results eval_mean_pool(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat);
  if (x.rank() != 3) c.fail("x needs rank 3");
  const int64_t batch = x.dims()[0], rows = x.dims()[1], width = x.dims()[2];
  const Tensor weights = c.has(1) ? c.in(1).cast(DType::kFloat) : Tensor();
  if (c.has(1) && weights.dims() != Dims{batch, rows}) c.fail("weights need the shape of the first two axes");
  const float epsilon = c.node.as<PoolAttrs>().epsilon;
  Tensor out(DType::kFloat, {batch, width});
  float* d = out.mut<float>().data();
  for (int64_t b = 0; b < batch; ++b) {
    const float* w = c.has(1) ? weights.as<float>().data() + b * rows : nullptr;
    const float divisor = w ? std::max(sum_of(c.backend, static_cast<size_t>(rows), w), epsilon) : static_cast<float>(rows);
    for (int64_t s = 0; s < rows; ++s) {
      for (int64_t i = 0; i < width; ++i)
        d[b * width + i] += x.as<float>()[static_cast<size_t>((b * rows + s) * width + i)] * (w ? w[s] : 1.0f);
    }
    for (int64_t i = 0; i < width; ++i) d[b * width + i] /= divisor;
  }
  return {out};
}

Results eval_l2_normalize(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat);
  if (x.rank() < 1) c.fail("needs an axis");
  const size_t n = static_cast<size_t>(x.dims().back()), rows = n ? static_cast<size_t>(x.elements()) / n : 0;
  const float epsilon = c.node.as<PoolAttrs>().epsilon;
  Tensor out(DType::kFloat, x.dims());
  float* d = out.mut<float>().data();
  for (size_t r = 0; r < rows; ++r) {
    const float* src = x.as<float>().data() + r * n;
    double squares = 0;
    for (size_t i = 0; i < n; ++i) squares += static_cast<double>(src[i]) * src[i];
    const float norm =
        c.canonical() ? std::sqrt(canonical_kernels().sum_squares(n, src)) : static_cast<float>(std::sqrt(squares));
    for (size_t i = 0; i < n; ++i) d[r * n + i] = src[i] / std::max(norm, epsilon);
  }
  return {out};
}

}  // namespace edgeconv
