// The list of program passes: its order is part of what they promise.
#include "convert/program/program_pass.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "convert/ir/diagnostics.h"
#include "kernels_int8/kernel_table.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace linear = ert::params::linear;
using ert::kernels::Unary;
using ert::params::OpCode;

// input -> Linear with GELU -> int8 Linear -> output, as lower() would leave it.
class ProgramPasses : public ::testing::Test {
 protected:
  ProgramPasses() : p({{"rows", 1, 64}}) {
    const int x = boundary(Storage::kInput);
    p.inputs.push_back({"x", ERT_F32, x});
    activated = add_linear(x, static_cast<int32_t>(Unary::kGeluErf), value());
    p.outputs.push_back({"y", ERT_F32, add_linear(activated, linear::kNoActivation, boundary(Storage::kOutput))});
  }
  int value() { return p.add_value(ERT_F32, {DimExpr::symbol("rows"), 8}); }
  int boundary(Storage storage) {
    const int v = value();
    p.values.back().storage = storage;
    return v;
  }
  int add_linear(int x, int32_t activation, int y) {
    p.ops.push_back({OpCode::kLinear, {x, -1, -1, -1, -1, -1}, {y}, {linear::kInt8, activation}, {}, ""});
    return y;
  }
  TargetProgram p;
  int activated;
};

TEST_F(ProgramPasses, AnOpThatNobodyReadsIsNoReader) {
  p.ops.push_back({OpCode::kUnary, {activated}, {value()}, {static_cast<int32_t>(Unary::kTanh)}, {}, ""});
  run_program_passes(p, {});
  EXPECT_EQ(p.ops.size(), 2u);
  EXPECT_EQ(p.ops[0].ints[linear::kActivation], static_cast<int32_t>(Unary::kGeluCoarse));
}

TEST_F(ProgramPasses, TheMemoryPlanIsThatOfTheFinalOps) {
  p.ops.push_back({OpCode::kUnary, {activated}, {value()}, {static_cast<int32_t>(Unary::kTanh)}, {}, ""});
  run_program_passes(p, {});
  EXPECT_EQ(p.slots, 1);
  for (const TargetValue& v : p.values) {
    EXPECT_GE(v.last_op, 0);
    EXPECT_LT(v.last_op, static_cast<int>(p.ops.size()));
  }
}

TEST_F(ProgramPasses, LimitsAreCheckedBeforeSizesAreMultiplied) {
  p.values[static_cast<size_t>(activated)].shape = {DimExpr(INT64_MAX / 2), DimExpr(INT64_MAX / 2)};
  try {
    run_program_passes(p, {});
    FAIL();
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kLimit) << e.what();
  }
}

TEST(ProgramPassNames, AreUnique) {
  std::vector<std::string_view> names = program_pass_names();
  EXPECT_EQ(names.front(), "remove_unread");
  EXPECT_EQ(names.back(), "plan_slots");
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace

}  // namespace edgeconv
