// Names and expressions in the dimensions of a file.
#include "convert/onnx/dim_params.h"

#include <gtest/gtest.h>

namespace edgeconv {
namespace {

const std::set<std::string> kNames = {"batch", "sequence", "s0"};
const DimExpr B = DimExpr::symbol("batch"), S = DimExpr::symbol("sequence");

TEST(DimParams, ParsesExpressions) {
  EXPECT_EQ(parse_dim_expression("batch*sequence", kNames), B * S);
  EXPECT_EQ(parse_dim_expression(" 2*batch + sequence - 1 ", kNames), B * 2 + S - 1);
  EXPECT_EQ(parse_dim_expression("(batch + 1)*4", kNames), B * 4 + 4);
  EXPECT_EQ(parse_dim_expression("sequence//2", kNames), S.floor_div(2));
  EXPECT_EQ(parse_dim_expression("floor(sequence/2)", kNames), S.floor_div(2));
  EXPECT_EQ(parse_dim_expression("Min(sequence, 512)", kNames), DimExpr::min(S, 512));
  EXPECT_EQ(parse_dim_expression("-sequence + 3", kNames), DimExpr(3) - S);
}

// ceil(n / 2), which was read as floor(n / 2): the minus was taken of the quotient.
TEST(DimParams, AMinusInFrontIsOfTheFirstOperand) {
  for (const char* half : {"-(-sequence//2)", "-floor(-sequence/2)", "-((-sequence)//2)"}) {
    const auto e = parse_dim_expression(half, kNames);
    ASSERT_TRUE(e.has_value()) << half;
    for (const int64_t n : {1, 2, 7, 8}) EXPECT_EQ(e->evaluate({{"sequence", n}}), (n + 1) / 2) << half << " of " << n;
  }
  EXPECT_EQ(parse_dim_expression("3 - sequence//2", kNames), DimExpr(3) - S.floor_div(2));
  EXPECT_EQ(parse_dim_expression("-2*sequence", kNames), S * -2);
}

TEST(DimParams, LeavesEverythingElseAlone) {
  for (const char* text :
       {"", "batch size", "unknown*2", "batch*", "(batch", "batch)", "2^batch", "9999999999999999999999", "f(batch)"})
    EXPECT_FALSE(parse_dim_expression(text, kNames).has_value()) << text;
  EXPECT_FALSE(parse_dim_expression(std::string(400, '('), kNames).has_value());
}

TEST(DimParams, PlainNames) {
  EXPECT_TRUE(is_plain_dim_name("batch_size"));
  EXPECT_TRUE(is_plain_dim_name("s0"));
  EXPECT_FALSE(is_plain_dim_name("2"));
  EXPECT_FALSE(is_plain_dim_name("a b"));
  EXPECT_FALSE(is_plain_dim_name(""));
}

}  // namespace
}  // namespace edgeconv
