// States that the context keeps between runs: what is kept and when, what a blob may not say of them.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "rt/blob/kinds.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

constexpr uint32_t kSumState = 1;  // input and output that are the state

// y = |x + sum|, next sum = x + sum; x, sum [1, 2]. next seen [3] = seen + (1, 10, 100).
BlobSpec accumulator() {
  using params::OpCode;
  BlobSpec s;
  const uint32_t one = s.constant(1), two = s.constant(2), three = s.constant(3);
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  const uint32_t x = s.add_input("x", ERT_F32, {one, two}), sum = s.add_input("sum", ERT_F32, {one, two});
  const uint32_t seen = s.add_input("seen", ERT_F32, {three});
  const uint32_t ones = s.add_constant(ERT_F32, {three}, {1, 10, 100});
  const uint32_t y = s.add_output("y", ERT_F32, {one, two}, 1);
  const uint32_t next_sum = s.add_output("next_sum", ERT_F32, {one, two}, 0);
  const uint32_t next_seen = s.add_output("next_seen", ERT_F32, {three}, 2);
  s.ops = {{OpCode::kBinary, {i(x), i(sum)}, {i(next_sum)}, {params::binary::kAdd}, {}},
           {OpCode::kUnary, {i(next_sum)}, {i(y)}, {params::unary::kAbs}, {}},
           {OpCode::kBinary, {i(seen), i(ones)}, {i(next_seen)}, {params::binary::kAdd}, {}}};
  s.states = {{1, 1}, {2, 2}};
  s.program_flags = kFlagStates;
  return s;
}

struct Accumulator {
  explicit Accumulator(const ert_config* cfg = nullptr) : blob(accumulator().build()) {
    EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
    arena = std::make_unique<GuardedRegion>(arena_need(model, cfg));
    std::memset(arena->data(), 0x7F, arena_need(model, cfg));  // nothing is zero by chance
    const ert_region region = arena->region();
    EXPECT_EQ(ert_context_init(&context, &model, cfg, nullptr, &region, 1), ERT_OK);
    const ert_tensor in = float_tensor({1, 2}, x, 2), out = float_tensor({}, y, 2);
    EXPECT_EQ(ert_bind_input(&context, 0, &in), ERT_OK);
    EXPECT_EQ(ert_bind_output(&context, 0, &out), ERT_OK);
  }
  float run(float value) {
    x[0] = x[1] = value;
    EXPECT_EQ(ert_run(&context), ERT_OK);
    EXPECT_EQ(y[0], y[1]);
    EXPECT_TRUE(arena->intact());
    return y[0];
  }
  AlignedBytes blob;
  ert_model model{};
  ert_context context{};
  std::unique_ptr<GuardedRegion> arena;
  float x[2] = {}, y[2] = {};
};

TEST(KeptStates, StartAtZeroAndAccumulate) {
  Accumulator a;
  EXPECT_EQ(a.run(1), 1);
  EXPECT_EQ(a.run(2), 3);
  EXPECT_EQ(a.run(4), 7);
  EXPECT_EQ(ert_state_reset(&a.context), ERT_OK);
  EXPECT_EQ(a.run(8), 8);
}

TEST(KeptStates, AreToldByTheModel) {
  const Accumulator a;
  ert_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_model_info(&a.model, &info), ERT_OK);
  EXPECT_EQ(info.states, 2u);
  ert_value_info v{};
  v.struct_size = sizeof v;
  ASSERT_EQ(ert_model_input(&a.model, 0, &v), ERT_OK);
  EXPECT_EQ(v.state, -1);
  ASSERT_EQ(ert_model_input(&a.model, 2, &v), ERT_OK);
  EXPECT_EQ(v.state, 2);
  ASSERT_EQ(ert_model_output(&a.model, kSumState, &v), ERT_OK);
  EXPECT_EQ(v.state, 1);
}

TEST(KeptStates, StepsKeepThemAfterTheLastOpOnly) {
  Accumulator a;
  a.x[0] = a.x[1] = 5;
  ASSERT_EQ(ert_step(&a.context), ERT_STEP_MORE);
  ASSERT_EQ(ert_step(&a.context), ERT_STEP_MORE);
  const ert_tensor in = float_tensor({1, 2}, a.x, 2);
  ASSERT_EQ(ert_bind_input(&a.context, 0, &in), ERT_OK);  // starts over
  for (int op = 0; op < 2; ++op) ASSERT_EQ(ert_step(&a.context), ERT_STEP_MORE);
  ASSERT_EQ(ert_step(&a.context), ERT_OK);
  EXPECT_EQ(a.run(1), 6);
}

TEST(KeptStates, AnAbortedRunLeavesThemAsTheyWere) {
  bool abort = false;
  ert_config cfg = config_of_size();
  cfg.op_hook = [](void* context, uint32_t op, uint32_t phase, const char*, const char*) {
    return *static_cast<bool*>(context) && op == 2 && phase == 0 ? 1 : 0;
  };
  cfg.op_hook_context = &abort;
  Accumulator a(&cfg);
  EXPECT_EQ(a.run(1), 1);
  abort = true;
  EXPECT_EQ(ert_run(&a.context), ERT_ERR_ABORTED);
  abort = false;
  EXPECT_EQ(a.run(2), 3);
}

TEST(KeptStates, ABoundOutputIsSeenAndKept) {
  Accumulator a;
  float sum[2] = {};
  const ert_tensor seen = float_tensor({}, sum, 2);
  ASSERT_EQ(ert_bind_output(&a.context, kSumState, &seen), ERT_OK);
  EXPECT_EQ(a.run(1), 1);
  EXPECT_EQ(a.run(2), 3);
  EXPECT_EQ(sum[0], 3);
  ASSERT_EQ(ert_bind_output(&a.context, kSumState, nullptr), ERT_OK);
  EXPECT_EQ(a.run(3), 6);
  EXPECT_EQ(sum[0], 3);
}

TEST(KeptStates, ABoundInputIsReadInsteadUntilItIsGivenBack) {
  Accumulator a;
  float start[2] = {100, 100};
  EXPECT_EQ(a.run(1), 1);
  const ert_tensor in = float_tensor({1, 2}, start, 2);
  ASSERT_EQ(ert_bind_input(&a.context, kSumState, &in), ERT_OK);
  EXPECT_EQ(a.run(1), 101);
  EXPECT_EQ(a.run(2), 102);
  ASSERT_EQ(ert_bind_input(&a.context, kSumState, nullptr), ERT_OK);
  EXPECT_EQ(a.run(1), 103);
  EXPECT_EQ(ert_bind_input(&a.context, 0, nullptr), ERT_ERR_ARG);  // not a state
}

TEST(KeptStates, ANotFiniteStateIsRefusedUntilItIsReset) {
  Accumulator a;
  EXPECT_EQ(a.run(3e38f), 3e38f);
  a.x[0] = a.x[1] = 3e38f;
  EXPECT_EQ(ert_run(&a.context), ERT_OK);  // gives infinity
  EXPECT_EQ(ert_run(&a.context), ERT_ERR_INPUT);
  ert_error_detail why{};
  why.struct_size = sizeof why;
  ASSERT_EQ(ert_last_error(&a.context, &why), ERT_OK);
  EXPECT_EQ(why.fault, static_cast<uint32_t>(ERT_FAULT_NOT_FINITE));
  EXPECT_EQ(why.input, 1);
  ASSERT_EQ(ert_state_reset(&a.context), ERT_OK);
  EXPECT_EQ(a.run(1), 1);
}

TEST(KeptStates, TwoContextsOfOneModelAreIndependent) {
  Accumulator a, b;
  EXPECT_EQ(a.run(1), 1);
  EXPECT_EQ(b.run(5), 5);
  EXPECT_EQ(a.run(1), 2);
}

TEST(KeptStates, OpenRefusesWhatIsNoState) {
  ASSERT_EQ(open_spec(accumulator()), ERT_OK);
  const auto refused = [](const std::function<void(BlobSpec&)>& change) {
    BlobSpec s = accumulator();
    change(s);
    return open_spec(s);
  };
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[0] = fb::State(3, 1); }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[0] = fb::State(1, 3); }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[0] = fb::State(0xFFFFFFFFu, 1); }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[0] = fb::State(2, 1); }), ERT_ERR_MODEL);  // another shape
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[1] = s.states[0]; }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) { std::swap(s.states[0], s.states[1]); }), ERT_ERR_MODEL);  // not sorted
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[1] = fb::State(1, 0); }), ERT_ERR_MODEL);        // one input twice
  EXPECT_EQ(refused([](BlobSpec& s) { s.states[1] = fb::State(0, 1); }), ERT_ERR_MODEL);        // one output twice
  EXPECT_EQ(refused([](BlobSpec& s) { s.states.resize(9, fb::State(1, 1)); }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) { s.program_flags = 0; }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) { s.states.clear(); }), ERT_ERR_MODEL);
  EXPECT_EQ(refused([](BlobSpec& s) {  // a size that a run decides
              const uint32_t batch = s.dim("batch", 1, 1);
              for (const uint32_t v : {s.inputs[0].value, s.inputs[1].value, s.outputs[0].value, s.outputs[1].value})
                s.values[v].shape[0] = batch;
            }),
            ERT_ERR_MODEL);
}

}  // namespace
}  // namespace ert::testing
