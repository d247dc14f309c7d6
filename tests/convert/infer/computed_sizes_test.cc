// What inference says of numbers and sizes that a graph computes from its dims is what the host computes: every operator of shape arithmetic over every
// pair of a few numbers, at several sizes.
#include <gtest/gtest.h>

#include <functional>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
using edgeconv::testing::S;
namespace bb = ert::params::binary;
namespace ub = ert::params::unary;
namespace rp = ert::params::reduce;

using Sizes = std::map<std::string, int64_t>;
const Sizes kSizes[] = {{{"batch", 1}, {"seq", 1}}, {{"batch", 3}, {"seq", 5}}, {{"batch", 4}, {"seq", 2}}, {{"batch", 2}, {"seq", 9}}};

constexpr size_t kNumbers = 11;

// x [batch, seq], and single numbers: the two dims, what is computed of them, constants.
struct Numbers {
  GraphBuilder b;
  ValueId x;

  Numbers() : x(b.input("x", DType::kFloat, {B, S})) {}
  ValueId dim(int64_t axis) {
    return b.node(OpKind::kGather, {b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.scalar(axis)}, AxisAttrs{0});
  }
  ValueId op(bb::Kind kind, ValueId l, ValueId r) { return b.node(OpKind::kBinary, {l, r}, BinaryAttrs{kind}); }
  ValueId cast(ValueId v, DType t) { return b.node(OpKind::kCast, {v}, CastAttrs{t}); }
  ValueId list(std::vector<ValueId> parts) {
    for (ValueId& v : parts) v = b.node(OpKind::kUnsqueeze, {v}, AxesAttrs{{0}});
    return b.node(OpKind::kConcat, parts, AxisAttrs{0});
  }
  ValueId number(size_t which) {
    switch (which) {
      case 0: return dim(0);
      case 1: return dim(1);
      case 2: return op(bb::kSub, dim(1), b.scalar(int64_t{3}));
      case 3: return op(bb::kSub, b.scalar(int64_t{0}), dim(0));
      case 4: return op(bb::kSub, b.scalar(int64_t{2}), dim(1));
      case 5: return b.scalar(int64_t{0});
      case 6: return b.scalar(int64_t{1});
      case 7: return b.scalar(int64_t{2});
      case 8: return b.scalar(int64_t{-3});
      case 9: return b.scalar(INT64_MAX);
      default: return b.scalar(INT64_MIN);
    }
  }
};

std::optional<std::vector<int64_t>> at(const std::vector<DimExpr>& all, const Sizes& sizes) {
  std::vector<int64_t> r;
  for (const DimExpr& e : all) {
    const auto v = e.evaluate(sizes);
    if (!v) return std::nullopt;
    r.push_back(*v);
  }
  return r;
}

// At sizes that inference has found to be none of the model's: below a least one, not equal where they must be, other than a fixed one.
bool are_allowed(const Graph& g, const Sizes& sizes) {
  const auto given = at(*g.value(g.inputs[0]).shape, sizes);
  if (!given || (*given)[0] != sizes.at("batch") || (*given)[1] != sizes.at("seq")) return false;
  for (const auto& [dim, least] : g.least_dims)
    if (const auto s = sizes.find(dim); s != sizes.end() && s->second < least) return false;
  for (const SizeEquality& e : g.equalities)
    if (e.lhs.evaluate(sizes) != e.rhs.evaluate(sizes)) return false;
  return true;
}

constexpr int64_t kLargest = 1 << 16;  // a conversion refuses tensors that no host holds before it computes one

struct Seen {
  int refused = 0, compared = 0;
};

// Sizes below 1 are none that a blob has: the minimum of the dims lies above.
void expect_told_right(const Numbers& n, ValueId result, Seen& seen) {
  Graph g = n.b.g;
  g.outputs.push_back(result);
  Graph inferred = g;
  Diagnostics d;
  bool refused = false;
  try {
    infer(inferred, d);
    refused = !d.ok();
  } catch (const FatalError& e) {  // a number leaves 64 bits
    EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
    refused = true;
  }
  if (refused) {
    ++seen.refused;
    return;
  }
  const Value told = inferred.value(inferred.outputs[0]);
  ASSERT_TRUE(told.shape.has_value()) << g.dump();
  for (const Sizes& sizes : kSizes) {
    const auto dims = at(*told.shape, sizes);
    if (!are_allowed(inferred, sizes) || !dims || std::any_of(dims->begin(), dims->end(), [](int64_t v) { return v < 1 || v > kLargest; })) continue;
    SCOPED_TRACE("batch " + std::to_string(sizes.at("batch")) + ", seq " + std::to_string(sizes.at("seq")));
    std::vector<Tensor> given{Tensor(DType::kFloat, {sizes.at("batch"), sizes.at("seq")})}, before, after;
    try {
      before = interpret(g, given);
    } catch (const FatalError& e) {
      EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
      continue;  // a division by zero, say
    }
    after = interpret(inferred, given);
    ++seen.compared;
    ASSERT_EQ(before[0].dims(), *dims) << g.dump();
    ASSERT_TRUE(before[0].same_bytes(after[0])) << g.dump() << inferred.dump();
    if (!told.elements) continue;
    const auto elements = at(*told.elements, sizes);
    ASSERT_TRUE(!elements || before[0].cast(DType::kInt64).to_int64() == *elements) << g.dump() << inferred.dump();
  }
}

using Make = std::function<ValueId(Numbers&, ValueId, ValueId)>;

Seen over_all_pairs(const std::vector<std::pair<std::string, Make>>& all) {
  Seen seen;
  for (const auto& [name, make] : all)
    for (size_t i = 0; i < kNumbers; ++i)
      for (size_t k = 0; k < kNumbers; ++k) {
        SCOPED_TRACE(name + " of numbers " + std::to_string(i) + " and " + std::to_string(k));
        // 0 divided by 0 is no number, and an integer of one is anybody's.
        if (name.find("floats") != std::string::npos && (k == 2 || k == 4 || k == 5)) continue;
        Numbers n;
        const ValueId a = n.number(i), b = n.number(k);
        expect_told_right(n, make(n, a, b), seen);
        if (::testing::Test::HasFatalFailure()) return seen;
      }
  return seen;
}

TEST(ComputedSizes, Arithmetic) {
  std::vector<std::pair<std::string, Make>> all;
  for (int kind = bb::kAdd; kind <= bb::kPRelu; ++kind) {
    const auto k = static_cast<bb::Kind>(kind);
    const std::string name = "binary " + std::to_string(kind);
    if (kind == bb::kAnd || kind == bb::kOr || kind == bb::kXor) {
      all.emplace_back(name, [k](Numbers& n, ValueId a, ValueId b) { return n.op(k, n.cast(a, DType::kBool), n.cast(b, DType::kBool)); });
      continue;
    }
    all.emplace_back(name, [k](Numbers& n, ValueId a, ValueId b) { return n.op(k, a, b); });
    if (k == bb::kDiv || k == bb::kMod || k == bb::kMul || k == bb::kPow)
      all.emplace_back(name + " of floats, back in integers", [k](Numbers& n, ValueId a, ValueId b) {
        return n.cast(n.op(k, n.cast(a, DType::kFloat), n.cast(b, DType::kFloat)), DType::kInt64);
      });
  }
  for (const int kind : {ub::kNeg, ub::kAbs, ub::kSign, ub::kSquare, ub::kFloor, ub::kCeil, ub::kRound, ub::kSqrt})
    for (const DType t : {DType::kInt64, DType::kFloat})
      all.emplace_back("unary " + std::to_string(kind) + " of a quotient" + (t == DType::kFloat ? " of floats" : ""), [kind, t](Numbers& n, ValueId a, ValueId b) {
        const ValueId quotient = n.op(bb::kDiv, n.cast(a, t), n.cast(b, t));
        return n.cast(n.b.node(OpKind::kUnary, {quotient}, UnaryAttrs{kind, 0}), DType::kInt64);
      });
  all.emplace_back("not less", [](Numbers& n, ValueId a, ValueId b) {
    return n.cast(n.b.node(OpKind::kUnary, {n.op(bb::kLess, a, b)}, UnaryAttrs{ub::kNot, 0}), DType::kInt64);
  });
  all.emplace_back("the one or the other",
                   [](Numbers& n, ValueId a, ValueId b) { return n.b.node(OpKind::kWhere, {n.op(bb::kLess, a, b), a, b}); });
  const Seen seen = over_all_pairs(all);
  EXPECT_GT(seen.compared, 4 * seen.refused);
}

TEST(ComputedSizes, Reductions) {
  std::vector<std::pair<std::string, Make>> all;
  for (int kind = rp::kSum; kind <= rp::kLogSumExp; ++kind)
    all.emplace_back("reduce " + std::to_string(kind), [kind](Numbers& n, ValueId a, ValueId b) {
      return n.b.node(OpKind::kReduce, {n.list({a, b, a})}, ReduceAttrs{static_cast<rp::Kind>(kind), {0}, false, false});
    });
  EXPECT_GT(over_all_pairs(all).compared, 1000);
}

// Bounds, counts and amounts that are computed.
TEST(ComputedSizes, MovedElements) {
  std::vector<std::pair<std::string, Make>> all;
  for (const int64_t step : {1, 2, -1, -2})
    for (const bool of_numbers : {false, true})
      all.emplace_back("slice by " + std::to_string(step), [=](Numbers& n, ValueId a, ValueId b) {
        const ValueId from = of_numbers ? n.list({n.dim(0), n.dim(1), n.b.scalar(int64_t{7}), a}) : n.x;
        return n.b.node(OpKind::kSlice, {from, n.list({a}), n.list({b}), n.b.ints({of_numbers ? 0 : 1}), n.b.ints({step})});
      });
  for (const int64_t step : {1, 3, -2})
    all.emplace_back("range by " + std::to_string(step),
                     [=](Numbers& n, ValueId a, ValueId b) { return n.b.node(OpKind::kRange, {a, b, n.b.scalar(step)}); });
  all.emplace_back("an element of a range", [](Numbers& n, ValueId a, ValueId b) {
    const ValueId range = n.b.node(OpKind::kRange, {n.b.scalar(int64_t{2}), n.op(bb::kAdd, n.dim(1), n.b.scalar(int64_t{2})), n.b.scalar(int64_t{1})});
    return n.op(bb::kAdd, n.b.node(OpKind::kGather, {range, a}, AxisAttrs{0}), b);
  });
  all.emplace_back("an element of a list", [](Numbers& n, ValueId a, ValueId b) {
    return n.b.node(OpKind::kGather, {n.list({a, b, n.dim(1)}), n.b.scalar(int64_t{-2})}, AxisAttrs{0});
  });
  all.emplace_back("copies", [](Numbers& n, ValueId a, ValueId b) { return n.b.node(OpKind::kTile, {n.x, n.list({a, b})}); });
  all.emplace_back("spread", [](Numbers& n, ValueId a, ValueId b) {
    return n.b.node(OpKind::kExpand, {n.b.floats({1, 1}, {2}), n.list({a, b})});
  });
  all.emplace_back("padded", [](Numbers& n, ValueId a, ValueId b) {
    return n.b.node(OpKind::kPad, {n.x, n.list({a, n.b.scalar(int64_t{0}), b, n.b.scalar(int64_t{1})})}, PadAttrs{});
  });
  all.emplace_back("in another shape", [](Numbers& n, ValueId a, ValueId b) {
    return n.b.node(OpKind::kReshape, {n.x, n.list({a, b, n.b.scalar(int64_t{-1})})}, ReshapeAttrs{});
  });
  all.emplace_back("in two parts", [](Numbers& n, ValueId a, ValueId b) {
    return n.b.nodes(OpKind::kSplit, {n.x, n.list({a, b})}, 2, SplitAttrs{1, {}, 0})[0];
  });
  const Seen seen = over_all_pairs(all);
  EXPECT_GT(seen.compared, 1000);
}

}  // namespace
}  // namespace edgeconv_test
