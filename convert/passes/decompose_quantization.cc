// Quantization that belongs to no pattern is written with elementwise operators, which the runtime has: a tensor that leaves the
// model quantized, an integer product on its own.
#include "convert/ir/axis.h"
#include "convert/ir/quantized_constant.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;
namespace unary = ert::params::unary;

// Sums of products of 8-bit integers are exact in fp32 up to this many terms.
constexpr int64_t kMaxExactTerms = (1 << 24) / (255 * 255);

// New nodes with the origin of the node that they replace; inference fills their shapes in.
struct QuantizationWriter {
  Graph& g;
  Origin origin;
  ValueId binary(binary::Kind kind, ValueId a, ValueId b) {
    return g.add_node(OpKind::kBinary, {a, b}, BinaryAttrs{kind}, origin);
  }
  ValueId unary(int kind, ValueId x) { return g.add_node(OpKind::kUnary, {x}, UnaryAttrs{kind, 0}, origin); }
  ValueId cast(ValueId x, DType to) { return g.add_node(OpKind::kCast, {x}, CastAttrs{to}, origin); }
  ValueId scalar(float v) { return g.add_constant(origin.node + "/const", Tensor::scalar(v)); }
  ValueId all(reduce::Kind kind, ValueId x) {
    return g.add_node(OpKind::kReduce, {x}, ReduceAttrs{kind, {}, false, false}, origin);
  }
};

// Scales of blocks along an axis of fixed size, one for each element: every one is repeated, the last as often as elements are left.
std::optional<ValueId> of_blocks(QuantizationWriter& w, ValueId v, const QuantAttrs& a, const Shape& x) {
  const size_t axis = axis_index(a.axis, x.size());
  const Value value = w.g.value(v);
  if (!value.shape || value.shape->size() != x.size() || axis >= x.size()) return {};
  const auto blocks = (*value.shape)[axis].constant(), size = x[axis].constant();
  if (!blocks || !size || *blocks * a.block < *size || (*blocks - 1) * a.block >= *size) return {};
  Shape wide = *value.shape, all = *value.shape;
  wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(axis) + 1, a.block);
  all[axis] = *blocks * a.block;
  const auto ints = [&](std::vector<int64_t> n) { return w.g.add_constant(w.origin.node + "/block", Tensor::ints(n)); };
  ValueId s = value.dtype == DType::kFloat ? v : w.cast(v, DType::kFloat);
  s = w.g.add_node(OpKind::kUnsqueeze, {s, ints({static_cast<int64_t>(axis) + 1})}, AxesAttrs{{static_cast<int64_t>(axis) + 1}},
                   w.origin);
  s = w.g.add_node(OpKind::kExpand, {s, shape_operand(w.g, w.origin.node, wide)}, {}, w.origin);
  s = w.g.add_node(OpKind::kReshape, {s, shape_operand(w.g, w.origin.node, all)}, ReshapeAttrs{}, w.origin);
  if (all[axis] == x[axis]) return s;
  return w.g.add_node(OpKind::kSlice, {s, ints({0}), ints({*size}), ints({static_cast<int64_t>(axis)})}, {}, w.origin);
}

// A scale or zero point as fp32 that broadcasts along `axis` of a tensor of this rank.
std::optional<ValueId> along_axis(QuantizationWriter& w, ValueId v, int64_t axis, int rank) {
  const Value& value = w.g.value(v);
  if (!value.shape) return {};
  if (value.rank() == 0) return value.dtype == DType::kFloat ? v : w.cast(v, DType::kFloat);
  if (!value.constant || value.rank() != 1) return {};
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  const Tensor t = value.constant->cast(DType::kFloat);
  if (t.elements() != 1)
    dims.at(axis_index(axis, dims.size())) = t.elements();
  else
    dims.clear();
  return w.g.add_constant(value.name + "/broadcast", t.reshaped(dims));
}

bool quantize(Graph& g, const Node& n) {
  const int rank = g.value(n.in(0)).rank();
  const auto& a = n.as<QuantAttrs>();
  const auto range = code_range(g.value(n.outputs[0]).dtype, a.bits);
  if (rank < 0 || !range) return false;
  QuantizationWriter w{g, n.origin};
  const Shape x = *g.value(n.in(0)).shape;
  const auto part = [&](ValueId v) { return a.block > 0 ? of_blocks(w, v, a, x) : along_axis(w, v, a.axis, rank); };
  const auto scale = part(n.in(1));
  const auto zero = n.in(2) == kNone ? std::optional(w.scalar(0)) : part(n.in(2));
  if (!scale || !zero) return false;
  const ValueId code = w.binary(binary::kAdd, w.unary(unary::kRound, w.binary(binary::kDiv, n.in(0), *scale)), *zero);
  const ValueId clipped = w.binary(binary::kMin, w.binary(binary::kMax, code, w.scalar(range->low)), w.scalar(range->high));
  redefine(g, n.outputs[0], OpKind::kCast, {clipped}, CastAttrs{g.value(n.outputs[0]).dtype}, n.origin);
  return true;
}

bool dequantize(Graph& g, const Node& n) {
  const int rank = g.value(n.in(0)).rank();
  const auto& a = n.as<QuantAttrs>();
  if (rank < 0 || g.value(n.in(0)).constant) return false;  // constants: fold_dequantize
  QuantizationWriter w{g, n.origin};
  const Shape shape = *g.value(n.in(0)).shape;
  const auto part = [&](ValueId v) { return a.block > 0 ? of_blocks(w, v, a, shape) : along_axis(w, v, a.axis, rank); };
  const auto scale = part(n.in(1));
  const auto zero = n.in(2) == kNone ? std::optional<ValueId>(kNone) : part(n.in(2));
  if (!scale || !zero) return false;
  ValueId x = w.cast(n.in(0), DType::kFloat);
  if (*zero != kNone) x = w.binary(binary::kSub, x, *zero);
  redefine(g, n.outputs[0], OpKind::kBinary, {x, *scale}, BinaryAttrs{binary::kMul}, n.origin);
  return true;
}

bool quantize_dynamically(Graph& g, const Node& n) {
  if (g.value(n.in(0)).rank() < 0) return false;
  QuantizationWriter w{g, n.origin};
  const ValueId none = w.scalar(0), full = w.scalar(255);
  const ValueId low = w.binary(binary::kMin, w.all(reduce::kMin, n.in(0)), none),
                high = w.binary(binary::kMax, w.all(reduce::kMax, n.in(0)), none);
  const ValueId scale = w.binary(binary::kDiv, w.binary(binary::kSub, high, low), full);
  // All zero: any divisor gives the same codes.
  const ValueId empty = w.binary(binary::kEqual, scale, none);
  const ValueId divisor = g.add_node(OpKind::kWhere, {empty, w.scalar(1), scale}, {}, n.origin);
  const ValueId minus_low = w.binary(binary::kSub, none, low);
  const ValueId zero = w.unary(unary::kRound, w.binary(binary::kMin, w.binary(binary::kDiv, minus_low, divisor), full));
  const ValueId code = w.binary(binary::kAdd, w.unary(unary::kRound, w.binary(binary::kDiv, n.in(0), divisor)), zero);
  const ValueId clipped = w.binary(binary::kMin, w.binary(binary::kMax, code, none), full);
  const std::vector<ValueId> outputs = n.outputs;
  if (outputs[0] != kNone) redefine(g, outputs[0], OpKind::kCast, {clipped}, CastAttrs{DType::kUint8}, n.origin);
  if (outputs.size() > 1 && outputs[1] != kNone) redefine(g, outputs[1], OpKind::kIdentity, {scale}, {}, n.origin);
  if (outputs.size() > 2 && outputs[2] != kNone)
    redefine(g, outputs[2], OpKind::kCast, {zero}, CastAttrs{DType::kUint8}, n.origin);
  return true;
}

bool multiply(Graph& g, const Node& n) {
  const Value &a = g.value(n.in(0)), &b = g.value(n.in(1));
  if (a.rank() < 1 || b.rank() < 1) return false;
  const auto terms = a.shape->back().constant();
  if (!terms || *terms > kMaxExactTerms) return false;
  QuantizationWriter w{g, n.origin};
  const int ranks[2] = {a.rank(), b.rank()};
  ValueId side[2];
  for (size_t i = 0; i < 2; ++i) {
    side[i] = w.cast(n.in(i), DType::kFloat);
    if (n.in(i + 2) == kNone) continue;
    const auto zero = along_axis(w, n.in(i + 2), i == 0 ? -2 : -1, ranks[i]);
    if (!zero) return false;
    side[i] = w.binary(binary::kSub, side[i], *zero);
  }
  const ValueId product = g.add_node(OpKind::kMatMul, {side[0], side[1]}, {}, n.origin);
  redefine(g, n.outputs[0], OpKind::kCast, {product}, CastAttrs{DType::kInt32}, n.origin);
  return true;
}

bool convolve(Graph& g, const Node& n) {
  const Value &x = g.value(n.in(0)), &w = g.value(n.in(1));
  if (!x.shape || !w.constant || w.rank() < 3 || w.constant->dims()[0] == 0) return false;
  if (w.constant->elements() / w.constant->dims()[0] > kMaxExactTerms) return false;
  QuantizationWriter to{g, n.origin};
  const int ranks[2] = {x.rank(), w.rank()};
  ValueId side[2];
  for (size_t i = 0; i < 2; ++i) {
    side[i] = to.cast(n.in(i), DType::kFloat);
    if (n.in(i + 2) == kNone) continue;
    const auto zero = along_axis(to, n.in(i + 2), 0, ranks[i]);
    if (!zero) return false;
    side[i] = to.binary(binary::kSub, side[i], *zero);
  }
  const ValueId product = g.add_node(OpKind::kConv, {side[0], side[1]}, n.attrs, n.origin);
  redefine(g, n.outputs[0], OpKind::kCast, {product}, CastAttrs{DType::kInt32}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_quantization(Graph& g, Diagnostics&) {
  int written = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead) continue;
    const Node n = g.nodes[i];
    switch (n.kind) {
      case OpKind::kQuantizeLinear: written += quantize(g, n); break;
      case OpKind::kDequantizeLinear: written += dequantize(g, n); break;
      case OpKind::kDynamicQuantizeLinear: written += quantize_dynamically(g, n); break;
      case OpKind::kMatMulInteger: written += multiply(g, n); break;
      case OpKind::kConvInteger: written += convolve(g, n); break;
      default: break;
    }
  }
  return written;
}

}  // namespace edgeconv
