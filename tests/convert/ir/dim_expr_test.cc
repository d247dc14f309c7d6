// Normal form, division, substitution and evaluation of symbolic sizes.
#include "convert/ir/dim_expr.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"
#include "tests/convert/sizes.h"

namespace edgeconv {
namespace {

using testing::B;
using testing::S;

TEST(DimExpr, EqualExpressionsCompareEqual) {
  EXPECT_EQ(B * S, S * B);
  EXPECT_EQ((B + S) * (B - S), B * B - S * S);
  EXPECT_EQ(B - B, DimExpr(0));
  EXPECT_NE(B, S);
  EXPECT_TRUE((B + 1 - 1).is_symbol());
  EXPECT_EQ((B + 1 - 1).symbol_name(), "batch");
}

TEST(DimExpr, DividesExactlyWherePossible) {
  EXPECT_EQ((B * S * 384).floor_div(S * 384), B);
  EXPECT_EQ((B * 12 * S * 32).floor_div(B * 12), S * 32);
  EXPECT_EQ((B * B - S * S).floor_div(B + S), B - S);
  EXPECT_EQ((S * 2 + 1).floor_div(2), S);
  EXPECT_EQ((S * 3 + 4).floor_div(2), S + 2 + S.floor_div(2));
  EXPECT_EQ(S.floor_div(2).floor_div(2), S.floor_div(4));
  EXPECT_EQ((B * S).floor_div(B * 2), S.floor_div(2));
  EXPECT_EQ(DimExpr(-7).floor_div(2), DimExpr(-4));
  EXPECT_EQ((S * 6).mod(3), DimExpr(0));
  EXPECT_EQ((S * 7).mod(3), S.mod(3));
  EXPECT_FALSE(DimExpr(1).floor_div(0).evaluate({}).has_value());
}

TEST(DimExpr, MinMaxUseThatDimsAreAtLeastOne) {
  EXPECT_EQ(DimExpr::max(S, 1), S);
  EXPECT_EQ(DimExpr::min(B * S, S), S);
  EXPECT_EQ(DimExpr::min(S + 2, S), S);
  EXPECT_EQ(DimExpr::min(S, INT64_MAX), S);
  EXPECT_EQ(DimExpr::min(S, 512), DimExpr::min(512, S));
  EXPECT_EQ(DimExpr::min(DimExpr::min(S, 512), 512), DimExpr::min(S, 512));
  EXPECT_FALSE(DimExpr::min(S, 512).is_symbol());
}

TEST(DimExpr, EvaluatesLikeIntegers) {
  std::mt19937 rng(7);
  const std::map<std::string, int64_t> dims = {{"batch", 3}, {"seq", 17}};
  for (int round = 0; round < 500; ++round) {
    DimExpr e(static_cast<int64_t>(rng() % 5));
    int64_t v = *e.constant();
    for (int step = 0; step < 6; ++step) {
      const bool use_b = rng() % 2 != 0;
      const DimExpr& s = use_b ? B : S;
      const int64_t x = use_b ? 3 : 17, c = static_cast<int64_t>(rng() % 4) + 2;
      const auto floor_of = [](int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
      switch (rng() % 6) {
        case 0: e = e + s, v += x; break;
        case 1: e = e - s, v -= x; break;
        case 2: e = e * c, v *= c; break;
        case 3: e = e.floor_div(c), v = floor_of(v, c); break;
        case 4: e = DimExpr::min(e, s), v = std::min(v, x); break;
        default: e = e.mod(c) + s, v = v - floor_of(v, c) * c + x; break;
      }
    }
    ASSERT_EQ(e.evaluate(dims), v) << e.str();
    // Substituting numbers must give the same as evaluating.
    ASSERT_EQ(e.substitute({{"batch", 3}, {"seq", 17}}).constant(), v) << e.str();
  }
}

TEST(DimExpr, RefusesToOverflow) {
  EXPECT_THROW(DimExpr(INT64_MAX) + 1, FatalError);
  EXPECT_FALSE((B * 4).evaluate({{"batch", INT64_MAX}}).has_value());
  EXPECT_FALSE(B.evaluate({}).has_value());
  DimExpr e = S;
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) e = DimExpr::min(e * 3 + B, e.floor_div(B));
      },
      FatalError);
}

// Each level writes the one before twice: 31 of them would be 2^31 atoms, which evaluate() and str() walked through one by one.
TEST(DimExpr, PartsThatRepeatAreBounded) {
  DimExpr v = S;
  for (int i = 2; i < 12; ++i) v = v - DimExpr::min(v, i);
  EXPECT_LT(v.weight(), 4096);
  EXPECT_EQ(v.evaluate({{"seq", 100}}), 100 - (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11));
  EXPECT_THROW(
      {
        for (int i = 12; i < 33; ++i) v = v - DimExpr::min(v, i);
      },
      FatalError);
}

// torch.export calls an axis that must be even 2*h.
TEST(DimExpr, NamesOfMultiplesProveWholeQuotients) {
  const DimExpr even = DimExpr::symbol("2*h"), fourth = DimExpr::symbol("4*w"), plain = DimExpr::symbol("h");
  EXPECT_EQ(even.floor_div(2) * 2, even);
  EXPECT_EQ((even - 1).floor_div(2) + 1, even.floor_div(2)) << "a convolution in steps of 2";
  EXPECT_EQ((even + 3).floor_div(2), even.floor_div(2) + 1);
  EXPECT_EQ(even.mod(2), DimExpr(0));
  EXPECT_EQ((even * B).mod(2), DimExpr(0));
  EXPECT_NE(even.floor_div(4) * 4, even);
  EXPECT_NE(even.floor_div(2).floor_div(2) * 2, even.floor_div(2));
  EXPECT_EQ(fourth.floor_div(2).floor_div(2), fourth.floor_div(4));
  EXPECT_EQ(fourth.floor_div(4) * 2, fourth.floor_div(2));
  EXPECT_EQ(fourth.floor_div(4) + fourth.floor_div(4) + fourth.floor_div(2), fourth);
  EXPECT_EQ((fourth.floor_div(2) - 1).floor_div(2) + 1, fourth.floor_div(4));
  EXPECT_EQ((even * B).floor_div(2) * 2, even * B);
  EXPECT_NE(plain.floor_div(2) * 2, plain);
  EXPECT_TRUE(even.is_symbol());
  for (int64_t n : {4, 8, 12}) EXPECT_EQ(((fourth * 3).floor_div(8) + fourth.floor_div(2)).evaluate({{"4*w", n}}), n * 3 / 8 + n / 2);
  EXPECT_EQ(even.floor_div(2).substitute({{"2*h", DimExpr(6)}}), DimExpr(3));
}

TEST(DimExpr, MultiplesOfDimNames) {
  for (const auto& [name, multiple] : std::map<std::string, int64_t>{
           {"2*h", 2}, {"32*_w1", 32}, {"h", 1}, {"2*h + 1", 1}, {"2*", 1}, {"*h", 1}, {"0*h", 1}, {"2*3", 1}, {"2*h*w", 1}, {"9999999*h", 1}, {"", 1}})
    EXPECT_EQ(multiple_of_dim(name), multiple) << name;
  EXPECT_EQ(size_at_most("4*h", 11), 8);
  EXPECT_EQ(size_at_most("4*h", 3), 4);
  EXPECT_EQ(size_at_least("4*h", 9), 12);
  EXPECT_EQ(size_at_most("h", 0), 0);
}

TEST(DimExpr, Prints) {
  EXPECT_EQ((B * S + 2).str(), "batch*seq + 2");
  EXPECT_EQ((DimExpr(0) - S * 3).str(), "-3*seq");
  EXPECT_EQ(S.floor_div(2).str(), "floor(seq/2)");
  EXPECT_EQ(shape_str({B, S, 384}), "[batch, seq, 384]");
}

TEST(Shapes, Broadcast) {
  EXPECT_EQ(broadcast_shapes({B, 1, S}, {4, S}), (Shape{B, 4, S}));
  EXPECT_FALSE(broadcast_shapes({3}, {4}).has_value());
  int calls = 0;
  const auto r = broadcast_shapes({B}, {S}, [&](const DimExpr& a, const DimExpr& b) {
    ++calls;
    EXPECT_EQ(a, B);
    EXPECT_EQ(b, S);
  });
  EXPECT_EQ(r, Shape{B});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(shape_elements({B, S, 4}), B * S * 4);
  EXPECT_TRUE(is_static({1, 2}));
  EXPECT_FALSE(is_static({1, B}));
}

}  // namespace
}  // namespace edgeconv
