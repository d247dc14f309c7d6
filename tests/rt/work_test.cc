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

TEST(Work, RefusesDimsThatTheModelRefuses) {
  EXPECT_EQ(work_of(small_program(), {0}).status, ERT_ERR_DIMS);
  EXPECT_EQ(work_of(small_program(), {9}).status, ERT_ERR_DIMS);
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
