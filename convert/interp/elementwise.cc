// Unary functions, Where and Cast.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {
namespace {

namespace up = ert::params::unary;
using KernelUnary = ert::kernels::Unary;

constexpr int kKernelUnaries = static_cast<int>(KernelUnary::kCount);

// The functions of kernels::Unary by libm.
template <class T>
T oracle_function(KernelUnary kind, T x) {
  switch (kind) {
    case KernelUnary::kRelu: return x > 0 ? x : (x <= 0 ? T(0) : x);
    case KernelUnary::kRelu6: return x > 0 ? (x > 6 ? T(6) : x) : (x <= 0 ? T(0) : x);
    case KernelUnary::kGeluErf:
    case KernelUnary::kGeluCoarse: return x * T(0.5) * (T(1) + std::erf(x * T(0.70710678118654752440)));
    case KernelUnary::kGeluTanh:
      return T(0.5) * x * (T(1) + std::tanh(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x)));
    case KernelUnary::kTanh:
    case KernelUnary::kTanhCoarse: return std::tanh(x);
    case KernelUnary::kSigmoid:
    case KernelUnary::kSigmoidCoarse: return T(1) / (T(1) + std::exp(-x));
    case KernelUnary::kSilu: return x / (T(1) + std::exp(-x));
    case KernelUnary::kQuickGelu: return x / (T(1) + std::exp(T(-1.702) * x));
    case KernelUnary::kExp: return std::exp(x);
    case KernelUnary::kErf: return std::erf(x);
    case KernelUnary::kLog: return std::log(x);
    case KernelUnary::kSin: return std::sin(x);
    case KernelUnary::kCos: return std::cos(x);
    case KernelUnary::kSoftplus: return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case KernelUnary::kMish: return x * std::tanh(x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
    case KernelUnary::kHardSwish: return x * std::clamp(x / T(6) + T(0.5), T(0), T(1));
    case KernelUnary::kHardSigmoid: return std::clamp(x * T(0.2) + T(0.5), T(0), T(1));
    case KernelUnary::kElu: return x > 0 ? x : std::expm1(x);
    case KernelUnary::kSelu: return T(1.05070102214813232421875) * (x > 0 ? x : T(1.67326319217681884765625) * std::expm1(x));
    case KernelUnary::kCount: break;
  }
  return x;
}

// The kinds of params::unary, exact in fp32 but for Elu and Celu, whose exponential comes from `exp_minus_1`.
template <class T, class Expm1>
T exact_function(int kind, T alpha, T x, Expm1 exp_minus_1) {
  switch (kind) {
    case up::kNeg: return -x;
    case up::kAbs: return std::fabs(x);
    case up::kSqrt: return std::sqrt(x);
    case up::kReciprocal: return T(1) / x;
    case up::kFloor: return std::floor(x);
    case up::kCeil: return std::ceil(x);
    case up::kRound: return std::nearbyint(x);
    case up::kSign: return x > 0 ? T(1) : (x < 0 ? T(-1) : x);
    case up::kLeakyRelu: return x < 0 ? alpha * x : x;
    case up::kSquare: return x * x;
    case up::kElu: return x < 0 ? alpha * exp_minus_1(x) : x;
    case up::kCelu: return std::max(T(0), x) + std::min(T(0), alpha * exp_minus_1(x / alpha));
    default: return x;
  }
}

int64_t integer_function(const NodeInputs& c, int kind, int64_t x) {
  switch (kind) {
    case up::kNeg: return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
    case up::kAbs: return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
    case up::kSign: return (x > 0) - (x < 0);
    case up::kSquare: return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x));
    case up::kFloor:
    case up::kCeil:
    case up::kRound: return x;
    case static_cast<int>(KernelUnary::kRelu): return std::max<int64_t>(x, 0);
    default: c.fail("this function is not defined for integers");
  }
}

Tensor test_floats(const Tensor& x, int kind) {
  Tensor out(DType::kBool, x.dims());
  auto d = out.mut<uint8_t>();
  const std::vector<float> v = x.to_float();
  for (size_t i = 0; i < v.size(); ++i) d[i] = kind == up::kIsNaN ? std::isnan(v[i]) : std::isinf(v[i]);
  return out;
}

}  // namespace

float apply_unary_one(Backend backend, int kind, float alpha, float x) {
  if (kind < kKernelUnaries) {
    return backend == Backend::kCanonical ? ert::kernels::scalar_unary(static_cast<KernelUnary>(kind), x)
                                          : oracle_function(static_cast<KernelUnary>(kind), x);
  }
  if (backend == Backend::kOracle) return exact_function(kind, alpha, x, [](float v) { return std::expm1(v); });
  return exact_function(kind, alpha, x, [](float v) { return ert::kernels::scalar_unary(KernelUnary::kElu, std::min(v, 0.0f)); });
}

void apply_unary(Backend backend, int kind, float alpha, size_t n, const float* src, float* dst) {
  if (kind < kKernelUnaries && backend == Backend::kCanonical) return canonical_kernels().unary[kind](n, src, dst);
  if (kind == static_cast<int>(KernelUnary::kRelu)) {  // as many networks have it behind every layer
    for (size_t i = 0; i < n; ++i) dst[i] = oracle_function(KernelUnary::kRelu, src[i]);
    return;
  }
  for (size_t i = 0; i < n; ++i) dst[i] = apply_unary_one(backend, kind, alpha, src[i]);
}

bool unary_may_overwrite(const Node& n, const Tensor& x) {
  const int kind = n.as<UnaryAttrs>().kind;
  return x.dtype() == DType::kFloat && kind != up::kIsNaN && kind != up::kIsInf && kind != up::kNot;
}

Tensor unary_over(const Node& n, Tensor x, Backend backend) {
  const UnaryAttrs& a = n.as<UnaryAttrs>();
  const std::span<float> d = x.mut<float>();
  apply_unary(backend, a.kind, a.alpha, d.size(), d.data(), d.data());
  return x;
}

float exp_of(Backend backend, float x) { return apply_unary_one(backend, static_cast<int>(KernelUnary::kExp), 0, x); }

Results eval_unary(const NodeInputs& c) {
  const UnaryAttrs& a = c.node.as<UnaryAttrs>();
  const Tensor& x = c.in(0);
  if (a.kind == up::kIsNaN || a.kind == up::kIsInf) return {test_floats(x, a.kind)};
  if (a.kind == up::kNot) {
    Tensor out(DType::kBool, x.dims());
    auto d = out.mut<uint8_t>();
    const std::vector<int64_t> v = x.to_int64();
    for (size_t i = 0; i < v.size(); ++i) d[i] = v[i] == 0;
    return {out};
  }
  if (x.dtype() == DType::kFloat) {
    Tensor out(DType::kFloat, x.dims());
    apply_unary(c.backend, a.kind, a.alpha, static_cast<size_t>(x.elements()), x.as<float>().data(), out.mut<float>().data());
    return {out};
  }
  if (x.dtype() == DType::kDouble) {
    Tensor out(DType::kDouble, x.dims());
    auto d = out.mut<double>();
    const auto s = x.as<double>();
    // Folded constants must not depend on libm: the canonical functions are fp32.
    const bool kernel_kind = a.kind < kKernelUnaries,
               narrow = c.canonical() && (kernel_kind || a.kind == up::kElu || a.kind == up::kCelu);
    for (size_t i = 0; i < s.size(); ++i) {
      if (narrow) {
        d[i] = apply_unary_one(c.backend, a.kind, a.alpha, static_cast<float>(s[i]));
      } else if (kernel_kind) {
        d[i] = oracle_function(static_cast<KernelUnary>(a.kind), s[i]);
      } else {
        d[i] = exact_function(a.kind, static_cast<double>(a.alpha), s[i], [](double v) { return std::expm1(v); });
      }
    }
    return {out};
  }
  std::vector<int64_t> v = x.to_int64();
  for (int64_t& e : v) e = integer_function(c, a.kind, e);
  return {from_int64(x.dtype(), x.dims(), v)};
}

Tensor from_int64(DType t, const std::vector<int64_t>& dims, const std::vector<int64_t>& v) {
  Tensor out(t, dims);
  uint8_t* p = out.mutable_data();
  const size_t bytes = dtype_size(t);
  if (t == DType::kBool) {
    for (size_t i = 0; i < v.size(); ++i) p[i] = v[i] != 0;
    return out;
  }
  for (size_t i = 0; i < v.size(); ++i) std::memcpy(p + i * bytes, &v[i], bytes);  // little-endian: keeps the low bytes
  return out;
}

Results eval_where(const NodeInputs& c) {
  Tensor a = c.in(1), b = c.in(2);
  if (a.dtype() != b.dtype()) {
    if (!is_float(a.dtype()) || !is_float(b.dtype())) c.fail("the two values have different types");
    const DType wider = dtype_size(b.dtype()) > dtype_size(a.dtype()) ? b.dtype() : a.dtype();
    a = a.cast(wider), b = b.cast(wider);
  }
  const auto ab = broadcast_dims(a.dims(), b.dims());
  const auto dims = ab ? broadcast_dims(c.in(0).dims(), *ab) : std::nullopt;
  if (!dims) c.fail("shapes do not broadcast");
  Tensor out = strided_copy(b, *dims, broadcast_strides(b.dims(), *dims));
  const size_t bytes = dtype_size(out.dtype());
  uint8_t* d = out.mutable_data();
  const uint8_t* yes = a.data();
  const uint8_t* condition = c.in(0).data();
  if (c.in(0).dtype() != DType::kBool) c.fail("the condition is not bool");
  for_each_pair(*dims, broadcast_strides(c.in(0).dims(), *dims), broadcast_strides(a.dims(), *dims),
                [&](int64_t at, int64_t from) {
                  if (condition[at]) std::memcpy(d, yes + from * static_cast<int64_t>(bytes), bytes);
                  d += bytes;
                });
  return {out};
}

Results eval_cast(const NodeInputs& c) {
  const DType to = c.node.as<CastAttrs>().to;
  if (to == DType::kString || c.in(0).dtype() == DType::kString) c.fail("strings are not supported");
  return {c.in(0).cast(to)};
}

}  // namespace edgeconv
