// Elements of counted positions: the numbers that inference finds behind slices, joins and arithmetic are those that the host computes, and it finds none where it may not.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::S;
namespace arithmetic = ert::params::binary;

struct Positions {
  GraphBuilder b;
  ValueId x = b.input("x", DType::kFloat, {S, 3}), given = b.input("given", DType::kInt64, {S}), at_run_time = b.input("at", DType::kInt64, {});
  ValueId seq = b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), number(0)}, AxisAttrs{0});
  ValueId counted = range(seq);  // 0 to seq - 1

  ValueId number(int64_t v) { return b.scalar(v); }
  ValueId range(ValueId limit, int64_t start = 0, int64_t step = 1) { return b.node(OpKind::kRange, {number(start), limit, number(step)}); }
  ValueId cast(ValueId v, DType t) { return b.node(OpKind::kCast, {v}, CastAttrs{t}); }
  ValueId op(arithmetic::Kind kind, ValueId l, ValueId r) { return b.node(OpKind::kBinary, {l, r}, BinaryAttrs{kind}); }
  ValueId join(std::vector<ValueId> parts) { return b.node(OpKind::kConcat, std::move(parts), AxisAttrs{0}); }
  ValueId vector(ValueId v) { return b.node(OpKind::kUnsqueeze, {v}, AxesAttrs{{0}}); }
  ValueId floats(const std::vector<float>& v) { return b.floats({static_cast<int64_t>(v.size())}, v); }
  ValueId slice(ValueId v, ValueId start, ValueId end, ValueId step = kNone) {
    return step == kNone ? b.node(OpKind::kSlice, {v, start, end}) : b.node(OpKind::kSlice, {v, start, end, b.ints({0}), step});
  }
  ValueId cut(ValueId v, int64_t start, int64_t end, int64_t step = 1) { return slice(v, b.ints({start}), b.ints({end}), b.ints({step})); }
  ValueId pick(ValueId v, ValueId i) { return b.node(OpKind::kGather, {v, i}, AxisAttrs{0}); }
  ValueId at(ValueId v, int64_t i) { return pick(v, number(i)); }
  ValueId reshape(ValueId v, const std::vector<int64_t>& shape) { return b.node(OpKind::kReshape, {v, b.ints(shape)}, ReshapeAttrs{}); }
};

struct TracedCase {
  const char* name;
  bool told;
  ValueId (*make)(Positions&);
};

const TracedCase kTraced[] = {
    {"the first", true, [](Positions& p) { return p.at(p.counted, 0); }},
    {"the last", true, [](Positions& p) { return p.at(p.counted, -1); }},
    {"the third, if there are three", true, [](Positions& p) { return p.at(p.counted, 2); }},
    {"the third from the end", false, [](Positions& p) { return p.at(p.counted, -3); }},
    {"two of them", true, [](Positions& p) { return p.pick(p.counted, p.b.ints({0, -1})); }},
    {"one that is told when the model runs", false, [](Positions& p) { return p.pick(p.counted, p.at_run_time); }},
    {"one before all others", false, [](Positions& p) { return p.at(p.join({p.counted, p.given}), std::numeric_limits<int64_t>::min() + 1); }},
    {"of given numbers", false, [](Positions& p) { return p.at(p.given, 0); }},
    {"of booleans", false, [](Positions& p) { return p.at(p.op(arithmetic::kLess, p.counted, p.given), 0); }},
    {"counted by twos from 3", true, [](Positions& p) { return p.at(p.range(p.op(arithmetic::kAdd, p.op(arithmetic::kMul, p.seq, p.number(2)), p.number(3)), 3, 2), -1); }},
    {"counted from a number of the run", false,
     [](Positions& p) { return p.at(p.b.node(OpKind::kRange, {p.at_run_time, p.op(arithmetic::kAdd, p.at_run_time, p.seq), p.number(1)}), 0); }},
    {"counted in floats", true,
     [](Positions& p) {
       return p.cast(p.at(p.b.node(OpKind::kRange, {p.b.scalar(0.0f), p.cast(p.seq, DType::kFloat), p.b.scalar(1.0f)}), -1), DType::kInt64);
     }},
    {"counted in floats from a half", false,
     [](Positions& p) {
       return p.at(p.b.node(OpKind::kRange, {p.b.scalar(0.5f), p.op(arithmetic::kAdd, p.cast(p.seq, DType::kFloat), p.b.scalar(0.5f)), p.b.scalar(1.0f)}), 0);
     }},
    {"as floats", true, [](Positions& p) { return p.at(p.cast(p.counted, DType::kFloat), -1); }},
    {"behind an Identity", true, [](Positions& p) { return p.at(p.b.node(OpKind::kIdentity, {p.counted}), -1); }},
    {"behind a column", true, [](Positions& p) { return p.at(p.reshape(p.reshape(p.counted, {-1, 1}), {-1}), -1); }},
    {"behind Unsqueeze and Squeeze", true,
     [](Positions& p) { return p.at(p.b.node(OpKind::kSqueeze, {p.b.node(OpKind::kUnsqueeze, {p.counted}, AxesAttrs{{1}})}, AxesAttrs{{1}}), -1); }},
    {"behind a Flatten", true, [](Positions& p) { return p.at(p.reshape(p.b.node(OpKind::kFlatten, {p.counted}, AxisAttrs{0}), {-1}), -1); }},
    {"behind a sine", false, [](Positions& p) { return p.at(p.b.node(OpKind::kUnary, {p.counted}, UnaryAttrs{ert::params::unary::kNeg, 0}), -1); }},
    {"behind seventy nodes", false,
     [](Positions& p) {
       ValueId v = p.counted;
       for (int i = 0; i < 70; ++i) v = p.b.node(OpKind::kIdentity, {v});
       return p.at(v, -1);
     }},
    {"plus 5", true, [](Positions& p) { return p.at(p.op(arithmetic::kAdd, p.counted, p.number(5)), -1); }},
    {"minus as many", true, [](Positions& p) { return p.at(p.op(arithmetic::kSub, p.counted, p.seq), 0); }},
    {"squared", true, [](Positions& p) { return p.at(p.op(arithmetic::kMul, p.counted, p.counted), -1); }},
    {"halves", false, [](Positions& p) { return p.at(p.op(arithmetic::kDiv, p.counted, p.number(2)), -1); }},
    {"plus given numbers", false, [](Positions& p) { return p.at(p.op(arithmetic::kAdd, p.counted, p.given), -1); }},
    {"plus one for all", true, [](Positions& p) { return p.at(p.op(arithmetic::kAdd, p.b.ints({4}), p.counted), -1); }},
    {"times floats that are whole", true, [](Positions& p) { return p.at(p.op(arithmetic::kMul, p.cast(p.counted, DType::kFloat), p.floats({3})), -1); }},
    {"times halves", false, [](Positions& p) { return p.at(p.op(arithmetic::kMul, p.cast(p.counted, DType::kFloat), p.floats({0.5f})), -1); }},
    {"plus a large float", false, [](Positions& p) { return p.at(p.op(arithmetic::kAdd, p.cast(p.counted, DType::kFloat), p.floats({3e8f})), -1); }},
    {"the last without the first", true, [](Positions& p) { return p.at(p.cut(p.join({p.b.ints({7}), p.counted}), 1, INT64_MAX), -1); }},
    {"the last one as a list", true, [](Positions& p) { return p.cut(p.counted, -1, INT64_MAX); }},
    {"the first two of at least one", false, [](Positions& p) { return p.cut(p.counted, 0, 2); }},
    {"backwards", true, [](Positions& p) { return p.at(p.cut(p.counted, INT64_MAX, INT64_MIN, -1), 0); }},
    {"backwards, the last of that", true, [](Positions& p) { return p.at(p.cut(p.counted, -1, INT64_MIN, -1), -1); }},
    {"every second", true, [](Positions& p) { return p.at(p.cut(p.counted, 0, INT64_MAX, 2), 0); }},
    {"without what the caller says", false, [](Positions& p) { return p.at(p.slice(p.counted, p.vector(p.at_run_time), p.b.ints({INT64_MAX})), 0); }},
    {"by a step of the caller", false,
     [](Positions& p) { return p.at(p.slice(p.counted, p.b.ints({0}), p.b.ints({INT64_MAX}), p.vector(p.at_run_time)), 0); }},
    {"a cut without steps", true, [](Positions& p) { return p.at(p.slice(p.counted, p.b.ints({0}), p.b.ints({INT64_MAX})), 0); }},
    {"joined behind a number, the last", true, [](Positions& p) { return p.at(p.join({p.b.ints({-5}), p.counted}), -1); }},
    {"joined behind a number, the first", true, [](Positions& p) { return p.at(p.join({p.b.ints({-5}), p.counted}), 0); }},
    {"joined behind given numbers, the last", true, [](Positions& p) { return p.at(p.join({p.given, p.counted}), -1); }},
    {"joined before given numbers, the last", false, [](Positions& p) { return p.at(p.join({p.counted, p.given}), -1); }},
    {"one of the joined by a size", true, [](Positions& p) { return p.pick(p.join({p.given, p.counted}), p.seq); }},
    {"cut at both ends, the last", false,
     [](Positions& p) { return p.at(p.join({p.b.ints({0}), p.cut(p.cut(p.counted, 1, INT64_MAX), 0, -1)}), -1); }},
    {"of 300 constants and the positions", true,
     [](Positions& p) { return p.at(p.join({p.b.ints(std::vector<int64_t>(300, 2)), p.counted}), -1); }},
    {"one of 300 constants", false, [](Positions& p) { return p.at(p.join({p.b.ints(std::vector<int64_t>(300, 2)), p.counted}), 7); }},
    {"all 300 of a list", false, [](Positions& p) { return p.pick(p.counted, p.b.ints(std::vector<int64_t>(300, 0))); }},
    {"a table of them", false, [](Positions& p) { return p.pick(p.counted, p.b.g.add_constant("table", Tensor::ints({0, 0}).reshaped({2, 1}))); }},
    {"as doubles", true, [](Positions& p) { return p.at(p.cast(p.counted, DType::kDouble), -1); }},
    {"booleans as numbers", false, [](Positions& p) { return p.at(p.cast(p.op(arithmetic::kLess, p.counted, p.given), DType::kInt64), 0); }},
    {"of columns that are joined", false,
     [](Positions& p) { return p.at(p.reshape(p.join({p.reshape(p.counted, {-1, 1}), p.reshape(p.counted, {-1, 1})}), {-1}), 0); }},
    {"of a column that is cut", false, [](Positions& p) { return p.at(p.reshape(p.cut(p.reshape(p.counted, {-1, 1}), 0, INT64_MAX), {-1}), 0); }},
    {"of a row of a column", false, [](Positions& p) { return p.at(p.reshape(p.pick(p.reshape(p.counted, {-1, 1}), p.b.ints({0})), {-1}), 0); }},
    {"of a column and a vector", false,
     [](Positions& p) { return p.at(p.reshape(p.op(arithmetic::kAdd, p.reshape(p.counted, {-1, 1}), p.counted), {-1}), 0); }},
    {"rows of a matrix", false, [](Positions& p) { return p.at(p.reshape(p.counted, {-1, 1}), 0); }},
};

std::optional<std::vector<int64_t>> at_size(const std::vector<DimExpr>& all, int64_t seq) {
  std::vector<int64_t> r;
  for (const DimExpr& e : all) {
    const auto v = e.evaluate({{"seq", seq}});
    if (!v) return std::nullopt;
    r.push_back(*v);
  }
  return r;
}

TEST(TracedElements, AreWhatTheHostComputes) {
  for (const TracedCase& c : kTraced) {
    SCOPED_TRACE(c.name);
    Positions p;
    p.b.output(c.make(p));
    Graph inferred = p.b.g;
    Diagnostics d;
    infer(inferred, d);
    if (!d.ok()) {  // lengths that follow from no size
      EXPECT_FALSE(c.told);
      continue;
    }
    const Value& told = inferred.value(inferred.outputs[0]);
    EXPECT_EQ(told.elements.has_value(), c.told) << inferred.dump();
    if (!told.elements) continue;
    for (const int64_t seq : {1, 2, 5, 40}) {
      const auto least = inferred.least_dims.find("seq");
      if (least != inferred.least_dims.end() && seq < least->second) continue;
      const std::vector<Tensor> given{Tensor(DType::kFloat, {seq, 3}), Tensor(DType::kInt64, {seq}), Tensor::scalar(int64_t{0})};
      std::vector<Tensor> computed;
      try {
        computed = interpret(p.b.g, given);
      } catch (const FatalError&) {
        continue;  // so few have no such element
      }
      EXPECT_EQ(at_size(*told.elements, seq), computed[0].cast(DType::kInt64).to_int64()) << seq;
    }
  }
}

}  // namespace
}  // namespace edgeconv_test
