// MatMulInteger of quantized activations, with the Cast and the multiplications by the scales behind it, becomes a MatMul of
// what was quantized: with weights that are dequantized constants, or with two activations, as in attention. ConvInteger with constant
// weights becomes a Conv in the same way. An integer bias in front of the Cast becomes a float one behind it.
#include <algorithm>

#include "convert/passes/live_users.h"
#include "convert/passes/quantized_source.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

// One operand of the product.
struct Operand {
  std::optional<QuantizedSource> source;
  ValueId x = kNone;         // the base before quantization; kNone for constant weights
  ValueId scale = kNone;     // a computed scale, which must turn up among the factors
  float constant_scale = 1;  // otherwise
};

std::optional<Operand> operand(const Graph& g, ValueId v, ValueId zero_point) {
  Operand o;
  o.source = quantized_source(g, v);
  if (!o.source) return {};
  const ValueId base = o.source->base;
  if (g.value(base).constant) return o;
  const Node* q = g.producer(base);
  o.x = q->in(0);
  if (q->kind == OpKind::kDynamicQuantizeLinear) {
    o.scale = q->outputs[1];
    return zero_point == q->outputs[2] ? std::optional(o) : std::nullopt;
  }
  const auto s = scalar_constant(g, q->in(1));
  if (!s || !same_value(g, zero_point, q->in(2))) return {};
  o.constant_scale = *s;
  return o;
}

// Factors of a product of scales.
void leaves(const Graph& g, ValueId v, std::vector<ValueId>& out) {
  const Node* p = binary_producer(g, v, binary::kMul);
  if (!p || g.value(v).constant) {
    out.push_back(v);
    return;
  }
  leaves(g, p->in(0), out);
  leaves(g, p->in(1), out);
}

struct Scaled {
  ValueId result = kNone;          // what the whole chain gives
  ValueId bias = kNone;            // integers that are added to the product, in steps of its scales
  std::vector<ValueId> constants;  // factors besides the activations' scales
};

bool take(std::vector<ValueId>& found, ValueId wanted) {
  const auto it = std::find(found.begin(), found.end(), wanted);
  if (it == found.end()) return false;
  found.erase(it);
  return true;
}

// The product plus something that does not enlarge it.
bool is_integer_sum(const Graph& g, const Node& n, ValueId product) {
  return n.kind == OpKind::kBinary && n.as<BinaryAttrs>().kind == binary::kAdd && n.in(0) != n.in(1) && g.value(product).shape &&
         g.value(n.outputs[0]).shape == g.value(product).shape;
}

// Where integers are a float divided by these factors and rounded: that float, moved as they are, which is what the rounding lost. kNone for other integers.
ValueId rounded_quotient(Graph& g, ValueId integers, std::vector<ValueId> factors) {
  QuantizedSource moved;
  for (ValueId v = integers; moved.movement.size() < 4;) {
    const Node* p = g.producer(v);
    if (!p || p->dead) return kNone;
    if (rearranges(p->kind) && p->outputs.size() == 1) {
      moved.movement.push_back(id_of(g, *p));
    } else if (const Node* quotient = binary_producer(g, v, binary::kDiv); quotient && is_float(g.value(v).dtype)) {
      std::vector<ValueId> divisors;
      leaves(g, quotient->in(1), divisors);
      for (ValueId d : divisors)
        if (!take(factors, d)) return kNone;
      return factors.empty() ? repeat_movement(g, moved, quotient->in(0)) : kNone;
    } else if (p->kind != OpKind::kCast && !unary_producer(g, v, ert::params::unary::kFloor) &&
               !unary_producer(g, v, ert::params::unary::kRound)) {
      return kNone;
    }
    v = p->in(0);
  }
  return kNone;
}

// The bias of a product in floats: what it was before it was quantized, or its integers times the product's scales.
ValueId float_bias(Graph& g, const Origin& origin, ValueId integers, const std::vector<ValueId>& factors) {
  if (const ValueId bias = rounded_quotient(g, integers, factors); bias != kNone) return bias;
  ValueId bias = add_float_node(g, OpKind::kCast, {integers}, CastAttrs{DType::kFloat}, origin, *g.value(integers).shape);
  for (ValueId f : factors) {
    bias = g.add_node(OpKind::kBinary, {bias, f}, BinaryAttrs{binary::kMul}, origin);
    g.value(bias).dtype = DType::kFloat;
  }
  return bias;
}

// Follows the readers of the product until every computed scale was multiplied in, and the weights' own scale as well.
std::optional<Scaled> follow(const Graph& g, const Users& users, ValueId product, std::vector<ValueId> wanted,
                             bool weight_scale) {
  const Node* cast = sole_user(g, users, product);
  ValueId bias = kNone;
  if (cast && is_integer_sum(g, *cast, product)) {
    bias = other_operand(*cast, product);
    cast = sole_user(g, users, cast->outputs[0]);
  }
  if (!cast || cast->kind != OpKind::kCast || cast->as<CastAttrs>().to != DType::kFloat) return {};
  Scaled s{cast->outputs[0], bias, {}};
  while (!wanted.empty() || (weight_scale && s.constants.empty())) {
    const Node* next = sole_user(g, users, s.result);
    if (!next || next->kind != OpKind::kBinary || next->as<BinaryAttrs>().kind != binary::kMul || next->in(0) == next->in(1))
      break;
    std::vector<ValueId> factors, constants;
    leaves(g, other_operand(*next, s.result), factors);
    std::vector<ValueId> left = wanted;
    bool ours = true;
    for (ValueId f : factors) {
      if (g.value(f).constant && is_float(g.value(f).dtype))
        constants.push_back(f);
      else
        ours &= take(left, f);
    }
    if (!ours) break;
    wanted = left;
    s.constants.insert(s.constants.end(), constants.begin(), constants.end());
    s.result = next->outputs[0];
  }
  return wanted.empty() ? std::optional(s) : std::nullopt;
}

// One factor for all columns (of a Conv: output channels), or one each. `from_end`: the axis of the result that they lie along.
std::optional<std::vector<float>> joint_scale(const Graph& g, const std::vector<ValueId>& constants, int64_t columns,
                                              float divisor, size_t from_end = 1) {
  std::vector<float> scale{1};
  for (ValueId v : constants) {
    const Tensor& t = *g.value(v).constant;
    const std::vector<int64_t>& dims = t.dims();
    if (t.elements() < 1) return {};
    if (t.elements() != 1 && (t.elements() != columns || dims.size() < from_end || dims[dims.size() - from_end] != columns))
      return {};
    const std::vector<float> factor = t.to_float();
    if (factor.size() > scale.size()) scale.assign(factor.size(), scale[0]);
    for (size_t c = 0; c < scale.size(); ++c) scale[c] *= factor[factor.size() == 1 ? 0 : c];
  }
  for (float& s : scale) s /= divisor;
  return scale;
}

// Weights as DequantizeLinear of the integers, which fold_dequantize turns into a constant that remembers them.
std::optional<ValueId> weights(Graph& g, const Node& n, const Scaled& s, const Operand& a) {
  const Value& w = g.value(n.in(1));
  if (w.rank() < 2) return {};
  const bool conv = n.kind == OpKind::kConvInteger;
  const std::vector<int64_t>& dims = w.constant->dims();
  const auto scale = conv ? joint_scale(g, s.constants, dims[0], a.constant_scale, dims.size() - 1)
                          : joint_scale(g, s.constants, dims.back(), a.constant_scale);
  if (!scale) return {};
  const auto count = static_cast<int64_t>(scale->size());
  std::vector<ValueId> inputs{
      n.in(1),
      g.add_constant(n.origin.node + "/scale", Tensor::of<float>(DType::kFloat, {count}, *scale)
                                                   .reshaped(count == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{count}))};
  if (n.in(3) != kNone) {
    const Tensor zero = *g.value(n.in(3)).constant;
    if (zero.elements() == count) {
      inputs.push_back(g.add_constant(n.origin.node + "/zero",
                                      zero.reshaped(count == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{count})));
    } else if (zero.elements() == 1 || (count == 1 && zero.elements() > 1)) {
      // One of the two is per column: spread the other.
      const int64_t columns = std::max(count, zero.elements());
      std::vector<float> spread(static_cast<size_t>(columns));
      std::vector<uint8_t> zeros(static_cast<size_t>(columns));
      const std::vector<int64_t> z = zero.to_int64();
      for (size_t c = 0; c < spread.size(); ++c) {
        spread[c] = (*scale)[count == 1 ? 0 : c];
        zeros[c] = static_cast<uint8_t>(z[z.size() == 1 ? 0 : c]);
      }
      inputs[1] = g.add_constant(n.origin.node + "/scale", Tensor::of<float>(DType::kFloat, {columns}, spread));
      inputs.push_back(g.add_constant(n.origin.node + "/zero", Tensor::of<uint8_t>(zero.dtype(), {columns}, zeros)));
    } else {
      return {};
    }
  }
  const Shape shape = *g.value(n.in(1)).shape;
  const ValueId dequantized =
      g.add_node(OpKind::kDequantizeLinear, std::move(inputs), QuantAttrs{conv ? 0 : -1, 0, DType::kUndefined}, n.origin);
  g.value(dequantized).dtype = DType::kFloat;
  g.value(dequantized).shape = shape;
  return dequantized;
}

bool rewrite(Graph& g, const Users& users, NodeId id) {
  const Node n = g.node(id);
  const auto a = operand(g, n.in(0), n.in(2)), b = operand(g, n.in(1), n.in(3));
  if (!a || !b || a->x == kNone) return false;
  const bool constant = g.value(n.in(1)).constant.has_value();
  if (!constant && (b->x == kNone || n.kind == OpKind::kConvInteger)) return false;
  if (constant && n.in(3) != kNone && !g.value(n.in(3)).constant) return false;
  std::vector<ValueId> wanted;
  for (ValueId s : {a->scale, b->scale})
    if (s != kNone) wanted.push_back(s);
  const auto scaled = follow(g, users, n.outputs[0], wanted, constant);
  if (!scaled) return false;
  if (!constant) {
    const auto rest = joint_scale(g, scaled->constants, 1, a->constant_scale * b->constant_scale);
    if (!rest || std::fabs((*rest)[0] - 1) > 1e-6f) return false;
  }
  const auto rhs = constant ? weights(g, n, *scaled, *a) : std::optional(repeat_movement(g, *b->source, b->x));
  if (!rhs) return false;
  const ValueId lhs = repeat_movement(g, *a->source, a->x);
  const OpKind kind = n.kind == OpKind::kConvInteger ? OpKind::kConv : OpKind::kMatMul;
  const Attributes attrs = n.kind == OpKind::kConvInteger ? n.attrs : Attributes();
  if (scaled->bias == kNone) {
    redefine(g, scaled->result, kind, {lhs, *rhs}, attrs, n.origin);
    return true;
  }
  std::vector<ValueId> factors = wanted;
  factors.insert(factors.end(), scaled->constants.begin(), scaled->constants.end());
  const Shape shape = *g.value(n.outputs[0]).shape;
  const ValueId product = add_float_node(g, kind, {lhs, *rhs}, attrs, n.origin, shape);
  redefine(g, scaled->result, OpKind::kBinary, {product, float_bias(g, n.origin, scaled->bias, factors)},
           BinaryAttrs{binary::kAdd}, n.origin);
  return true;
}

}  // namespace

int pass_float_matmul_integer(Graph& g, Diagnostics&) {
  int made = 0;
  const size_t count = g.nodes.size();
  LiveUsers users(g);
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || (g.nodes[i].kind != OpKind::kMatMulInteger && g.nodes[i].kind != OpKind::kConvInteger)) continue;
    made += rewrite(g, users.get(), static_cast<NodeId>(i));
    users.update();
  }
  return made;
}

}  // namespace edgeconv
