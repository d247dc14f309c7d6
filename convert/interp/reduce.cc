// Reductions over any axes. The canonical backend sums in the kernels' lane order; the oracle sums in double.
#include <cmath>
#include <limits>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {

float sum_of(Backend backend, size_t n, const float* x) {
  if (backend == Backend::kCanonical) return canonical_kernels().sum(n, x);
  double s = 0;
  for (size_t i = 0; i < n; ++i) s += x[i];
  return static_cast<float>(s);
}

namespace {

namespace rp = ert::params::reduce;

float canonical_log(float x) { return apply_unary_one(Backend::kCanonical, static_cast<int>(ert::kernels::Unary::kLog), 0, x); }

float reduce_extreme(rp::Kind kind, size_t n, const float* x) {
  float r = kind == rp::kMax ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return x[i];
    r = kind == rp::kMax ? (x[i] > r ? x[i] : r) : (x[i] < r ? x[i] : r);
  }
  return r;
}

float reduce_canonical(rp::Kind kind, size_t n, const float* x) {
  const auto& k = canonical_kernels();
  switch (kind) {
    case rp::kSum: return k.sum(n, x);
    case rp::kMean: return k.sum(n, x) / static_cast<float>(n);
    case rp::kMax:
    case rp::kMin: return reduce_extreme(kind, n, x);
    case rp::kProd: {
      float p = 1;
      for (size_t i = 0; i < n; ++i) p *= x[i];
      return p;
    }
    case rp::kSumSquare: return k.sum_squares(n, x);
    case rp::kL2: return std::sqrt(k.sum_squares(n, x));
    case rp::kLogSum: return canonical_log(k.sum(n, x));
    case rp::kL1:
    case rp::kLogSumExp: {
      const float top = kind == rp::kL1 ? 0 : reduce_extreme(rp::kMax, n, x);
      const float shift = std::isfinite(top) ? top : 0;
      std::vector<float> e(n);
      for (size_t i = 0; i < n; ++i) e[i] = kind == rp::kL1 ? std::fabs(x[i]) : exp_of(Backend::kCanonical, x[i] - shift);
      const float s = k.sum(n, e.data());
      return kind == rp::kL1 ? s : canonical_log(s) + shift;
    }
  }
  return 0;
}

template <class T>
T reduce_oracle(rp::Kind kind, size_t n, const T* x) {
  double s = kind == rp::kProd ? 1 : 0;
  double top = -std::numeric_limits<double>::infinity(), bottom = -top;
  for (size_t i = 0; i < n; ++i) {
    const double v = static_cast<double>(x[i]);
    if (v > top || std::isnan(v)) top = v;
    if (v < bottom || std::isnan(v)) bottom = v;
    switch (kind) {
      case rp::kProd: s *= v; break;
      case rp::kL1: s += std::fabs(v); break;
      case rp::kL2:
      case rp::kSumSquare: s += v * v; break;
      default: s += v; break;
    }
  }
  switch (kind) {
    case rp::kMean: return static_cast<T>(s / static_cast<double>(n));
    case rp::kMax: return static_cast<T>(top);
    case rp::kMin: return static_cast<T>(bottom);
    case rp::kL2: return static_cast<T>(std::sqrt(s));
    case rp::kLogSum: return static_cast<T>(std::log(s));
    case rp::kLogSumExp: {
      const double shift = std::isfinite(top) ? top : 0;
      double e = 0;
      for (size_t i = 0; i < n; ++i) e += std::exp(static_cast<double>(x[i]) - shift);
      return static_cast<T>(std::log(e) + shift);
    }
    default: return static_cast<T>(s);
  }
}

int64_t reduce_integers(const NodeInputs& c, rp::Kind kind, DType t, size_t n, const int64_t* x) {
  if (n == 0 && (kind == rp::kMax || kind == rp::kMin)) {  // identity of the type
    if (t == DType::kBool) return kind == rp::kMin;
    const int bits = static_cast<int>(dtype_size(t)) * 8;
    const bool is_signed = t == DType::kInt8 || t == DType::kInt16 || t == DType::kInt32 || t == DType::kInt64;
    if (!is_signed) return kind == rp::kMax ? 0 : -1;
    return kind == rp::kMax ? -(int64_t{1} << (bits - 2)) * 2 : ((int64_t{1} << (bits - 2)) - 1) * 2 + 1;
  }
  uint64_t s = kind == rp::kProd ? 1 : 0;
  int64_t top = n ? x[0] : 0, bottom = top;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t v = static_cast<uint64_t>(x[i]);
    top = std::max(top, x[i]);
    bottom = std::min(bottom, x[i]);
    switch (kind) {
      case rp::kProd: s *= v; break;
      case rp::kL1: s += x[i] < 0 ? 0 - v : v; break;
      case rp::kL2:
      case rp::kSumSquare: s += v * v; break;
      default: s += v; break;
    }
  }
  switch (kind) {
    case rp::kMax: return top;
    case rp::kMin: return bottom;
    case rp::kMean:
      if (n == 0) c.fail("the mean of no elements");
      return static_cast<int64_t>(s) / static_cast<int64_t>(n);
    case rp::kL2: return static_cast<int64_t>(std::sqrt(static_cast<double>(s)));
    case rp::kLogSum:
    case rp::kLogSumExp: c.fail("this reduction is not defined for integers");
    default: return static_cast<int64_t>(s);
  }
}

}  // namespace

Results eval_reduce(const NodeInputs& c) {
  const ReduceAttrs& a = c.node.as<ReduceAttrs>();
  const Tensor& x = c.in(0);
  const std::vector<int64_t> axes = c.has(1) ? c.in(1).to_int64() : a.axes;
  if (axes.empty() && a.noop_with_empty_axes) return {x};
  std::vector<bool> drop(x.dims().size(), axes.empty());
  for (int64_t ax : axes) drop[static_cast<size_t>(c.axis(ax, x.rank()))] = true;
  Dims out, moved, strides, tail, tail_strides;
  const Dims own = row_major_strides(x.dims());
  for (size_t i = 0; i < drop.size(); ++i) {
    (drop[i] ? tail : moved).push_back(x.dims()[i]);
    (drop[i] ? tail_strides : strides).push_back(own[i]);
    if (!drop[i]) out.push_back(x.dims()[i]);
    if (drop[i] && a.keep_dims) out.push_back(1);
  }
  const size_t n = static_cast<size_t>(product(tail)), rows = static_cast<size_t>(product(moved));
  moved.insert(moved.end(), tail.begin(), tail.end());
  strides.insert(strides.end(), tail_strides.begin(), tail_strides.end());
  const Tensor lined = strided_copy(x, moved, strides);
  Tensor r(x.dtype(), out);
  if (x.dtype() == DType::kFloat) {
    for (size_t i = 0; i < rows; ++i) {
      const float* row = lined.as<float>().data() + i * n;
      r.mut<float>()[i] = c.canonical() ? reduce_canonical(a.kind, n, row) : reduce_oracle(a.kind, n, row);
    }
    return {r};
  }
  if (x.dtype() == DType::kDouble) {
    for (size_t i = 0; i < rows; ++i) r.mut<double>()[i] = reduce_oracle(a.kind, n, lined.as<double>().data() + i * n);
    return {r};
  }
  const std::vector<int64_t> v = lined.to_int64();
  std::vector<int64_t> sums(rows);
  for (size_t i = 0; i < rows; ++i) sums[i] = reduce_integers(c, a.kind, x.dtype(), n, v.data() + i * n);
  return {from_int64(x.dtype(), out, sums)};
}

}  // namespace edgeconv
