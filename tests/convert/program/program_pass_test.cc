// The list of program passes: its order is part of what they promise.
#include "convert/program/program_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "convert/ir/diagnostics.h"
#include "convert/program/program_text.h"
#include "kernels_int8/contract/unary.h"
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

// A file of .5 MB took 46 s: who reads what was asked anew for every sum.
TEST_F(ProgramPasses, ManySumsTakeTimeByTheirNumber) {
  constexpr int kMany = 10000;
  for (int i = 0, sum = activated; i < kMany; ++i) {
    const int next = value();
    p.ops.push_back({OpCode::kBinary, {sum, activated}, {next}, {ert::params::binary::kAdd}, {}, ""});
    sum = next;
  }
  const std::clock_t begin = std::clock();
  EXPECT_EQ(pass_fuse_map_residual(p, {}), 0);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 2);
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

TEST_F(ProgramPasses, AreTraced) {
  std::vector<std::string> lines;
  PassTrace trace("plan_slots", [&](const std::string& line) { lines.push_back(line); });
  run_program_passes(p, {false, &trace, 2});
  EXPECT_EQ(lines, (std::vector<std::string>{"pass coarse_activations round 2: 1 match", "pass plan_slots round 2: 1 match"}));
  const std::string listing =
      "dim rows: 1 to 64\n"
      "input x %0: float32 [rows, 8] from -2147483648 to 2147483647\n"
      "%1: float32 [rows, 8]SLOT = Linear(%0, -, -, -, -, -) ints {0, 18}  # \n"
      "%2: float32 [rows, 8] = Linear(%1, -, -, -, -, -) ints {0, -1}  # \n"
      "output y %2: float32 [rows, 8]\n";
  const auto with = [&](const std::string& slot) {
    std::string s = listing;
    return s.replace(s.find("SLOT"), 4, slot);
  };
  EXPECT_EQ(trace.states(), "== plan_slots round 2 before\n" + with("") + "== plan_slots round 2 after\n" + with(" slot 0"));
}

TEST_F(ProgramPasses, ListingsShowWhatAProgramHas) {
  p.values[1].storage = Storage::kAlias;
  p.values[1].index = 0;
  p.packing = TargetPacking{0, 1, "packed_rows", DimExpr::symbol("rows"), 8};
  p.exprs.declare_rows("packed_rows", DimExpr::symbol("rows"), 8);
  const int c = p.add_constant(ERT_F32, {2}, Tensor::of<float>(DType::kFloat, {2}, {1.5f, 2}));
  p.ops[1].inputs = {activated, c};
  p.ops[1].floats = {0.5f};
  p.ops[1].name = "/last";
  p.custom_ops.push_back({"my.ops::Inverse2", {}});
  const std::string text = program_text(p);
  for (const char* part : {"packing packed_rows: rows where input 0 is not 1\n", "constant %3: float32 [2] {1.5, 2}\n",
                           "Linear(%1: float32 [rows, 8] alias of %0, %3) ints {0, -1} floats {0.5}  # /last\n",
                           "custom my.ops::Inverse2\n", "size e0 = rows\nsize e1 = 8\nsize e2 = e0 rows of e1\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
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
