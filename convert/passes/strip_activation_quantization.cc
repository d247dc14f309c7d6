// DequantizeLinear of QuantizeLinear with the same scale is its input again: activations are fp32 here, and a Linear chooses
// the range of each row itself. One thing that a quantization may do besides rounding is kept: ONNX Runtime's quantizer drops a
// Relu or Clip(0, c) whose result it quantizes with the zero point at the lower end, because saturation does the same.
#include "convert/ir/quantized_constant.h"
#include "convert/passes/quantized_source.h"

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

bool saturates_at_zero(const Graph& g, const Node& quantize) {
  const auto range = code_range(g.value(quantize.outputs[0]).dtype, quantize.as<QuantAttrs>().bits);
  if (!range) return false;
  const auto low = static_cast<int64_t>(range->low);
  if (quantize.in(2) == kNone) return low == 0;
  if (!g.value(quantize.in(2)).constant) return false;
  for (int64_t z : g.value(quantize.in(2)).constant->to_int64())
    if (z != low) return false;
  return true;
}

// The c of a Clip(0, c), 6 mostly: where calibration reached it the upper end of the range is it but for the rounding of the scale, a number of halves.
// Ends of ranges that nothing clipped are so once in hundreds, and the file saturates there too.
std::optional<float> clipped_at(const Graph& g, const Node& quantize) {
  constexpr double kRounding = 1e-4;
  const auto scale = scalar_constant(g, quantize.in(1));
  const auto range = code_range(g.value(quantize.outputs[0]).dtype, quantize.as<QuantAttrs>().bits);
  if (!scale || !range) return {};
  const double end = (double{range->high} - range->low) * *scale, halves = std::round(2 * end);
  if (!(halves >= 1 && halves <= 128) || std::fabs(2 * end - halves) > kRounding * halves) return {};
  return static_cast<float>(halves / 2);
}

// x as it was in front of the quantization, with the activation that the quantization replaced.
ValueId with_saturation(Graph& g, const Node& quantize, ValueId x) {
  const Value before = g.value(x);
  const auto add = [&](OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
    const ValueId v = g.add_node(kind, std::move(inputs), std::move(attrs), quantize.origin);
    g.value(v).dtype = before.dtype;
    g.value(v).shape = before.shape;
    return v;
  };
  const auto clipped = clipped_at(g, quantize);
  const bool six = clipped && *clipped == 6;
  const ValueId y = add(OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(six ? Unary::kRelu6 : Unary::kRelu), 0});
  if (!clipped || six) return y;
  return add(OpKind::kBinary, {y, g.add_constant("clip", Tensor::scalar(*clipped))}, BinaryAttrs{binary::kMin});
}

bool strip(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto scale = scalar_constant(g, n.in(1));
  const auto source = quantized_source(g, n.in(0), scale && *scale > 0);
  if (!source) return false;
  if (const Node* q = producer_of_kind(g, source->base, OpKind::kDynamicQuantizeLinear)) {
    if (q->outputs[1] != n.in(1) || q->outputs[2] != n.in(2)) return false;
    redefine(g, n.outputs[0], OpKind::kIdentity, {repeat_movement(g, *source, q->in(0))}, {}, n.origin);
    return true;
  }
  const Node* q = producer_of_kind(g, source->base, OpKind::kQuantizeLinear);
  if (!q || !same_value(g, q->in(1), n.in(1)) || !same_value(g, q->in(2), n.in(2))) return false;
  const bool per_tensor = g.value(n.in(1)).constant && g.value(n.in(1)).constant->elements() == 1;
  if (!per_tensor && !source->movement.empty()) return false;
  ValueId x = q->in(0);
  if (saturates_at_zero(g, *q) && !never_negative(g, x) && !from_integers(g, x)) {
    const Node quantize = *q;  // adding nodes moves it
    x = with_saturation(g, quantize, x);
  }
  redefine(g, n.outputs[0], OpKind::kIdentity, {repeat_movement(g, *source, x)}, {}, n.origin);
  return true;
}

}  // namespace

int pass_strip_activation_quantization(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kDequantizeLinear, [&](NodeId id) { return strip(g, id); });
}

}  // namespace edgeconv
