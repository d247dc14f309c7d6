// The memory plan: values that live at the same time never share a slot, elementwise ops work in place, chains need two slots.
#include "convert/program/program_pass.h"
#include "convert/program/slots.h"

#include <gtest/gtest.h>

#include <set>

#include "convert/ir/diagnostics.h"
#include "rt/base/limits.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

const DimExpr S = DimExpr::symbol("seq");

class Slots : public ::testing::Test {
 protected:
  Slots() : p({{"seq", 1, 64}}) { input_ = boundary(Storage::kInput, {S, 8}); }
  int boundary(Storage storage, Shape shape) {
    const int v = p.add_value(ERT_F32, std::move(shape));
    p.values.back().storage = storage;
    return v;
  }
  int arena(Shape shape) { return p.add_value(ERT_F32, std::move(shape)); }
  void op(OpCode code, std::vector<int> in, std::vector<int> out) {
    p.ops.push_back({code, std::move(in), std::move(out), {}, {}, ""});
  }
  int unary(int x) {
    const int y = arena(p.values[static_cast<size_t>(x)].shape);
    op(OpCode::kUnary, {x}, {y});
    return y;
  }
  int linear(int x, int64_t width) {
    const int y = arena({S, width});
    op(OpCode::kLinear, {x, x, -1, -1, -1, -1}, {y});
    return y;
  }
  void finish(int last) {
    op(OpCode::kCopy, {last}, {boundary(Storage::kOutput, p.values[static_cast<size_t>(last)].shape)});
    pass_plan_slots(p, {});
    check();
  }
  int slot(int v) const { return p.values[static_cast<size_t>(v)].index; }
  // Independent of the planner: pairs of arena values that must not share their slot but do. Meeting at one op is allowed only
  // for an op that works row by row and whose operand has the result's size.
  int overlaps() const {
    int found = 0;
    for (size_t a = 0; a < p.values.size(); ++a)
      for (size_t b = 0; b < p.values.size(); ++b) {
        const TargetValue &x = p.values[a], &y = p.values[b];
        if (a == b || x.storage != Storage::kArena || y.storage != Storage::kArena || x.index != y.index ||
            x.first_op > y.first_op)
          continue;
        const OpCode code = p.ops[static_cast<size_t>(y.first_op)].code;
        const bool row_wise = code == OpCode::kUnary || code == OpCode::kBinary || code == OpCode::kLayerNorm;
        const bool in_place = x.last_op == y.first_op && row_wise && shape_elements(x.shape) == shape_elements(y.shape);
        found += x.first_op == y.first_op || (x.last_op >= y.first_op && !in_place);
      }
    return found;
  }
  void check() const {
    EXPECT_EQ(overlaps(), 0);
    for (const TargetValue& v : p.values) {
      if (v.storage == Storage::kArena) {
        EXPECT_LT(v.index, p.slots);
      }
    }
  }
  TargetProgram p;
  int input_ = -1;
};

TEST_F(Slots, ChainOfLinearsTakesTwo) {
  int v = input_;
  for (int i = 0; i < 6; ++i) v = linear(v, 8);
  finish(v);
  EXPECT_EQ(p.slots, 2);
}

// Behind the 32 inputs that the mask of an op tells of, none is overwritten. UndefinedBehaviorSanitizer sees a shift by as many.
TEST_F(Slots, OpsOfManyOperandsReplaceNone) {
  std::vector<int> many;
  for (int i = 0; i < 40; ++i) many.push_back(unary(input_));
  const int y = arena({S, 8});
  op(OpCode::kCustom, many, {y});
  finish(y);
  EXPECT_EQ(p.slots, 41);
}

// The check can fail.
TEST_F(Slots, CanaryOneSlotForEverything) {
  int v = input_;
  for (int i = 0; i < 3; ++i) v = linear(v, 8);
  finish(v);
  for (TargetValue& value : p.values)
    if (value.storage == Storage::kArena) value.index = 0;
  EXPECT_GT(overlaps(), 0);
}

TEST_F(Slots, ElementwiseChainTakesOne) {
  const int a = linear(input_, 8), b = unary(a), c = unary(b);
  finish(c);
  EXPECT_EQ(slot(a), slot(b));
  EXPECT_EQ(slot(b), slot(c));
  EXPECT_EQ(p.slots, 1);
}

TEST_F(Slots, OperandReadLaterIsNotOverwritten) {
  const int a = linear(input_, 8), b = unary(a), c = arena({S, 8});
  op(OpCode::kBinary, {a, b}, {c});
  finish(c);
  EXPECT_NE(slot(a), slot(b));
}

TEST_F(Slots, SmallerResultIsNotInPlace) {
  const int a = linear(input_, 8), row = linear(a, 1), c = arena({S, 8});
  op(OpCode::kBinary, {row, a}, {c});
  finish(c);
  EXPECT_NE(slot(row), slot(a));
  EXPECT_NE(slot(row), slot(c)) << "a broadcast operand is smaller than the result";
}

TEST_F(Slots, AliasesKeepTheirRootAlive) {
  const int a = linear(input_, 8), view = p.add_alias(a, {8, S}), other = linear(input_, 8), c = arena({S, 8});
  op(OpCode::kBinary, {view, other}, {c});
  finish(c);
  EXPECT_NE(slot(a), slot(other));
  EXPECT_EQ(p.values[static_cast<size_t>(a)].last_op, 2);
}

// An op with two outputs: both are alive when it ends, also one that nobody reads.
TEST_F(Slots, TwoOutputsAreApart) {
  const int a = linear(input_, 8), y = arena({S, 8}), unread = arena({S, 8});
  op(OpCode::kLayerNorm, {a, -1, -1, -1}, {y, unread});
  finish(y);
  EXPECT_NE(slot(y), slot(unread));
  EXPECT_NE(slot(a), slot(unread)) << "only the first output may take over the operand";
}

TEST_F(Slots, RandomPrograms) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    TargetProgram fresh({{"seq", 1, 64}});
    p = fresh;
    uint32_t random = seed;
    const auto below = [&](size_t n) { return ((random = random * 1664525u + 1013904223u) >> 8) % n; };
    std::vector<int> made{boundary(Storage::kInput, {S, 8})};
    for (int i = 0; i < 20; ++i) {
      const int x = made[below(made.size())], y = made[below(made.size())];
      if (below(2)) {
        made.push_back(linear(x, static_cast<int64_t>(1 + below(16))));
      } else {
        const int z = arena(p.values[static_cast<size_t>(x)].shape);
        op(OpCode::kBinary, {x, y}, {z});
        made.push_back(z);
      }
    }
    finish(made.back());
  }
}

// The rest of the plan would take minutes.
TEST_F(Slots, MoreThanTheRuntimeTakesAreRefusedAtOnce) {
  for (const uint32_t more : {0u, 1u}) {
    p = TargetProgram({{"seq", 1, 64}});
    input_ = boundary(Storage::kInput, {S, 8});
    std::vector<int> all;
    for (uint32_t i = 0; i < ert::limits::kMaxSlots + more; ++i) all.push_back(unary(input_));
    for (const int v : all) op(OpCode::kCopy, {v}, {boundary(Storage::kOutput, p.values[static_cast<size_t>(v)].shape)});
    if (more == 0)
      EXPECT_NO_THROW(pass_plan_slots(p, {}));
    else
      EXPECT_THROW(pass_plan_slots(p, {}), FatalError);
  }
}

TEST_F(Slots, OrderIsBySlotThenTime) {
  int v = input_;
  for (int i = 0; i < 5; ++i) v = linear(v, 8 + i);
  finish(v);
  const std::vector<uint32_t> order = arena_order(p);
  ASSERT_EQ(order.size(), 5u);
  EXPECT_EQ(std::set<uint32_t>(order.begin(), order.end()).size(), 5u);
  for (size_t i = 1; i < order.size(); ++i) {
    const TargetValue &x = p.values[order[i - 1]], &y = p.values[order[i]];
    EXPECT_LT(std::pair(x.index, x.first_op), std::pair(y.index, y.first_op));
  }
}

}  // namespace

}  // namespace edgeconv
