// Products of integers, one row each: which of them become products of floats, and which nearly are one and stay. Either way the results are those of before, but for
// what rounding the activations lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kTexts = 2, kRows = 6, kIn = 8, kColumns = 6;
constexpr float kStepOfX = 0.02f;

struct IntegerProduct {
  GraphBuilder b;
  ValueId x = b.input("x", {kTexts, kRows, kIn}), y = b.input("y", {kTexts, kIn, kColumns}), factor = b.input("factor", {}),
          given = b.input("given", {kColumns}, DType::kInt32), given_weights = b.input("weights", {kIn, kColumns}, DType::kUint8),
          given_zero = b.input("zero", {}, DType::kUint8), given_step = b.input("step", {kIn});

  ValueId of(DType t, const std::vector<int64_t>& dims, int64_t first = 0) {
    Tensor all(DType::kInt64, dims);
    for (int64_t i = 0; i < all.elements(); ++i) all.mut<int64_t>()[static_cast<size_t>(i)] = first + i * 37 % 101;
    return b.constant(all.cast(t));
  }
  ValueId floats(const std::vector<int64_t>& dims, float first, float step = 0.01f) {
    Tensor all(DType::kFloat, dims);
    for (size_t i = 0; i < all.mut<float>().size(); ++i) all.mut<float>()[i] = first + step * static_cast<float>(i);
    return b.constant(all);
  }
  ValueId whole() { return of(DType::kUint8, {kIn, kColumns}); }
  std::vector<ValueId> dynamic(ValueId v) { return b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {v}, 3); }
  ValueId fixed(ValueId v, ValueId step, ValueId zero) { return b.node(OpKind::kQuantizeLinear, {v, step, zero}, QuantAttrs{-1, 0, DType::kUint8}); }
  ValueId product(ValueId l, ValueId r, ValueId l_zero, ValueId r_zero = kNone) { return b.node(OpKind::kMatMulInteger, {l, r, l_zero, r_zero}); }
  ValueId cast(ValueId v, DType t = DType::kFloat) { return b.node(OpKind::kCast, {v}, CastAttrs{t}); }
  // The whole pattern, with other weights, zero point and scale of weights.
  ValueId scaled(ValueId weights, ValueId zero, ValueId step) {
    const auto q = dynamic(x);
    return b.mul(cast(product(q[0], weights, q[2], zero)), step == kNone ? q[1] : b.mul(q[1], step));
  }
  ValueId with_bias(ValueId integers) {
    const auto q = dynamic(x);
    return b.mul(cast(b.add(product(q[0], whole(), q[2]), integers)), b.mul(q[1], b.scalar(0.1f)));
  }
  // The bias in steps of the scales, rounded.
  ValueId with_quotient(ValueId (*rounded)(IntegerProduct&, ValueId), bool all_scales = true, bool own_scale = true) {
    const auto q = dynamic(x), other = dynamic(b.mul(x, b.scalar(2)));
    const ValueId step = b.scalar(0.1f), bias = floats({kColumns}, 1.5f, -0.7f), scale = own_scale ? q[1] : other[1];
    const ValueId quotient = b.div(bias, all_scales ? b.mul(scale, step) : step);
    const ValueId integers = cast(rounded(*this, quotient), DType::kInt32);
    return b.mul(cast(b.add(product(q[0], whole(), q[2]), integers)), b.mul(q[1], step));
  }
};

ValueId down(IntegerProduct& p, ValueId v) { return p.b.unary(unary::kFloor, v); }
ValueId nearest(IntegerProduct& p, ValueId v) { return p.b.unary(unary::kRound, v); }
ValueId up(IntegerProduct& p, ValueId v) { return p.b.unary(unary::kCeil, v); }
ValueId moved_down(IntegerProduct& p, ValueId v) { return p.b.reshape(p.b.reshape(p.b.unary(unary::kFloor, v), {-1, 1}), {-1}); }
ValueId moved_far_down(IntegerProduct& p, ValueId v) {
  for (int i = 0; i < 3; ++i) v = p.b.reshape(p.b.reshape(v, {-1, 1}), {-1});
  return p.b.unary(unary::kFloor, v);
}

struct ProductCase {
  const char* name;
  bool becomes_float;
  ValueId (*make)(IntegerProduct&);
};

const ProductCase kProducts[] = {
    {"dynamic, one scale", true, [](IntegerProduct& p) { return p.scaled(p.whole(), kNone, p.b.scalar(0.1f)); }},
    {"dynamic, weights without a scale", true, [](IntegerProduct& p) { return p.scaled(p.whole(), kNone, kNone); }},
    {"a scale for each column", true, [](IntegerProduct& p) { return p.scaled(p.whole(), kNone, p.floats({kColumns}, 0.05f)); }},
    {"two scales, of all and of each", true,
     [](IntegerProduct& p) { return p.b.mul(p.scaled(p.whole(), kNone, kNone), p.b.mul(p.b.scalar(0.5f), p.floats({1, 1, kColumns}, 0.05f))); }},
    {"a zero point for each column", true,
     [](IntegerProduct& p) { return p.scaled(p.whole(), p.of(DType::kUint8, {kColumns}, 40), p.floats({kColumns}, 0.05f)); }},
    {"a zero point for all, a scale for each", true,
     [](IntegerProduct& p) { return p.scaled(p.whole(), p.of(DType::kUint8, {}, 40), p.floats({kColumns}, 0.05f)); }},
    {"a scale for all, a zero point for each", true,
     [](IntegerProduct& p) { return p.scaled(p.whole(), p.of(DType::kUint8, {kColumns}, 40), p.b.scalar(0.1f)); }},
    {"a zero point of the caller", false, [](IntegerProduct& p) { return p.scaled(p.whole(), p.given_zero, p.b.scalar(0.1f)); }},
    {"weights of the caller", false, [](IntegerProduct& p) { return p.scaled(p.given_weights, kNone, p.b.scalar(0.1f)); }},
    {"weights that are a vector", false, [](IntegerProduct& p) { return p.scaled(p.of(DType::kUint8, {kIn}), kNone, p.b.scalar(0.1f)); }},
    {"a scale for each row", false, [](IntegerProduct& p) { return p.scaled(p.whole(), kNone, p.floats({kRows, 1}, 0.05f)); }},
    {"a scale for each text", false, [](IntegerProduct& p) { return p.scaled(p.whole(), kNone, p.floats({kTexts, 1, 1}, 0.05f)); }},
    {"a scale of the caller", true, [](IntegerProduct& p) { return p.b.mul(p.scaled(p.whole(), kNone, p.b.scalar(0.1f)), p.factor); }},
    {"a scale of the caller beside that of the activations", false, [](IntegerProduct& p) { return p.scaled(p.whole(), kNone, p.factor); }},
    {"the scale of other activations", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x), other = p.dynamic(p.b.mul(p.x, p.b.scalar(3)));
       return p.b.mul(p.cast(p.product(q[0], p.whole(), q[2])), p.b.mul(other[1], p.b.scalar(0.1f)));
     }},
    {"the zero point of other activations", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x), other = p.dynamic(p.b.add(p.x, p.b.scalar(3)));
       return p.b.mul(p.cast(p.product(q[0], p.whole(), other[2])), p.b.mul(q[1], p.b.scalar(0.1f)));
     }},
    {"plus the scale", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       return p.b.add(p.cast(p.product(q[0], p.whole(), q[2])), q[1]);
     }},
    {"a root of it", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       return p.b.mul(p.b.unary(unary::kAbs, p.cast(p.product(q[0], p.whole(), q[2]))), q[1]);
     }},
    {"times itself", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       const ValueId v = p.cast(p.product(q[0], p.whole(), q[2]));
       return p.b.mul(p.b.mul(v, v), q[1]);
     }},
    {"in integers", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       return p.product(q[0], p.whole(), q[2]);
     }},
    {"in integers and in floats", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       const ValueId v = p.product(q[0], p.whole(), q[2]);
       p.b.output(v);
       return p.b.mul(p.cast(v), q[1]);
     }},
    {"as doubles", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       return p.b.mul(p.cast(p.cast(p.product(q[0], p.whole(), q[2]), DType::kDouble)), q[1]);
     }},
    {"negated before the cast", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       return p.b.mul(p.cast(p.b.unary(unary::kNeg, p.product(q[0], p.whole(), q[2]))), q[1]);
     }},
    {"of a constant by weights", false,
     [](IntegerProduct& p) { return p.b.mul(p.cast(p.product(p.of(DType::kUint8, {kRows, kIn}), p.given_weights, kNone)), p.factor); }},
    // Scales that the file has.
    {"fixed", true,
     [](IntegerProduct& p) {
       const ValueId zero = p.of(DType::kUint8, {}, 128);
       return p.b.mul(p.cast(p.product(p.fixed(p.x, p.b.scalar(kStepOfX), zero), p.whole(), zero)), p.b.scalar(0.1f * kStepOfX));
     }},
    {"fixed, another zero point", false,
     [](IntegerProduct& p) {
       const ValueId q = p.fixed(p.x, p.b.scalar(kStepOfX), p.of(DType::kUint8, {}, 128));
       return p.b.mul(p.cast(p.product(q, p.whole(), p.of(DType::kUint8, {}, 127))), p.b.scalar(0.1f * kStepOfX));
     }},
    {"fixed, a step for each column", false,
     [](IntegerProduct& p) {
       const ValueId zero = p.of(DType::kUint8, {}, 128), q = p.fixed(p.x, p.floats({kIn}, kStepOfX, 0.001f), p.b.constant(Tensor::of<uint8_t>(DType::kUint8, {kIn}, std::vector<uint8_t>(kIn, 128))));
       return p.b.mul(p.cast(p.product(q, p.whole(), zero)), p.b.scalar(0.1f * kStepOfX));
     }},
    {"both fixed, which is not looked for", false,
     [](IntegerProduct& p) {
       const ValueId zero = p.of(DType::kUint8, {}, 128), step = p.b.scalar(kStepOfX);
       return p.b.mul(p.cast(p.product(p.fixed(p.x, step, zero), p.fixed(p.y, step, zero), zero, zero)), p.b.scalar(kStepOfX * kStepOfX));
     }},
    {"one fixed, one dynamic", true,
     [](IntegerProduct& p) {
       const ValueId zero = p.of(DType::kUint8, {}, 128);
       const auto q = p.dynamic(p.y);
       return p.b.mul(p.cast(p.product(p.fixed(p.x, p.b.scalar(kStepOfX), zero), q[0], zero, q[2])), p.b.mul(q[1], p.b.scalar(kStepOfX)));
     }},
    {"one fixed, one dynamic, times another number", false,
     [](IntegerProduct& p) {
       const ValueId zero = p.of(DType::kUint8, {}, 128);
       const auto q = p.dynamic(p.y);
       return p.b.mul(p.cast(p.product(p.fixed(p.x, p.b.scalar(kStepOfX), zero), q[0], zero, q[2])), p.b.mul(q[1], p.b.scalar(3 * kStepOfX)));
     }},
    {"one fixed, one dynamic, without the fixed one's step", false,
     [](IntegerProduct& p) {
       const ValueId zero = p.of(DType::kUint8, {}, 128);
       const auto q = p.dynamic(p.y);
       return p.b.mul(p.cast(p.product(p.fixed(p.x, p.b.scalar(kStepOfX), zero), q[0], zero, q[2])), q[1]);
     }},
    // Integers that are added.
    {"plus a bias", true, [](IntegerProduct& p) { return p.with_bias(p.of(DType::kInt32, {kColumns})); }},
    {"plus a bias of the caller", true, [](IntegerProduct& p) { return p.with_bias(p.given); }},
    {"plus what enlarges it", false, [](IntegerProduct& p) { return p.with_bias(p.of(DType::kInt32, {3, 1, 1, kColumns})); }},
    {"twice", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       const ValueId v = p.product(q[0], p.whole(), q[2]);
       return p.b.mul(p.cast(p.b.add(v, v)), q[1]);
     }},
    {"minus a bias", false,
     [](IntegerProduct& p) {
       const auto q = p.dynamic(p.x);
       return p.b.mul(p.cast(p.b.sub(p.product(q[0], p.whole(), q[2]), p.of(DType::kInt32, {kColumns}))), q[1]);
     }},
    {"plus a bias in its steps, rounded down", true, [](IntegerProduct& p) { return p.with_quotient(down); }},
    {"plus a bias in its steps, rounded", true, [](IntegerProduct& p) { return p.with_quotient(nearest); }},
    {"plus a bias in its steps, rounded up", true, [](IntegerProduct& p) { return p.with_quotient(up); }},
    {"plus a bias in its steps, moved", true, [](IntegerProduct& p) { return p.with_quotient(moved_down); }},
    {"plus a bias in its steps, moved far", true, [](IntegerProduct& p) { return p.with_quotient(moved_far_down); }},
    {"plus a bias in steps of the weights alone", true, [](IntegerProduct& p) { return p.with_quotient(down, false); }},
    {"plus a bias in steps of another", true, [](IntegerProduct& p) { return p.with_quotient(down, true, false); }},
};

TEST(IntegerProducts, BecomeProductsOfFloatsOrStay) {
  for (const ProductCase& c : kProducts) {
    SCOPED_TRACE(c.name);
    IntegerProduct p;
    p.b.output(c.make(p));
    finish(p.b.g);
    const std::vector<Tensor> inputs = random_inputs(p.b.g);
    const std::vector<float> before = interpret(p.b.g, inputs).back().to_float();
    Diagnostics d;
    run_quantized_import(p.b.g, d);
    EXPECT_TRUE(d.ok());
    EXPECT_EQ(count(p.b.g, OpKind::kMatMulInteger) == 0, c.becomes_float) << p.b.g.dump();
    const std::vector<float> after = interpret(p.b.g, inputs).back().to_float();
    ASSERT_EQ(before.size(), after.size());
    float most = 0;
    for (const float v : before) most = std::max(most, std::fabs(v));
    for (size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(before[i], after[i], (c.becomes_float ? 0.02f : 1e-6f) * most) << i;
  }
}

}  // namespace

}  // namespace edgeconv::testing
