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
  if (log.context != nullptr) {
    log.reentry = ert_run(log.context);
    ert_error_detail why{};
    why.struct_size = sizeof why;
    EXPECT_EQ(ert_last_error(log.context, &why), ERT_ERR_STATE) << "it may be half written";
  }
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
