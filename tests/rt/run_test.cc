// Running a hand-built blob: results, changing dims, steps, recovery after errors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

TEST(Run, GivesTheResultForEveryBatch) {
  SmallContext c;
  for (int32_t batch : {1, 8, 2, 8, 3}) {
    c.bind(batch);
    ASSERT_EQ(ert_run(&c.context), ERT_OK);
    c.expect_results();
  }
}

TEST(Run, StepRunsOneOpAtATime) {
  SmallContext c;
  for (int round = 0; round < 2; ++round) {
    c.bind(2);
    for (int op = 0; op < 3; ++op) EXPECT_EQ(ert_step(&c.context), ERT_STEP_MORE);
    EXPECT_EQ(ert_step(&c.context), ERT_OK);
    c.expect_results();
  }
}

TEST(Run, BindingInTheMiddleOfStepsStartsOver) {
  SmallContext c;
  EXPECT_EQ(ert_step(&c.context), ERT_STEP_MORE);
  EXPECT_EQ(ert_step(&c.context), ERT_STEP_MORE);
  c.bind(1);
  for (int op = 0; op < 3; ++op) EXPECT_EQ(ert_step(&c.context), ERT_STEP_MORE);
  EXPECT_EQ(ert_step(&c.context), ERT_OK);
  c.expect_results();
}

TEST(Run, RefusesNonFiniteInputsBeforeTheFirstOp) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    for (size_t at : {size_t{0}, size_t{11}}) {
      SmallContext c;
      const float good = c.x[at];
      c.x[at] = bad;
      EXPECT_EQ(ert_run(&c.context), ERT_ERR_INPUT);
      EXPECT_TRUE(c.outputs_untouched());
      c.x[at] = good;
      EXPECT_EQ(ert_run(&c.context), ERT_OK);
      c.expect_results();
    }
  }
}

TEST(Run, RefusesDimsAboveThePlanAndRecovers) {
  SmallContext c;
  c.bind(9);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_DIMS);
  EXPECT_TRUE(c.outputs_untouched());
  c.bind(8);
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
  c.expect_results();
}

TEST(Run, RefusesATooSmallOutput) {
  SmallContext c;
  ert_tensor out = float_tensor({}, c.out.data(), c.out.size());
  out.bytes -= 1;
  ASSERT_EQ(ert_bind_output(&c.context, 0, &out), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_NOMEM);
  EXPECT_TRUE(c.outputs_untouched());
}

TEST(Run, RefusesAnOutputThatOverlapsAnInputOrTheArena) {
  SmallContext c;
  const ert_tensor on_input = float_tensor({}, c.x.data(), c.x.size());
  ASSERT_EQ(ert_bind_output(&c.context, 0, &on_input), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG);
  const size_t last = c.arena->region().bytes - c.out.size() * sizeof(float);
  for (size_t at : {size_t{0}, last / 8 * 4, last}) {
    const ert_tensor on_arena = float_tensor({}, static_cast<float*>(static_cast<void*>(c.arena->data() + at)), c.out.size());
    ASSERT_EQ(ert_bind_output(&c.context, 0, &on_arena), ERT_OK);
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG) << at;
  }
}

float* floats_at(void* base, size_t bytes) {
  return static_cast<float*>(static_cast<void*>(static_cast<uint8_t*>(base) + bytes));
}

// The blob is only read: it may be shared, in flash, or mapped from a file.
TEST(Run, RefusesAnOutputThatOverlapsTheBlob) {
  SmallContext c;
  const size_t bytes = c.out.size() * sizeof(float);
  for (const size_t at : {size_t{0}, size_t{64}, c.blob.size() / 2 / 4 * 4, c.blob.size() - bytes, c.blob.size() / 4 * 4 - 4}) {
    const AlignedBytes before = c.blob;
    const ert_tensor on_blob = float_tensor({}, floats_at(c.blob.data(), at), c.out.size());
    ASSERT_EQ(ert_bind_output(&c.context, 0, &on_blob), ERT_OK);
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG) << at;
    EXPECT_EQ(std::memcmp(before.data(), c.blob.data(), before.size()), 0) << at;
  }
}

TEST(Run, RefusesTensorsThatOverlapTheContext) {
  SmallContext c;
  const ert_tensor output = float_tensor({}, floats_at(&c.context, 64), c.out.size());
  ASSERT_EQ(ert_bind_output(&c.context, 0, &output), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG);
  c.bind(3);
  const ert_tensor input = float_tensor({3, 4}, floats_at(&c.context, sizeof c.context - 4), 12);
  ASSERT_EQ(ert_bind_input(&c.context, 0, &input), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG);
  EXPECT_TRUE(c.outputs_untouched());
  c.bind(3);
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
}

// small_program with a golden vector, for whose output the arena has room.
BlobSpec program_with_golden_vector() {
  BlobSpec s = small_program();
  std::vector<uint8_t> tensors(80);  // x = 0, then |bias|
  for (int column = 0; column < 4; ++column) {
    const float out = small_program_result(0, column);
    std::memcpy(&tensors[64 + 4 * static_cast<size_t>(column)], &out, sizeof out);
  }
  s.segments.push_back({tensors, 1});
  s.golden.push_back({{1}, 1, {0, 64}});
  return s;
}

// That room is ert_selftest's, not the caller's.
TEST(Run, RefusesAnOutputAnywhereInTheArena) {
  SmallContext c(program_with_golden_vector(), nullptr, 1);
  EXPECT_EQ(ert_selftest(&c.context), ERT_OK);
  c.bind(1);
  for (size_t at = 0; at < c.arena->region().bytes; at += 4) {
    const ert_tensor on_arena = float_tensor({}, floats_at(c.arena->data(), at), 4);
    ASSERT_EQ(ert_bind_output(&c.context, 0, &on_arena), ERT_OK);
    ASSERT_EQ(ert_run(&c.context), ERT_ERR_ARG) << at;
  }
  EXPECT_EQ(ert_selftest(&c.context), ERT_OK);
}

// An op before the one that reads it could overwrite it. The blob is nobody's to write, so inputs may be there.
TEST(Run, RefusesAnInputInTheArenaButNotInTheBlob) {
  SmallContext c;
  for (const size_t at : {size_t{0}, c.arena->region().bytes - 48, c.arena->region().bytes - 4}) {
    const ert_tensor on_arena = float_tensor({3, 4}, floats_at(c.arena->data(), at), 12);
    ASSERT_EQ(ert_bind_input(&c.context, 0, &on_arena), ERT_OK);
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG) << at;
    ert_error_detail why{};
    why.struct_size = sizeof why;
    ASSERT_EQ(ert_last_error(&c.context, &why), ERT_OK);
    EXPECT_EQ(why.fault, uint32_t{ERT_FAULT_OVERLAP});
    EXPECT_EQ(why.input, 0);
    EXPECT_TRUE(c.outputs_untouched());
  }
  const ert_tensor in_blob = float_tensor({1, 4}, floats_at(c.blob.data(), c.blob.size() - 16), 4);  // the bias
  ASSERT_EQ(ert_bind_input(&c.context, 0, &in_blob), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
}

TEST(Run, BindChecksTheTensor) {
  SmallContext c;
  ert_tensor t = float_tensor({3, 4}, c.x.data(), c.x.size());
  const auto bound = [&c](const ert_tensor& tensor) { return ert_bind_input(&c.context, 0, &tensor); };
  EXPECT_EQ(bound(t), ERT_OK);
  EXPECT_EQ(ert_bind_input(&c.context, 1, &t), ERT_ERR_ARG);
  EXPECT_EQ(ert_bind_input(&c.context, 0, nullptr), ERT_ERR_ARG);
  ert_tensor wrong = t;
  wrong.shape[1] = 5;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.shape[0] = 0;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.rank = 1;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.rank = 9;
  EXPECT_EQ(bound(wrong), ERT_ERR_ARG);
  wrong = t, wrong.dtype = ERT_I32;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.bytes -= 1;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.data = reinterpret_cast<uint8_t*>(c.x.data()) + 1;
  EXPECT_EQ(bound(wrong), ERT_ERR_ALIGN);
  wrong = t, wrong.data = nullptr;
  EXPECT_EQ(bound(wrong), ERT_ERR_ARG);
  wrong = t, wrong.struct_size = 0;
  EXPECT_EQ(bound(wrong), ERT_ERR_ARG);
  EXPECT_EQ(ert_run(&c.context), ERT_OK) << "refused bindings leave the good one in place";
  c.expect_results();
}

TEST(Run, OutputShapeFollowsTheInputs) {
  SmallContext c;
  for (int32_t batch : {5, 1}) {
    c.bind(batch);
    ert_tensor t{};
    t.struct_size = sizeof t;
    ASSERT_EQ(ert_output_shape(&c.context, 0, &t), ERT_OK);
    EXPECT_EQ(t.rank, 2u);
    EXPECT_EQ(t.shape[0], batch);
    EXPECT_EQ(t.shape[1], 4);
    EXPECT_EQ(t.dtype, static_cast<uint32_t>(ERT_F32));
    EXPECT_EQ(t.bytes, static_cast<size_t>(batch) * 16);
  }
}

struct HookLog {
  std::vector<uint32_t> ops;
  uint32_t abort_at = UINT32_MAX;
  ert_context* context = nullptr;
  ert_status reentry = ERT_OK;
};

int log_hook(void* context, uint32_t op, uint32_t phase, const char* kind, const char* name) {
  HookLog& log = *static_cast<HookLog*>(context);
  EXPECT_NE(kind, nullptr);
  EXPECT_EQ(std::string(name), "node_" + std::to_string(op));
  if (phase == 0) log.ops.push_back(op);
  if (log.context != nullptr) log.reentry = ert_run(log.context);
  return phase == 0 && op == log.abort_at;
}

TEST(Run, HookSeesEveryOpAndCanAbort) {
  HookLog log;
  ert_config cfg = config_of_size();
  cfg.op_hook = log_hook;
  cfg.op_hook_context = &log;
  SmallContext c(small_program(), &cfg);
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  EXPECT_EQ(log.ops, (std::vector<uint32_t>{0, 1, 2, 3}));
  log.ops.clear();
  log.abort_at = 2;
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_ABORTED);
  EXPECT_EQ(log.ops, (std::vector<uint32_t>{0, 1, 2}));
  log.abort_at = UINT32_MAX;
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
  c.expect_results();
}

TEST(Run, OpsWithoutNamesHaveEmptyOnes) {
  BlobSpec s = small_program();
  s.op_names = false;
  std::vector<std::string> names;
  ert_config cfg = config_of_size();
  cfg.op_hook = [](void* context, uint32_t, uint32_t, const char*, const char* name) {
    static_cast<std::vector<std::string>*>(context)->push_back(name);
    return 0;
  };
  cfg.op_hook_context = &names;
  SmallContext c(s, &cfg);
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  EXPECT_EQ(names, std::vector<std::string>(8));  // before and behind each of four ops
}

TEST(Run, ReentryFromTheHookIsRefused) {
  HookLog log;
  ert_config cfg = config_of_size();
  cfg.op_hook = log_hook;
  cfg.op_hook_context = &log;
  SmallContext c(small_program(), &cfg);
  log.context = &c.context;
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
  EXPECT_EQ(log.reentry, ERT_ERR_STATE);
  c.expect_results();
}

}  // namespace
}  // namespace ert::testing
