// A Linear over Patches is one Conv, whatever the sizes; other readers of the patches get them as a value.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/measure/accumulated_error.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;
namespace conv = ert::params::conv;
using ert::params::OpCode;

constexpr int64_t kChannels = 8;

PatchesAttrs three_by_three() { return {{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, 0, kChannels}; }

struct LoweredConv {
  GraphBuilder b;
  ValueId patches = kNone;

  explicit LoweredConv(int64_t filters, const PatchesAttrs& a = three_by_three()) {
    const ValueId x = b.input("x", {DimExpr::symbol("batch"), 6, DimExpr::symbol("width"), kChannels});
    patches = b.node(OpKind::kPatches, {x}, a);
    const LinearAttrs relu{static_cast<int>(ert::kernels::Unary::kRelu)};
    b.output(b.node(OpKind::kLinear, {patches, b.weights({9 * a.channels, filters}), b.weights({filters})}, relu));
  }
  TargetProgram program(linear::Precision precision) {
    finish(b.g);
    LowerOptions options = lower_options(plan_dims(b.g, {{"width", 50}}));
    options.plan = int8_plan(b.g);
    for (const auto& [node, how] : options.plan.layers()) options.plan.set(node, precision);
    Diagnostics d;
    return build_program(b.g, options, d);
  }
};

Tensor map_of(int64_t batch, int64_t width) {
  std::vector<float> v;
  for (int64_t i = 0; i < batch * 6 * width * kChannels; ++i) v.push_back(static_cast<float>((i * 7919) % 1009) / 500.0f - 1.0f);
  return Tensor::of<float>(DType::kFloat, {batch, 6, width, kChannels}, v);
}

int ops_of(const TargetProgram& p, OpCode code) {
  return static_cast<int>(std::count_if(p.ops.begin(), p.ops.end(), [&](const TargetOp& o) { return o.code == code; }));
}

TEST(LowerConv, IsOneOp) {
  for (const auto& [precision, code] : {std::pair{linear::kInt8, OpCode::kConv}, {linear::kF32, OpCode::kDirectConv}}) {
    const TargetProgram p = LoweredConv(16).program(precision);
    EXPECT_EQ(p.ops.size(), 1u);
    EXPECT_EQ(p.ops[0].code, code);
  }
}

TEST(LowerConv, OtherReadersGetThePatches) {
  LoweredConv c(16);
  c.b.output(c.b.unary(ert::kernels::Unary::kRelu, c.patches));
  const TargetProgram p = c.program(linear::kF32);
  EXPECT_EQ(ops_of(p, OpCode::kConv), 1);
  EXPECT_EQ(ops_of(p, OpCode::kDirectConv), 1);
  EXPECT_EQ(ops_of(p, OpCode::kLinear), 0);
}

TEST(LowerConv, FewFiltersShareRanges) {
  EXPECT_EQ(LoweredConv(16).program(linear::kInt8).ops[0].ints[conv::kSharedColumns], 16);
  EXPECT_EQ(LoweredConv(16).program(linear::kInt8A16).ops[0].ints[conv::kSharedColumns], 0);
  EXPECT_EQ(LoweredConv(200).program(linear::kInt8).ops[0].ints[conv::kSharedColumns], 0) << "the products take longer";
  PatchesAttrs apart = three_by_three();
  apart.window.strides = {3, 3};
  EXPECT_EQ(LoweredConv(16, apart).program(linear::kInt8).ops[0].ints[conv::kSharedColumns], 0) << "nothing overlaps";
  PatchesAttrs odd = three_by_three();
  odd.channels = 6;
  EXPECT_EQ(LoweredConv(16, odd).program(linear::kInt8).ops[0].ints[conv::kSharedColumns], 0) << "not in fours";
}

// The first int of a DirectConv is no precision, as that of a Linear is: with ReLU, which is 0, it was listed as int8.
TEST(LowerConv, AccumulatedErrorsKnowThePrecision) {
  for (const linear::Precision precision : {linear::kInt8, linear::kF32}) {
    LoweredConv c(16);
    const Tensor blob = write_blob(c.program(precision), {"p", "s", "{}", 0, {}});
    BlobRunner runner(blob.data(), blob.bytes());
    const auto errors = accumulated_errors(c.b.g, runner, {{map_of(1, 20)}}, std::nullopt);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors.begin()->second.precision, precision);
    EXPECT_EQ(std::isinf(errors.begin()->second.sqnr_db), precision == linear::kF32);
  }
}

// Every batch, width, thread count and ISA level: an image has the same bits alone and among others.
TEST(LowerConv, HasTheSameBitsHoweverItRuns) {
  for (const linear::Precision precision : {linear::kInt8, linear::kInt8A16, linear::kF32}) {
    const Tensor blob = write_blob(LoweredConv(16).program(precision), {"p", "s", "{}", 0, {}});
    BlobRunner runner(blob.data(), blob.bytes());
    for (const int64_t width : {1, 2, 15, 16, 17, 33, 50}) {
      const std::vector<float> want = runner.run({map_of(3, width)})[0].to_float();
      for (const uint32_t isa : {1u << ERT_ISA_REF, 1u << ERT_ISA_AVX2})
        for (const uint32_t threads : {1u, 3u}) {
          if ((isa & ~ert_isa_available()) != 0) continue;
          RunnerOptions o;
          o.threads = threads;
          o.isa_mask = isa;
          EXPECT_EQ(runner.run({map_of(3, width)}, o)[0].to_float(), want) << width << ' ' << threads << ' ' << isa;
        }
      const std::vector<float> alone = runner.run({map_of(1, width)})[0].to_float();
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), want.begin())) << width;
    }
  }
}

}  // namespace

}  // namespace edgeconv::testing
