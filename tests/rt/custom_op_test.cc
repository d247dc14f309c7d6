// Custom ops: registered by name, called with the blob's attributes, their failure and absence reported.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

struct Seen {
  int calls = 0, result = 0;
  std::string attribute;
  std::vector<int32_t> ints;
};

// out = in + sum of the attribute's ints
int add_ints(void* context, const ert_custom_attribute* attrs, uint32_t attr_count, const ert_tensor* inputs,
             uint32_t input_count, ert_tensor* outputs, uint32_t output_count, void* scratch) {
  Seen& seen = *static_cast<Seen*>(context);
  ++seen.calls;
  EXPECT_EQ(attr_count, 1u);
  EXPECT_EQ(input_count, 1u);
  EXPECT_EQ(output_count, 1u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
  std::memset(scratch, 0xCC, 100);
  seen.attribute = attrs[0].name;
  seen.ints.assign(attrs[0].ints, attrs[0].ints + attrs[0].count);
  float sum = 0;
  for (int32_t i : seen.ints) sum += static_cast<float>(i);
  const float* in = static_cast<const float*>(inputs[0].data);
  for (int32_t i = 0; i < inputs[0].shape[0] * inputs[0].shape[1]; ++i) static_cast<float*>(outputs[0].data)[i] = in[i] + sum;
  return seen.result;
}

// small_program with its Copy replaced by the custom op.
BlobSpec custom_program() {
  BlobSpec s = small_program();
  s.custom_ops.push_back({"test::AddInts", "addends", {10, -4}});
  s.ops[2].code = params::OpCode::kCustom;
  s.ops[2].ints = {0};
  return s;
}

struct Registered {
  Registered() {
    op.struct_size = sizeof op;
    op.name = "test::AddInts";
    op.context = &seen;
    op.run = add_ints;
    op.scratch_bytes = 100;
    cfg.custom_ops = &op;
    cfg.custom_op_count = 1;
  }
  Seen seen;
  ert_custom_op op{};
  ert_config cfg = config_of_size();
};

TEST(CustomOp, RunsWithItsAttributes) {
  Registered r;
  SmallContext c(custom_program(), &r.cfg);
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  EXPECT_EQ(r.seen.calls, 1);
  EXPECT_EQ(r.seen.attribute, "addends");
  EXPECT_EQ(r.seen.ints, (std::vector<int32_t>{10, -4}));
  for (size_t i = 0; i < c.out.size(); ++i) EXPECT_EQ(c.out[i], std::abs(-c.x[i] + kSmallBias[i % 4] + 6.0f)) << i;
  EXPECT_TRUE(c.arena->intact());
}

TEST(CustomOp, FailureStopsTheRunAndLeavesTheContextUsable) {
  Registered r;
  SmallContext c(custom_program(), &r.cfg);
  r.seen.result = 1;
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_CUSTOM_OP);
  r.seen.result = 0;
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
}

TEST(CustomOp, OpenAcceptsAndInitResolves) {
  Registered r;
  const AlignedBytes b = custom_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  AlignedBytes arena(1 << 16);
  const ert_region region = {arena.data(), arena.size()};
  ert_context c;
  EXPECT_EQ(ert_context_init(&c, &m, nullptr, nullptr, &region, 1), ERT_ERR_UNSUPPORTED);
  r.op.name = "test::Other";
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_UNSUPPORTED);
  r.op.name = "test::AddInts";
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_OK);
  r.op.struct_size = 4;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_ARG);
}

TEST(CustomOp, IndexIsChecked) {
  for (int32_t bad : {-1, 1}) {
    BlobSpec s = custom_program();
    s.ops[2].ints = {bad};
    const AlignedBytes b = s.build();
    ert_model m;
    EXPECT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_ERR_MODEL) << bad;
  }
}

}  // namespace
}  // namespace ert::testing
