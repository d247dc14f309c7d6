// Binary functions with numpy broadcast, in float, double and integers.
#include <cmath>
#include <type_traits>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "kernels_int8/ref/scalar_pow.h"

namespace edgeconv {
namespace {

namespace bp = ert::params::binary;

template <class T, class R, class F>
void apply(const Dims& dims, const Tensor& a, const Tensor& b, R* out, F f) {
  const T* pa = reinterpret_cast<const T*>(a.data());
  const T* pb = reinterpret_cast<const T*>(b.data());
  // Strides that a compiler knows make vectors of the loop, and so does a result that stands where an operand is, if it knows that, too.
  const auto run = [&](const T* x, const T* y, int64_t count, auto sx, auto sy) {
    if constexpr (std::is_same_v<T, R>) {
      if (x == out) {
        for (int64_t e = 0; e < count; ++e) out[e] = f(out[e], y[e * sy]);
        return;
      }
      if (y == out) {
        for (int64_t e = 0; e < count; ++e) out[e] = f(x[e * sx], out[e]);
        return;
      }
    }
    for (int64_t e = 0; e < count; ++e) out[e] = f(x[e * sx], y[e * sy]);
  };
  using One = std::integral_constant<int64_t, 1>;
  using None = std::integral_constant<int64_t, 0>;
  for_each_run(dims, broadcast_strides(a.dims(), dims), broadcast_strides(b.dims(), dims),
               [&](int64_t i, int64_t k, int64_t count, int64_t sa, int64_t sb) {
                 if (sa == 1 && sb == 1)
                   run(pa + i, pb + k, count, One(), One());
                 else if (sa == 1 && sb == 0)
                   run(pa + i, pb + k, count, One(), None());
                 else if (sa == 0 && sb == 1)
                   run(pa + i, pb + k, count, None(), One());
                 else
                   run(pa + i, pb + k, count, sa, sb);
                 out += count;
               });
}

template <class T>
T float_pow(bool canonical, T x, T y) {
  return canonical ? static_cast<T>(ert::kernels::scalar_pow(static_cast<float>(x), static_cast<float>(y)))
                   : static_cast<T>(std::pow(x, y));
}

template <class T>
bool float_arithmetic(bool canonical, bp::Kind kind, const Dims& dims, const Tensor& a, const Tensor& b, T* out) {
  switch (kind) {
    case bp::kAdd: apply<T>(dims, a, b, out, [](T x, T y) { return x + y; }); return true;
    case bp::kSub: apply<T>(dims, a, b, out, [](T x, T y) { return x - y; }); return true;
    case bp::kMul: apply<T>(dims, a, b, out, [](T x, T y) { return x * y; }); return true;
    case bp::kDiv: apply<T>(dims, a, b, out, [](T x, T y) { return x / y; }); return true;
    case bp::kPow: apply<T>(dims, a, b, out, [canonical](T x, T y) { return float_pow(canonical, x, y); }); return true;
    // Not-a-number wins, as in numpy.
    case bp::kMin:
      apply<T>(dims, a, b, out, [](T x, T y) { return std::isnan(x) ? x : (std::isnan(y) || y < x ? y : x); });
      return true;
    case bp::kMax:
      apply<T>(dims, a, b, out, [](T x, T y) { return std::isnan(x) ? x : (std::isnan(y) || y > x ? y : x); });
      return true;
    case bp::kFmod: apply<T>(dims, a, b, out, [](T x, T y) { return std::fmod(x, y); }); return true;
    case bp::kMod:
      apply<T>(dims, a, b, out, [](T x, T y) {
        const T r = std::fmod(x, y);
        return r != 0 && (r < 0) != (y < 0) ? r + y : r;
      });
      return true;
    case bp::kPRelu: apply<T>(dims, a, b, out, [](T x, T slope) { return x < 0 ? slope * x : x; }); return true;
    default: return false;
  }
}

template <class T>
bool compare(bp::Kind kind, const Dims& dims, const Tensor& a, const Tensor& b, uint8_t* out) {
  switch (kind) {
    case bp::kEqual: apply<T>(dims, a, b, out, [](T x, T y) { return x == y; }); return true;
    case bp::kLess: apply<T>(dims, a, b, out, [](T x, T y) { return x < y; }); return true;
    case bp::kLessOrEqual: apply<T>(dims, a, b, out, [](T x, T y) { return x <= y; }); return true;
    case bp::kGreater: apply<T>(dims, a, b, out, [](T x, T y) { return x > y; }); return true;
    case bp::kGreaterOrEqual: apply<T>(dims, a, b, out, [](T x, T y) { return x >= y; }); return true;
    default: return false;
  }
}

int64_t wrap_pow(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : (x == -1 ? (y % 2 ? -1 : 1) : 0);
  uint64_t r = 1, base = static_cast<uint64_t>(x);
  for (; y > 0; y >>= 1, base *= base) {
    if (y & 1) r *= base;
  }
  return static_cast<int64_t>(r);
}

int64_t integer_arithmetic(const NodeInputs& c, bp::Kind kind, int64_t x, int64_t y) {
  const uint64_t ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  switch (kind) {
    case bp::kAdd: return static_cast<int64_t>(ux + uy);
    case bp::kSub: return static_cast<int64_t>(ux - uy);
    case bp::kMul: return static_cast<int64_t>(ux * uy);
    case bp::kDiv:
      if (y == 0) c.fail("integer division by zero");
      return y == -1 ? static_cast<int64_t>(0 - ux) : x / y;
    case bp::kMod:
    case bp::kFmod: {
      if (y == 0) c.fail("integer division by zero");
      if (y == -1) return 0;
      const int64_t r = x % y;
      return kind == bp::kMod && r != 0 && (r < 0) != (y < 0) ? r + y : r;
    }
    case bp::kPow: return wrap_pow(x, y);
    case bp::kMin: return x < y ? x : y;
    case bp::kMax: return x > y ? x : y;
    case bp::kAnd: return x & y;
    case bp::kOr: return x | y;
    case bp::kXor: return x ^ y;
    case bp::kPRelu: return x < 0 ? static_cast<int64_t>(ux * uy) : x;
    default: c.fail("this function is not defined for integers");
  }
}

bool is_compare(bp::Kind kind) {
  return kind == bp::kEqual || kind == bp::kLess || kind == bp::kLessOrEqual || kind == bp::kGreater ||
         kind == bp::kGreaterOrEqual;
}

// Whether float_arithmetic has it.
bool is_of_floats(bp::Kind kind) {
  return !is_compare(kind) && kind != bp::kAnd && kind != bp::kOr && kind != bp::kXor;
}

Tensor int64_of(const Tensor& t) { return Tensor::ints(t.to_int64()).reshaped(t.dims()); }

// Common type of the operands: that of the first, or fp32 for files with mixed widths. The exponent of Pow may be of any type.
DType common_type(const NodeInputs& c, bp::Kind kind, const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return a.dtype();
  if (kind == bp::kPow) return is_float(a.dtype()) ? a.dtype() : (is_float(b.dtype()) ? DType::kDouble : a.dtype());
  if (is_float(a.dtype()) && is_float(b.dtype()))
    return a.dtype() == DType::kDouble || b.dtype() == DType::kDouble ? DType::kDouble : DType::kFloat;
  c.fail("operands of different types");
}

}  // namespace

Results eval_binary(const NodeInputs& c) {
  const bp::Kind kind = c.node.as<BinaryAttrs>().kind;
  const auto dims = broadcast_dims(c.in(0).dims(), c.in(1).dims());
  if (!dims) c.fail("shapes do not broadcast");
  const DType t = common_type(c, kind, c.in(0), c.in(1));
  const Tensor a = c.in(0).cast(t), b = c.in(1).cast(t);
  if (is_compare(kind)) {
    Tensor out(DType::kBool, *dims);
    uint8_t* d = out.mut<uint8_t>().data();
    if (t == DType::kFloat) {
      compare<float>(kind, *dims, a, b, d);
    } else if (t == DType::kDouble) {
      compare<double>(kind, *dims, a, b, d);
    } else if (t == DType::kUint64) {
      compare<uint64_t>(kind, *dims, a, b, d);
    } else {
      compare<int64_t>(kind, *dims, int64_of(a), int64_of(b), d);
    }
    return {out};
  }
  if (is_float(t)) {
    Tensor out(t, *dims);
    const bool ok = t == DType::kFloat ? float_arithmetic<float>(c.canonical(), kind, *dims, a, b, out.mut<float>().data())
                                       : float_arithmetic<double>(c.canonical(), kind, *dims, a, b, out.mut<double>().data());
    if (!ok) c.fail("this function is not defined for floats");
    return {out.dtype() == c.in(0).dtype() || kind != bp::kPow ? out : out.cast(c.in(0).dtype())};
  }
  std::vector<int64_t> r(static_cast<size_t>(product(*dims)));
  apply<int64_t>(*dims, int64_of(a), int64_of(b), r.data(),
                 [&](int64_t x, int64_t y) { return integer_arithmetic(c, kind, x, y); });
  return {from_int64(t, *dims, r)};
}

bool binary_may_overwrite(const Node& n, const std::vector<const Tensor*>& in, size_t over) {
  const bp::Kind kind = n.as<BinaryAttrs>().kind;
  if (in[0]->dtype() != DType::kFloat || in[1]->dtype() != DType::kFloat || !is_of_floats(kind)) return false;
  const auto dims = broadcast_dims(in[0]->dims(), in[1]->dims());
  return dims && *dims == in[over]->dims();
}

Tensor binary_over(const Node& n, Tensor x, size_t over, const Tensor& other, Backend backend) {
  const std::span<float> d = x.mut<float>();
  const Tensor y = other.aligned();
  float_arithmetic(backend == Backend::kCanonical, n.as<BinaryAttrs>().kind, x.dims(), over == 0 ? x : y, over == 0 ? y : x, d.data());
  return x;
}

}  // namespace edgeconv
