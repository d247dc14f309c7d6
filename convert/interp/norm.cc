// Softmax and the normalizations.
#include <cmath>
#include <variant>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {
namespace {

// One row. A row that is -inf throughout gives zeros: the project's rule for fully masked rows (kernels_int8/NUMERICS.md).
void softmax_row(const NodeInputs& c, size_t n, const float* x, float* y, bool log) {
  if (n == 0) return;
  if (c.canonical() && !log) return canonical_kernels().softmax(1, n, x, y);
  float top = x[0];
  for (size_t i = 1; i < n; ++i) top = x[i] > top ? x[i] : top;
  if (top == -INFINITY) {
    for (size_t i = 0; i < n; ++i) y[i] = log ? -INFINITY : 0.0f;
    return;
  }
  std::vector<float> e(n);
  for (size_t i = 0; i < n; ++i) e[i] = exp_of(c.backend, x[i] - top);
  const float s = sum_of(c.backend, n, e.data());
  const float log_sum = log ? apply_unary_one(c.backend, static_cast<int>(ert::kernels::Unary::kLog), 0, s) : 0;
  for (size_t i = 0; i < n; ++i) y[i] = log ? x[i] - top - log_sum : e[i] / s;
}

// Position of x along `axis` as rows: outer * inner rows of n elements, `inner` apart.
struct Lines {
  int64_t outer, n, inner;
};
Lines lines_along(const Dims& dims, int64_t axis) {
  const size_t a = static_cast<size_t>(axis);
  return {product(dims, 0, a), dims[a], product(dims, a + 1)};
}

float epsilon_of(const Attributes& a) {
  if (const auto* p = std::get_if<NormAttrs>(&a)) return p->epsilon;
  if (const auto* p = std::get_if<BatchNormAttrs>(&a)) return p->epsilon;
  if (const auto* p = std::get_if<GroupNormAttrs>(&a)) return p->epsilon;
  return 1e-5f;
}

struct Moments {
  float mean, inverse;  // 1 / sqrt(variance + epsilon)
};

Moments moments(const NodeInputs& c, size_t n, const float* x, float epsilon, bool rms) {
  if (!c.canonical()) {
    double s = 0, q = 0;
    if (!rms) {
      for (size_t i = 0; i < n; ++i) s += x[i];
    }
    const double mean = s / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) q += (x[i] - mean) * (x[i] - mean);
    return {static_cast<float>(mean),
            static_cast<float>(1.0 / std::sqrt(q / static_cast<double>(n) + static_cast<double>(epsilon)))};
  }
  const auto& k = canonical_kernels();
  const float mean = rms ? 0.0f : k.sum(n, x) / static_cast<float>(n);
  std::vector<float> d(n);
  for (size_t i = 0; i < n; ++i) d[i] = x[i] - mean;
  return {mean, 1.0f / std::sqrt(k.sum_squares(n, d.data()) / static_cast<float>(n) + epsilon)};
}

float channel(const Tensor& t, int64_t i) { return t.as<float>()[static_cast<size_t>(i)]; }

// y = (x - mean) * inverse * scale + bias over `groups` groups of consecutive channels; scale and bias per channel, or per group.
Tensor normalize_groups(const NodeInputs& c, int64_t groups, float epsilon) {
  const Tensor &x = c.in(0), &scale = c.in(1), &bias = c.in(2);
  if (x.rank() < 2) c.fail("needs a channel axis");
  const int64_t batch = x.dims()[0], channels = x.dims()[1], spatial = product(x.dims(), 2);
  if (groups <= 0 || channels % groups != 0) c.fail("the channels are no multiple of the groups");
  const bool per_group = scale.elements() == groups && groups != channels;
  const int64_t values = per_group ? groups : channels;
  if (scale.elements() != values || bias.elements() != values) c.fail("scale and bias need one value per channel, or one per group");
  Tensor out(DType::kFloat, x.dims());
  const float* src = x.as<float>().data();
  float* dst = out.mut<float>().data();
  const int64_t per = channels / groups, n = per * spatial;
  for (int64_t g = 0; g < batch * groups; ++g) {
    const Moments m = moments(c, static_cast<size_t>(n), src + g * n, epsilon, false);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t ch = per_group ? g % groups : (g % groups) * per + i / spatial;
      dst[g * n + i] = (src[g * n + i] - m.mean) * m.inverse * channel(scale, ch) + channel(bias, ch);
    }
  }
  return out;
}

}  // namespace

Results eval_softmax(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat);
  const bool log = c.node.kind == OpKind::kLogSoftmax;
  const auto* a = std::get_if<AxisAttrs>(&c.node.attrs);
  Tensor out(DType::kFloat, x.dims());
  if (x.rank() == 0) {
    out.mut<float>()[0] = log ? 0.0f : 1.0f;
    return {out};
  }
  const Lines l = lines_along(x.dims(), c.axis(a ? a->axis : -1, x.rank()));
  const float* src = x.as<float>().data();
  float* dst = out.mut<float>().data();
  std::vector<float> row(static_cast<size_t>(l.n));
  for (int64_t o = 0; o < l.outer; ++o) {
    for (int64_t i = 0; i < l.inner; ++i) {
      const int64_t at = o * l.n * l.inner + i;
      for (int64_t k = 0; k < l.n; ++k) row[static_cast<size_t>(k)] = src[at + k * l.inner];
      softmax_row(c, row.size(), row.data(), row.data(), log);
      for (int64_t k = 0; k < l.n; ++k) dst[at + k * l.inner] = row[static_cast<size_t>(k)];
    }
  }
  return {out};
}

Results eval_layer_normalization(const NodeInputs& c) {
  const NormAttrs& a = c.node.as<NormAttrs>();
  const Tensor x = c.in(0).cast(DType::kFloat);
  const size_t first = static_cast<size_t>(c.axis(a.axis, x.rank()));
  const Dims tail(x.dims().begin() + static_cast<std::ptrdiff_t>(first), x.dims().end());
  const int64_t n = product(tail), rows = product(x.dims(), 0, first);
  const auto spread = [&](size_t i) -> Tensor {  // scale or bias, dense over the normalized axes
    if (!c.has(i)) return {};
    const Tensor t = c.in(i).cast(DType::kFloat);
    const auto d = broadcast_dims(t.dims(), tail);
    if (!d || *d != tail) c.fail("scale or bias does not broadcast to the normalized axes");
    return strided_copy(t, tail, broadcast_strides(t.dims(), tail));
  };
  const Tensor scale = spread(1), bias = spread(2);
  Tensor out(DType::kFloat, x.dims());
  Dims statistics = x.dims();
  for (size_t i = first; i < statistics.size(); ++i) statistics[i] = 1;
  Tensor mean(DType::kFloat, statistics), inverse(DType::kFloat, statistics);
  auto means = mean.mut<float>(), inverses = inverse.mut<float>();
  float* dst = out.mut<float>().data();
  for (int64_t r = 0; r < rows; ++r) {
    const float* src = x.as<float>().data() + r * n;
    const Moments m = moments(c, static_cast<size_t>(n), src, a.epsilon, a.rms);
    means[static_cast<size_t>(r)] = m.mean;
    inverses[static_cast<size_t>(r)] = m.inverse;
    for (int64_t i = 0; i < n; ++i) {
      float y = (src[i] - m.mean) * m.inverse;
      if (c.has(1)) y *= channel(scale, i);
      if (c.has(2)) y += channel(bias, i);
      dst[r * n + i] = y;
    }
  }
  return {out, mean, inverse};
}

Results eval_batch_normalization(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat);
  if (x.rank() < 1) c.fail("needs a channel axis");
  const int64_t channels = x.rank() > 1 ? x.dims()[1] : 1, inner = product(x.dims(), 2);
  for (size_t i = 1; i < 5; ++i) {
    if (c.in(i).elements() != channels) c.fail("scale, bias, mean and variance need one value per channel");
  }
  std::vector<Tensor> p;
  for (size_t i = 1; i < 5; ++i) p.push_back(c.in(i).cast(DType::kFloat));
  const float epsilon = epsilon_of(c.node.attrs);
  Tensor out(DType::kFloat, x.dims());
  auto dst = out.mut<float>();
  const auto src = x.as<float>();
  const int64_t rows = inner > 0 ? static_cast<int64_t>(src.size()) / inner : 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t ch = row % channels;
    const float mean = channel(p[2], ch), deviation = std::sqrt(channel(p[3], ch) + epsilon), scale = channel(p[0], ch),
                bias = channel(p[1], ch);
    for (size_t i = static_cast<size_t>(row * inner), end = i + static_cast<size_t>(inner); i < end; ++i)
      dst[i] = (src[i] - mean) / deviation * scale + bias;
  }
  return {out};
}

Results eval_instance_normalization(const NodeInputs& c) {
  if (c.in(0).rank() < 2) c.fail("needs a channel axis");
  return {normalize_groups(c, c.in(0).dims()[1], epsilon_of(c.node.attrs))};
}

Results eval_group_normalization(const NodeInputs& c) {
  return {normalize_groups(c, c.node.as<GroupNormAttrs>().groups, epsilon_of(c.node.attrs))};
}

}  // namespace edgeconv
