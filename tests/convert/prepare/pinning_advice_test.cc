// What an If, a Loop or a size depends on, one row each: the options of the command line that would decide it, and nothing where none would.
#include "convert/prepare/pinning_advice.h"

#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

const DimExpr kN = DimExpr::symbol("n"), kM = DimExpr::symbol("m");

struct Settings {
  GraphBuilder b;
  ValueId x = b.input("x", {kN, 4}), y = b.input("y", {kM, 4}), rate = b.input("rate", {}, DType::kInt64), flag = b.input("flag", {}, DType::kBool),
          gain = b.input("gain", {}), few = b.input("few", {3}, DType::kInt64), many = b.input("many", {17}, DType::kInt64),
          flags = b.input("flags", {kN}, DType::kBool), huge = b.input("huge", {int64_t{1} << 40, int64_t{1} << 40}, DType::kBool);

  ValueId number(int64_t v) { return b.constant(Tensor::scalar(v)); }
  ValueId op(binary::Kind kind, ValueId l, ValueId r) { return b.node(OpKind::kBinary, {l, r}, BinaryAttrs{kind}); }
  ValueId equal(ValueId l, ValueId r) { return op(binary::kEqual, l, r); }
  ValueId inverse(ValueId v) { return b.unary(unary::kNot, v); }
  ValueId size(ValueId of) { return b.node(OpKind::kGather, {b.node(OpKind::kShape, {of}, ShapeAttrs{}), number(0)}, AxisAttrs{0}); }
  ValueId all(ValueId v, reduce::Kind kind = reduce::kMax) { return b.node(OpKind::kReduce, {v}, ReduceAttrs{kind, {}, false, false}); }
  ValueId first(ValueId v) { return b.node(OpKind::kGather, {v, number(0)}, AxisAttrs{0}); }
  ValueId cast(ValueId v, DType t) { return b.node(OpKind::kCast, {v}, CastAttrs{t}); }
  // A body that reads what it captures.
  static std::shared_ptr<Graph> branch(Unary kind) {
    GraphBuilder c;
    const ValueId v = c.input("captured", {kN, 4});
    c.output(c.unary(kind, v));
    return std::make_shared<Graph>(c.g);
  }
  ValueId choice(ValueId condition) { return b.node(OpKind::kIf, {condition, x}, SubgraphAttrs{{branch(Unary::kTanh), branch(Unary::kRelu)}, -1}); }
  ValueId loop(ValueId count, ValueId go_on) {
    GraphBuilder c;
    c.input("round", {}, DType::kInt64);
    const ValueId again = c.input("again", {}, DType::kBool);
    c.input("sum", {kN, 4});
    const ValueId outer = c.input("captured_rate", {}, DType::kInt64), v = c.input("captured", {kN, 4});
    c.output(go_on == kNone ? c.node(OpKind::kBinary, {outer, c.constant(Tensor::scalar(int64_t{8000}))}, BinaryAttrs{binary::kEqual}) : again);
    c.output(c.unary(Unary::kTanh, v));
    SubgraphAttrs a{{std::make_shared<Graph>(c.g)}, 1};
    return b.node(OpKind::kLoop, {count, go_on, x, rate, x}, a);
  }
  // A while over the rows of a tensor, whose number is handed from round to round.
  ValueId rows_of_a_while(ValueId size) {
    GraphBuilder c;
    const ValueId round = c.input("round", {}, DType::kInt64);
    c.input("again", {}, DType::kBool);
    const ValueId sum = c.input("sum", {kN, 4}), rows = c.input("rows", {}, DType::kInt64);
    c.output(c.node(OpKind::kBinary, {round, rows}, BinaryAttrs{binary::kLess}));
    c.output(c.unary(Unary::kTanh, sum));
    c.output(c.node(OpKind::kIdentity, {rows}));
    return b.node_with_outputs(OpKind::kLoop, {kNone, kNone, x, size}, 2, SubgraphAttrs{{std::make_shared<Graph>(c.g)}, 2})[0];
  }
};

struct AdviceCase {
  const char* name;
  const char* options;  // "" for none
  ValueId (*make)(Settings&);
};

const AdviceCase kAdvice[] = {
    {"a number is another", "--const rate=16000", [](Settings& s) { return s.choice(s.equal(s.rate, s.number(16000))); }},
    {"the other way round", "--const rate=16000", [](Settings& s) { return s.choice(s.equal(s.number(16000), s.rate)); }},
    {"behind a Cast and a Reshape", "--const rate=3", [](Settings& s) { return s.choice(s.equal(s.b.reshape(s.cast(s.rate, DType::kInt32), {1}), s.b.constant(Tensor::ints({3}).cast(DType::kInt32)))); }},
    {"a number is less", "--const rate=VALUE", [](Settings& s) { return s.choice(s.op(binary::kLess, s.rate, s.number(3))); }},
    {"a flag", "--const flag=true", [](Settings& s) { return s.choice(s.flag); }},
    {"no flag", "--const flag=true", [](Settings& s) { return s.choice(s.inverse(s.flag)); }},
    {"a number as a flag", "--const rate=VALUE", [](Settings& s) { return s.choice(s.cast(s.rate, DType::kBool)); }},
    {"a flag and a number", "--const flag=true --const rate=1", [](Settings& s) { return s.choice(s.op(binary::kAnd, s.flag, s.equal(s.rate, s.number(1)))); }},
    {"a number or a flag", "--const rate=1 --const flag=true", [](Settings& s) { return s.choice(s.op(binary::kOr, s.equal(s.rate, s.number(1)), s.flag)); }},
    {"a whole float", "--const gain=2", [](Settings& s) { return s.choice(s.equal(s.gain, s.b.scalar(2))); }},
    {"a half", "--const gain=0.500000", [](Settings& s) { return s.choice(s.equal(s.gain, s.b.scalar(0.5f))); }},
    {"one of many flags", "", [](Settings& s) { return s.choice(s.first(s.flags)); }},
    {"more flags than a number of 64 bits counts", "", [](Settings& s) { return s.choice(s.first(s.all(s.huge))); }},
    {"a size", "--fix n=8", [](Settings& s) { return s.choice(s.equal(s.size(s.x), s.number(8))); }},
    {"a size in eights: the power of two among them", "--fix n=16", [](Settings& s) { return s.choice(s.equal(s.op(binary::kDiv, s.size(s.x), s.number(4)), s.number(4))); }},
    {"a size in fours: the middle", "--fix n=13", [](Settings& s) { return s.choice(s.equal(s.op(binary::kDiv, s.size(s.x), s.number(4)), s.number(3))); }},
    {"a size that is never that", "--fix n=N", [](Settings& s) { return s.choice(s.equal(s.op(binary::kMul, s.size(s.x), s.number(2)), s.number(7))); }},
    {"a size is less", "--fix n=N", [](Settings& s) { return s.choice(s.op(binary::kLess, s.size(s.x), s.number(7))); }},
    {"the sum of two sizes", "--fix m=N --fix n=N", [](Settings& s) { return s.choice(s.equal(s.op(binary::kAdd, s.size(s.x), s.size(s.y)), s.number(7))); }},
    {"one size against another", "--fix n=N --fix m=N", [](Settings& s) { return s.choice(s.op(binary::kLess, s.size(s.x), s.size(s.y))); }},
    {"a size in floats", "--fix n=N", [](Settings& s) { return s.choice(s.equal(s.cast(s.size(s.x), DType::kFloat), s.b.scalar(7))); }},
    {"the data", "", [](Settings& s) { return s.choice(s.op(binary::kLess, s.all(s.x), s.b.scalar(1))); }},
    {"too many numbers", "", [](Settings& s) { return s.choice(s.equal(s.all(s.many), s.number(1))); }},
    {"a few numbers", "--const few=FILE.npy", [](Settings& s) { return s.choice(s.equal(s.all(s.few), s.number(1))); }},
    {"a few numbers against one", "--const few=FILE.npy --const rate=VALUE", [](Settings& s) { return s.choice(s.op(binary::kLess, s.all(s.few), s.all(s.rate))); }},
    {"whether it is a number", "--const gain=VALUE", [](Settings& s) { return s.choice(s.b.unary(unary::kIsNaN, s.gain)); }},
    {"rounds that the caller counts", "--const rate=VALUE", [](Settings& s) { return s.loop(s.rate, s.b.constant(Tensor::scalar(int64_t{1}).cast(DType::kBool))); }},
    {"rounds that the data count", "", [](Settings& s) { return s.loop(s.cast(s.all(s.x), DType::kInt64), s.b.constant(Tensor::scalar(int64_t{1}).cast(DType::kBool))); }},
    {"rounds while the caller says", "--const flag=VALUE", [](Settings& s) { return s.loop(kNone, s.flag); }},
    {"rounds while a captured number is another", "--const rate=8000", [](Settings& s) { return s.loop(kNone, kNone); }},
    {"rounds while there are rows", "--fix n=N", [](Settings& s) { return s.rows_of_a_while(s.size(s.x)); }},
    {"a size of the caller's", "--const rate=VALUE", [](Settings& s) { return s.b.node(OpKind::kRange, {s.number(0), s.rate, s.number(1)}); }},
    {"a size of the data", "", [](Settings& s) { return s.b.node(OpKind::kRange, {s.number(0), s.cast(s.all(s.x), DType::kInt64), s.number(1)}); }},
};

// The hint for the node that makes v, whatever inference says of it.
std::string advice(const Graph& g, ValueId v) {
  const Origin where = g.producer(v)->origin;
  Graph inferred = g;
  Diagnostics ignored, d;
  try {
    infer(inferred, ignored);
  } catch (const FatalError&) {
  }
  d.unsupported({where.op_type, where.node, "", "it is not known", "", false});
  advise_pinning(inferred, d);
  return d.problems()[0].hint;
}

TEST(PinningAdvice, SaysWhatWouldDecide) {
  for (const AdviceCase& c : kAdvice) {
    SCOPED_TRACE(c.name);
    Settings s;
    const ValueId v = c.make(s);
    s.b.output(v);
    ASSERT_TRUE(s.b.g.sort());
    EXPECT_EQ(advice(s.b.g, v), *c.options ? "pin what it depends on: " + std::string(c.options) : "");
  }
}

// Bodies capture what stands outside, one within the other; what is around a choice that says nothing of itself is named instead.
TEST(PinningAdvice, GoesOutOfBodies) {
  for (const bool own : {true, false}) {
    GraphBuilder inner;
    const ValueId v = inner.input("inner_x", {kN, 4}), rate = inner.input("inner_rate", {}, DType::kInt64);
    ValueId condition = inner.node(OpKind::kBinary, {rate, inner.constant(Tensor::scalar(int64_t{16000}))}, BinaryAttrs{binary::kEqual});
    if (!own) condition = inner.node(OpKind::kBinary, {inner.node(OpKind::kReduce, {v}, ReduceAttrs{reduce::kMax, {}, false, false}), inner.scalar(1)}, BinaryAttrs{binary::kLess});
    const ValueId chosen = inner.node(OpKind::kIf, {condition, v}, SubgraphAttrs{{Settings::branch(Unary::kTanh), Settings::branch(Unary::kRelu)}, -1});
    inner.output(chosen);
    const Origin where = inner.g.producer(chosen)->origin;
    Settings s;
    s.b.output(s.b.node(OpKind::kIf, {s.flag, s.x, s.rate}, SubgraphAttrs{{std::make_shared<Graph>(inner.g), Settings::branch(Unary::kRelu)}, -1}));
    Diagnostics ignored, d;
    try {
      infer(s.b.g, ignored);
    } catch (const FatalError&) {
    }
    d.unsupported({where.op_type, where.node, "", "it is not known", "", false});
    advise_pinning(s.b.g, d);
    EXPECT_EQ(d.problems()[0].hint, own ? "pin what it depends on: --const rate=16000" : "pin what it depends on: --const flag=true");
  }
}

}  // namespace

}  // namespace edgeconv::testing
