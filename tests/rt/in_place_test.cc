// Ops that write over what they read: allowed where the op says so and the sizes agree at all dims, refused elsewhere.
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

enum ValueIndex : uint32_t { kX, kBias, kNegated, kSum, kCopied, kOut };

// Copy declares operand 0 in-place: its output may take over the slot of its input in the op that reads it last.
TEST(SemanticsAccepts, InPlaceWhereTheOpAllowsIt) {
  BlobSpec s = small_program();
  s.values[kCopied].index = 1;
  s.arena_order = {kNegated, kSum, kCopied};
  SmallContext c(s);
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
  c.expect_results();
  s.values[kSum].last_op = 3;  // still read afterwards
  s.ops[3].inputs[0] = kSum;
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
}

// A comparison of [1, 4] floats with [4, 4] gives 16 bytes from 16 bytes. In place, its first row of results would overwrite the
// floats that the other rows are still compared with.
BlobSpec comparison(bool in_place, bool broadcast) {
  using params::OpCode;
  BlobSpec s;
  const uint32_t one = s.constant(1), four = s.constant(4);
  const std::vector<uint32_t> row{broadcast ? one : four, four}, all{four, four};
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  const uint32_t x = s.add_input("x", ERT_F32, row), y = s.add_input("y", ERT_F32, all);
  const uint32_t negated = s.add({ERT_F32, row, 0, 0, 0, 0, 1}), less = s.add({ERT_BOOL, all, 0, in_place ? 0u : 1u, 0, 1, 2});
  const uint32_t out = s.add_output("out", ERT_BOOL, all, 2);
  s.ops = {{OpCode::kUnary, {i(x)}, {i(negated)}, {params::unary::kNeg}, {}},
           {OpCode::kBinary, {i(negated), i(y)}, {i(less)}, {params::binary::kLess}, {}},
           {OpCode::kCopy, {i(less)}, {i(out)}, {}, {}}};
  s.slots = in_place ? 1 : 2;
  s.arena_order = {negated, less};
  return s;
}

TEST(SemanticsInPlace, AnOperandThatIsBroadcastIsNotOverwritten) {
  EXPECT_EQ(open_spec(comparison(false, true)), ERT_OK);
  EXPECT_EQ(open_spec(comparison(true, true)), ERT_ERR_MODEL) << "as many bytes, but another dtype and shape";
  EXPECT_EQ(open_spec(comparison(true, false)), ERT_ERR_MODEL) << "more bytes";
}

// The same dtype, but only at some dims as many bytes: a row [1, 4] is added to [batch, 4].
TEST(SemanticsInPlace, SizesAreComparedAtTheSmallestAndTheLargestDims) {
  BlobSpec s = small_program();
  s.values[kNegated].shape[0] = s.constant(1);
  s.values[kX].shape[0] = s.values[kNegated].shape[0];
  s.values[kBias].shape = {1};
  s.ops[1].inputs = {kNegated, static_cast<int32_t>(s.add_input("rows", ERT_F32, {0, 1}))};
  ASSERT_EQ(open_spec(s), ERT_OK);
  s.values[kSum].index = 0;  // sum over negated: equal at batch 1 only
  s.values[kCopied].index = 1;
  s.arena_order = {kNegated, kSum, kCopied};
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
  s.dims[0] = fb::Dim(1, 1);
  EXPECT_EQ(open_spec(s), ERT_OK) << "as many elements for all dims";
}

}  // namespace
}  // namespace ert::testing
