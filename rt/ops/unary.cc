// Unary: elementwise functions of one operand. Transcendental ones are kernels; the rest is exact fp32, i32 or bool.
#include "kernels_int8/ref/square_root.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace unary_op {

using namespace ops;
namespace un = params::unary;

constexpr int64_t kChunk = 64;  // values of an exponential held on the stack

bool is_kernel(int32_t kind) { return kind >= 0 && kind < static_cast<int32_t>(kernels::Unary::kCount); }
bool takes_alpha(int32_t kind) { return kind == un::kLeakyRelu || kind == un::kElu || kind == un::kCelu; }

// dtype of the output for this input, 0 if the kind does not take it.
uint8_t result_dtype(int32_t kind, uint8_t in) {
  switch (kind) {
    case un::kNeg:
    case un::kAbs:
    case un::kSign:
    case un::kSquare: return in == ERT_F32 || in == ERT_I32 ? in : 0;
    case un::kNot: return in == ERT_BOOL ? ERT_BOOL : 0;
    case un::kIsNaN:
    case un::kIsInf: return in == ERT_F32 ? ERT_BOOL : 0;
    case un::kSqrt:
    case un::kReciprocal:
    case un::kFloor:
    case un::kCeil:
    case un::kRound:
    case un::kLeakyRelu:
    case un::kElu:
    case un::kCelu: return in == ERT_F32 ? ERT_F32 : 0;
    default: return is_kernel(kind) && in == ERT_F32 ? ERT_F32 : 0;
  }
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {un::kIntCount, un::kIntCount}, {0, un::kFloatCount})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  const int32_t kind = c.ints[un::kKind];
  const uint8_t dtype = result_dtype(kind, x.dtype);
  if (dtype == 0 || out.dtype != dtype || !same_shape(x, out)) return false;
  if (takes_alpha(kind) && (c.n_floats != un::kFloatCount || !is_finite(c.floats[un::kAlpha]))) return false;
  return kind != un::kCelu || c.floats[un::kAlpha] != 0.0f;
}

template <class Src, class Dst, class F>
void each(int64_t n, const Src* x, Dst* y, const F& f) {
  for (int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

// Elu: alpha * (exp(x) - 1) below zero. Celu: min(0, alpha * (exp(x / alpha) - 1)) + max(0, x).
void exponential_unit(const kernels::KernelTable& t, bool celu, float alpha, int64_t n, const float* x, float* y) {
  float e[kChunk];
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t count = n - first < kChunk ? n - first : kChunk;
    for (int64_t i = 0; i < count; ++i) e[i] = celu ? over(x[first + i], alpha) : x[first + i];
    t.unary[static_cast<int>(kernels::Unary::kExp)](static_cast<size_t>(count), e, e);
    for (int64_t i = 0; i < count; ++i) {
      const float v = x[first + i], bent = times(alpha, minus(e[i], 1.0f));
      if (celu) {
        y[first + i] = plus(less(0.0f, v) ? v : 0.0f, less(bent, 0.0f) ? bent : 0.0f);
      } else {
        y[first + i] = less(v, 0.0f) ? bent : v;
      }
    }
  }
}

void float_kind(const OpContext& c, int32_t kind, int64_t n, const float* x, float* y) {
  const float alpha = takes_alpha(kind) ? c.floats[un::kAlpha] : 0.0f;
  switch (kind) {
    case un::kNeg: return each(n, x, y, [](float v) { return -v; });
    case un::kAbs: return each(n, x, y, [](float v) { return abs_of(v); });
    case un::kSqrt: return each(n, x, y, [](float v) { return kernels::square_root(to_float(F32(v))); });
    case un::kReciprocal: return each(n, x, y, [](float v) { return over(1.0f, v); });
    case un::kFloor: return each(n, x, y, [](float v) { return floor_of(v); });
    case un::kCeil: return each(n, x, y, [](float v) { return ceil_of(v); });
    case un::kRound: return each(n, x, y, [](float v) { return round_even(v); });
    case un::kSign: return each(n, x, y, [](float v) { return less(0.0f, v) ? 1.0f : less(v, 0.0f) ? -1.0f : v; });
    case un::kSquare: return each(n, x, y, [](float v) { return times(v, v); });
    case un::kLeakyRelu:
      if (kFastForms && c.kernels->leaky_relu != nullptr) return c.kernels->leaky_relu(static_cast<size_t>(n), alpha, -__builtin_inff(), x, y);
      return each(n, x, y, [alpha](float v) { return leaky(v, alpha); });
    default: return exponential_unit(*c.kernels, kind == un::kCelu, alpha, n, x, y);
  }
}

void int_kind(int32_t kind, int64_t n, const int32_t* x, int32_t* y) {
  switch (kind) {
    case un::kNeg: return each(n, x, y, [](int32_t v) { return wrap_sub(0, v); });
    case un::kAbs: return each(n, x, y, [](int32_t v) { return v < 0 ? wrap_sub(0, v) : v; });
    case un::kSign: return each(n, x, y, [](int32_t v) { return (v > 0) - (v < 0); });
    default: return each(n, x, y, [](int32_t v) { return wrap_mul(v, v); });
  }
}

uint8_t nan_of(float v) { return is_nan(v); }
uint8_t inf_of(float v) { return (bits_of(v) & 0x7fffffffu) == 0x7f800000u; }

// Elements [begin, begin + n).
void apply(const OpContext& c, int64_t begin, int64_t n) {
  const Operand &x = input(c, 0), &out = output(c, 0);
  const int32_t kind = c.ints[un::kKind];
  if (is_kernel(kind)) {
    c.kernels->unary[kind](static_cast<size_t>(n), x.as<float>() + begin, out.mut<float>() + begin);
  } else if (is_bool(x)) {
    each(n, x.as<uint8_t>() + begin, out.mut<uint8_t>() + begin, [](uint8_t v) { return static_cast<uint8_t>(v == 0); });
  } else if (is_bool(out)) {
    each(n, x.as<float>() + begin, out.mut<uint8_t>() + begin, kind == un::kIsNaN ? nan_of : inf_of);
  } else if (is_i32(x)) {
    int_kind(kind, n, x.as<int32_t>() + begin, out.mut<int32_t>() + begin);
  } else {
    float_kind(c, kind, n, x.as<float>() + begin, out.mut<float>() + begin);
  }
}

ert_status run(const OpContext& c) {
  for_blocks(c, input(c, 0).elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) { apply(c, begin, end - begin); });
  return ERT_OK;
}

}  // namespace unary_op
}  // namespace

const OpDef kOpUnary = {"Unary", unary_op::prepare, unary_op::run, nullptr, 1};

}  // namespace ert
