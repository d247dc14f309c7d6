// A program with the ops of one blob (ert_link_only_ops): it runs that blob, refuses others, and holds no other op.
#include <gtest/gtest.h>

#include "rt/ops/op_defs.h"
#include "tests/support/blob_builder.h"

namespace ert {
extern const OpDef kOpBinary __attribute__((weak));
extern const OpDef kOpUnary __attribute__((weak));  // null where nothing else brings it in
extern const OpDef kOpLinear __attribute__((weak));

namespace testing {
namespace {

AlignedBytes program(params::OpCode code, std::vector<int32_t> inputs, std::vector<int32_t> ints) {
  BlobSpec s;
  const uint32_t n = s.constant(4);
  const auto x = static_cast<int32_t>(s.add_input("x", ERT_F32, {n}));
  for (int32_t& i : inputs) i = x;
  const auto out = static_cast<int32_t>(s.add_output("y", ERT_F32, {n}, 0));
  s.ops.push_back({code, inputs, {out}, ints, {}});
  return s.build();
}

TEST(LinkedOps, ABlobWithTheirOpsRuns) {
  const AlignedBytes blob = program(params::OpCode::kBinary, {0, 0}, {params::binary::kAdd});
  ert_model model;
  EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
}

TEST(LinkedOps, ABlobWithAnotherOpIsRefused) {
  const AlignedBytes blob = program(params::OpCode::kUnary, {0}, {params::unary::kNeg});
  ert_model model;
  EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_ERR_UNSUPPORTED);
}

TEST(LinkedOps, TheOthersAreNotInTheProgram) {
  EXPECT_NE(&kOpBinary, nullptr);
  EXPECT_EQ(&kOpUnary, nullptr);
  EXPECT_EQ(&kOpLinear, nullptr);
}

}  // namespace
}  // namespace testing
}  // namespace ert
