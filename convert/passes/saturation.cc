// See saturation.h.
#include "convert/passes/saturation.h"

#include "convert/ir/quantized_constant.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace unary = ert::params::unary;
namespace reduce = ert::params::reduce;
using ert::kernels::Unary;

constexpr int kMaxDepth = 24;

// The result has the sign and the kind of input 0.
bool passes_values(OpKind k) { return rearranges(k) || k == OpKind::kDequantizeLinear || k == OpKind::kQuantizeLinear; }

// Results that are never negative whatever their inputs are, or when their own inputs are not.
bool never_negative(const Graph& g, ValueId v, int depth = 0);

bool all_inputs_never_negative(const Graph& g, const Node& n, int depth) {
  for (ValueId v : n.inputs)
    if (v != kNone && !never_negative(g, v, depth + 1)) return false;
  return true;
}

bool binary_never_negative(const Graph& g, const Node& n, int depth) {
  const int kind = n.as<BinaryAttrs>().kind;
  if (kind == binary::kMul && n.in(0) == n.in(1)) return true;
  if (kind == binary::kPow) {
    const auto exponent = scalar_constant(g, n.in(1));
    if (exponent && std::fmod(*exponent, 2.0f) == 0) return true;
  }
  if (kind == binary::kMax) return never_negative(g, n.in(0), depth + 1) || never_negative(g, n.in(1), depth + 1);
  if (kind == binary::kAdd)  // 1 + erf(x), 1 + tanh(x)
    for (size_t i = 0; i < 2; ++i) {
      const auto one = scalar_constant(g, n.in(i));
      if (one && *one >= 1 &&
          (unary_producer(g, n.in(1 - i), static_cast<int>(Unary::kErf)) ||
           unary_producer(g, n.in(1 - i), static_cast<int>(Unary::kTanh))))
        return true;
    }
  const bool keeps_sign =
      kind == binary::kAdd || kind == binary::kMul || kind == binary::kDiv || kind == binary::kPow || kind == binary::kMin;
  return keeps_sign && all_inputs_never_negative(g, n, depth);
}

bool unary_never_negative(const Graph& g, const Node& n, int depth) {
  switch (n.as<UnaryAttrs>().kind) {
    case static_cast<int>(Unary::kRelu):
    case static_cast<int>(Unary::kRelu6):
    case static_cast<int>(Unary::kSigmoid):
    case static_cast<int>(Unary::kExp):
    case unary::kSqrt:
    case unary::kAbs:
    case unary::kSquare: return true;
    default: return n.as<UnaryAttrs>().kind == unary::kReciprocal && never_negative(g, n.in(0), depth + 1);
  }
}

bool never_negative(const Graph& g, ValueId v, int depth) {
  if (v == kNone || depth > kMaxDepth) return false;
  if (g.value(v).constant) {
    if (!is_float(g.value(v).dtype) || g.value(v).constant->elements() > 65536) return false;
    for (float x : g.value(v).constant->to_float())
      if (!(x >= 0)) return false;
    return true;
  }
  const Node* p = g.producer(v);
  if (!p) return false;
  switch (p->kind) {
    case OpKind::kSoftmax: return true;
    case OpKind::kUnary: return unary_never_negative(g, *p, depth);
    case OpKind::kBinary: return binary_never_negative(g, *p, depth);
    case OpKind::kReduce: {
      const auto kind = p->as<ReduceAttrs>().kind;
      return kind == reduce::kL1 || kind == reduce::kL2 || kind == reduce::kSumSquare ||
             (kind <= reduce::kProd && never_negative(g, p->in(0), depth + 1));
    }
    case OpKind::kCast: return g.value(p->in(0)).dtype == DType::kBool || never_negative(g, p->in(0), depth + 1);
    case OpKind::kWhere: return never_negative(g, p->in(1), depth + 1) && never_negative(g, p->in(2), depth + 1);
    default: return passes_values(p->kind) && never_negative(g, p->in(0), depth + 1);
  }
}

// Arithmetic on masks and positions: no Relu was there.
bool from_integers(const Graph& g, ValueId v, int depth = 0) {
  if (v == kNone || g.value(v).constant) return true;
  if (depth > kMaxDepth) return false;
  const Node* p = g.producer(v);
  if (!p) return false;
  if (p->kind == OpKind::kCast && !is_float(g.value(p->in(0)).dtype)) return true;
  switch (p->kind) {
    case OpKind::kBinary:
    case OpKind::kUnary:
    case OpKind::kCast:
      for (ValueId i : p->inputs)
        if (!from_integers(g, i, depth + 1)) return false;
      return true;
    case OpKind::kWhere: return from_integers(g, p->in(1), depth + 1) && from_integers(g, p->in(2), depth + 1);
    default: return passes_values(p->kind) && from_integers(g, p->in(0), depth + 1);
  }
}

// The zero point stands at the lower end of the range, for all elements.
bool saturates_at_zero(const Graph& g, const Node& quantize, const CodeRange& range) {
  const auto low = static_cast<int64_t>(range.low);
  if (quantize.in(2) == kNone) return low == 0;
  if (!g.value(quantize.in(2)).constant) return false;
  for (int64_t z : g.value(quantize.in(2)).constant->to_int64())
    if (z != low) return false;
  return true;
}

// The c of a Clip(0, c), 6 mostly: where calibration reached it the upper end of the range is it but for the rounding of the scale, a number of halves.
// Ends of ranges that nothing clipped are so once in hundreds, and the file saturates there too.
std::optional<float> round_end(const CodeRange& range, std::optional<float> scale) {
  constexpr double kRounding = 1e-4;
  if (!scale) return {};
  const double end = (double{range.high} - range.low) * *scale, halves = std::round(2 * end);
  if (!(halves >= 1 && halves <= 128) || std::fabs(2 * end - halves) > kRounding * halves) return {};
  return static_cast<float>(halves / 2);
}

std::optional<CodeRange> codes_of(const Graph& g, const Node& quantize) {
  return code_range(g.value(quantize.outputs[0]).dtype, quantize.as<QuantAttrs>().bits);
}

}  // namespace

std::optional<DroppedActivation> dropped_activation(const Graph& g, const Node& quantize) {
  const auto range = codes_of(g, quantize);
  if (!range || !saturates_at_zero(g, quantize, *range)) return {};
  if (never_negative(g, quantize.in(0), 0) || from_integers(g, quantize.in(0))) return {};
  return DroppedActivation{round_end(*range, scalar_constant(g, quantize.in(1)))};
}

std::optional<ValueRange> saturation_range(const Graph& g, const Node& quantize) {
  const auto range = codes_of(g, quantize);
  const auto scale = scalar_constant(g, quantize.in(1)), zero = quantize.in(2) == kNone ? std::optional(0.0f) : scalar_constant(g, quantize.in(2));
  if (!range || !scale || !zero || !(*scale > 0) || from_integers(g, quantize.in(0))) return {};
  return ValueRange{(range->low - *zero) * *scale, (range->high - *zero) * *scale};
}

ValueId clipped(Graph& g, ValueId x, const ValueRange& range, const Origin& origin) {
  const DType dtype = g.value(x).dtype;
  const std::optional<Shape> shape = g.value(x).shape;
  const auto add = [&](OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
    x = g.add_node(kind, std::move(inputs), std::move(attrs), origin);
    g.value(x).dtype = dtype;
    g.value(x).shape = shape;
  };
  const auto bound = [&](binary::Kind kind, float end) {
    add(OpKind::kBinary, {x, g.add_constant("clip", dtype == DType::kUndefined ? Tensor::scalar(end) : Tensor::scalar(end).cast(dtype))}, BinaryAttrs{kind});
  };
  const bool six = range.low == 0 && range.high == 6;
  if (range.low == 0)
    add(OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(six ? Unary::kRelu6 : Unary::kRelu), 0});
  else if (std::isfinite(range.low))
    bound(binary::kMax, range.low);
  if (std::isfinite(range.high) && !six) bound(binary::kMin, range.high);
  return x;
}

}  // namespace edgeconv
