// ert_model_work: the cost of a run before it starts.
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

struct Asked {
  ert_status status;
  ert_work work;
};
Asked work_of(const BlobSpec& s, std::vector<int32_t> dims) {
  const AlignedBytes b = s.build();
  ert_model m;
  EXPECT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  Asked a{ERT_OK, {}};
  a.work.struct_size = sizeof a.work;
  a.status = ert_model_work(&m, dims.empty() ? nullptr : dims.data(), &a.work);
  uint64_t macs = 0;
  EXPECT_EQ(ert_model_macs(&m, dims.empty() ? nullptr : dims.data(), &macs), a.status);
  EXPECT_EQ(macs, a.work.macs);
  return a;
}

// x [batch, 4]: the input is looked at once; neg, copy and abs read and write it, the sum reads its four biases too.
TEST(Work, CountsEveryOperandOnce) {
  for (const int32_t batch : {1, 3, 8}) {
    const Asked a = work_of(small_program(), {batch});
    ASSERT_EQ(a.status, ERT_OK);
    const uint64_t n = 4 * static_cast<uint64_t>(batch);
    EXPECT_EQ(a.work.steps, n + 4 * 2 * n + 4);
    EXPECT_EQ(a.work.largest_op_steps, 2 * n + 4);
    EXPECT_EQ(a.work.macs, 0u);
    EXPECT_EQ(a.work.ops, 4u);
  }
  EXPECT_EQ(work_of(small_program(), {}).work.steps, work_of(small_program(), {8}).work.steps) << "no dims: the largest";
}

// Constants count as the others, also behind the 32 inputs that an op may say of that it looks into them: a shift by as many is undefined, as --asan and
// --m32 tell.
TEST(Work, CountsOperandsBehindThe32nd) {
  constexpr uint32_t kParts = 40;
  BlobSpec s = small_program();
  const uint64_t before = work_of(s, {1}).work.steps;
  const auto at = static_cast<uint32_t>(s.ops.size());
  BlobSpec::Op op{params::OpCode::kConcat, {}, {}, {0}, {}};
  for (uint32_t i = 0; i < kParts; ++i) op.inputs.push_back(static_cast<int32_t>(s.add_constant(ERT_F32, {s.constant(2)}, {1, 2})));
  op.outputs.push_back(static_cast<int32_t>(s.add_output("parts", ERT_F32, {s.constant(2 * kParts)}, at)));
  s.ops.push_back(op);
  EXPECT_EQ(work_of(s, {1}).work.steps - before, 2 * 2 * kParts);
}

TEST(Work, RefusesDimsThatTheModelRefuses) {
  EXPECT_EQ(work_of(small_program(), {0}).status, ERT_ERR_DIMS);
  EXPECT_EQ(work_of(small_program(), {9}).status, ERT_ERR_DIMS);
}

// Open has asked for the smallest and the largest dims; what happens between is for those who ask about it.
TEST(Work, RefusesDimsThatFitNowhereButAtBothEnds) {
  enum : uint32_t { kSub = 3, kMul = 4 };
  const auto status_at_3 = [](const auto& change) {
    BlobSpec s = small_program();
    change(s, s.expr(kSub, 0, s.constant(3)));
    EXPECT_EQ(work_of(s, {8}).status, ERT_OK);
    return work_of(s, {3}).status;
  };
  const auto square = [](BlobSpec& s, uint32_t e) { return s.expr(kMul, e, e); };
  EXPECT_EQ(status_at_3([&](BlobSpec& s, uint32_t away) { s.add_input("empty at 3", ERT_F32, {square(s, away)}); }), ERT_ERR_DIMS);
  EXPECT_EQ(status_at_3([&](BlobSpec& s, uint32_t away) {
              const auto op = static_cast<uint32_t>(s.ops.size());
              const uint32_t v = s.add_output("empty at 3", ERT_F32, {square(s, away)}, op);
              s.ops.push_back({params::OpCode::kFill, {}, {static_cast<int32_t>(v)}, {0}, {}});
            }),
            ERT_ERR_DIMS);
  EXPECT_EQ(status_at_3([&](BlobSpec& s, uint32_t) {
              // (1 - batch) * (batch - 8) is 0 at both ends and 10 here, so that 4 becomes 14.
              const uint32_t hill = s.expr(kMul, s.expr(kSub, s.constant(1), 0), s.expr(kSub, 0, s.constant(8)));
              s.values[s.outputs[0].value].shape[1] = s.expr(2, s.constant(4), hill);
            }),
            ERT_ERR_DIMS);
}

TEST(Work, RefusesDimsThatNoMemoryHoldsButAtBothEnds) {
  constexpr int32_t kMost = 32768;
  BlobSpec s = small_program();
  s.dims[0] = fb::Dim(1, kMost - 1);
  const uint32_t hill = s.expr(4, 0, s.expr(3, s.constant(kMost), 0));  // batch * (kMost - batch)
  s.add_input("large in the middle", ERT_F32, {hill, s.constant(2048)});  // 2^28 bytes at the ends, 2^41 between
  EXPECT_EQ(work_of(s, {kMost - 1}).status, ERT_OK);
  EXPECT_EQ(work_of(s, {kMost / 2}).status, ERT_ERR_DIMS);
}

// 130 products of two (the largest that an op accepts have 2^31 elements) square matrices into an output each.
BlobSpec products() {
  BlobSpec s;
  const uint32_t one = s.constant(1), d = s.dim("d", 1, sizeof(size_t) < 8 ? 1000 : 46340);
  const int32_t x = static_cast<int32_t>(s.add_input("x", ERT_F32, {one, d, d}));
  for (uint32_t i = 0; i < 130; ++i) {
    const int32_t out = static_cast<int32_t>(s.add_output("out" + std::to_string(i), ERT_F32, {one, d, d}, i));
    s.ops.push_back({params::OpCode::kMatMul, {x, x}, {out}, {0}, {1.0f}});
  }
  return s;
}

TEST(Work, MultiplyAccumulatesAreSteps) {
  const Asked a = work_of(products(), {3});
  ASSERT_EQ(a.status, ERT_OK);
  EXPECT_EQ(a.work.macs, 130u * 27);
  EXPECT_EQ(a.work.steps, 9u + 130u * (27 + 3 * 9));
  EXPECT_EQ(a.work.largest_op_steps, 27u + 3 * 9);
}

// The largest sizes that an op accepts: figures far above 32 bits.
TEST(Work, FiguresAreOf64Bits) {
  const uint64_t d = 46340;
  if (sizeof(size_t) < 8) return;  // no such tensor
  const Asked a = work_of(products(), {46340});
  ASSERT_EQ(a.status, ERT_OK);
  EXPECT_EQ(a.work.macs, 130 * d * d * d);
  EXPECT_EQ(a.work.steps, d * d + 130 * (d * d * d + 3 * d * d));
}

// Of a Conv whose outputs share ranges every rectangle is quantized: here 16 rows of outputs of 3 each, two rectangles of 8 by 70 pixels a row, for
// patches of 8 by 1. A run took five times the steps that were said.
TEST(Work, RectanglesThatNeighboursShareAreSteps) {
  BlobSpec s;
  const auto constant = [&](uint8_t dtype, std::vector<int64_t> shape, size_t bytes) {
    std::vector<uint32_t> axes;
    for (const int64_t size : shape) axes.push_back(s.constant(size));
    s.segments.push_back({std::vector<uint8_t>(bytes), 0, 0});
    return static_cast<int32_t>(s.add({dtype, axes, 1, static_cast<uint32_t>(s.segments.size()) - 1}));
  };
  const auto axes = [&](int64_t rows, int64_t columns, int64_t channels) {
    return std::vector<uint32_t>{s.constant(1), s.constant(rows), s.constant(columns), s.constant(channels)};
  };
  const int32_t x = static_cast<int32_t>(s.add_input("x", ERT_F32, axes(23, 139, 4)));
  const int32_t weights = constant(params::kPackedN16K4, {1, 32}, 16 * 32);
  const int32_t scale = constant(ERT_F32, {1}, 4), sums = constant(ERT_I32, {1}, 4);
  const int32_t out = static_cast<int32_t>(s.add_output("out", ERT_F32, axes(16, 3, 1), 0));
  s.ops.push_back({params::OpCode::kConv,
                   {x, weights, -1, scale, sums},
                   {out},
                   {params::linear::kInt8, params::linear::kNoActivation, 0, 4, 2, 8, 1, 1, 0, 0, 1, 69, 1, 0, 0},
                   {}});
  const Asked a = work_of(s, {});
  ASSERT_EQ(a.status, ERT_OK);
  EXPECT_EQ(a.work.macs, 16u * 3 * 32);
  const uint64_t operands = 23 * 139 * 4 + 32 + 1 + 1 + 16 * 3;
  EXPECT_EQ(a.work.largest_op_steps, a.work.macs + operands + 16u * 2 * 8 * 70 * 4);
}

// Outputs that nobody wants are absent: they cost no steps.
TEST(Work, AbsentOutputsAreNoSteps) {
  const auto steps = [](bool with_sum) {
    BlobSpec s;
    const uint32_t two = s.constant(2), four = s.constant(4);
    const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
    const uint32_t x = s.add_input("x", ERT_F32, {two, four});
    const uint32_t ones = s.add_constant(ERT_F32, {four}, {1, 1, 1, 1});
    const uint32_t y = s.add_output("y", ERT_F32, {two, four}, 0);
    const int32_t sum = with_sum ? i(s.add_output("sum", ERT_F32, {two, four}, 0)) : -1;
    s.ops = {{params::OpCode::kLayerNorm, {i(x), -1, i(ones), -1}, {i(y), sum}, {0}, {1e-5f}}};
    const Asked a = work_of(s, {});
    EXPECT_EQ(a.status, ERT_OK);
    return a.work.steps;
  };
  EXPECT_EQ(steps(true), steps(false) + 8);
}

// A caller's struct of another age, and none.
TEST(Work, WrongArguments) {
  const AlignedBytes b = small_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_work work{};
  EXPECT_EQ(ert_model_work(&m, nullptr, &work), ERT_ERR_ARG) << "no struct_size";
  EXPECT_EQ(ert_model_work(&m, nullptr, nullptr), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_work(nullptr, nullptr, &work), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_macs(&m, nullptr, nullptr), ERT_ERR_ARG);
}

}  // namespace
}  // namespace ert::testing
