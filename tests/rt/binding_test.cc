// What may be bound: memory that is too small, wrong in type or shape, or that overlaps what a run reads and writes is refused before the first op.
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

TEST(Binding, RefusesATooSmallOutput) {
  SmallContext c;
  ert_tensor out = float_tensor({}, c.out.data(), c.out.size());
  out.bytes -= 1;
  ASSERT_EQ(ert_bind_output(&c.context, 0, &out), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_NOMEM);
  EXPECT_TRUE(c.outputs_untouched());
}

TEST(Binding, RefusesAnOutputThatOverlapsAnInputOrTheArena) {
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
TEST(Binding, RefusesAnOutputThatOverlapsTheBlob) {
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

TEST(Binding, RefusesTensorsThatOverlapTheContext) {
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
TEST(Binding, RefusesAnOutputAnywhereInTheArena) {
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
TEST(Binding, RefusesAnInputInTheArenaButNotInTheBlob) {
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

TEST(Binding, RefusesOutputsThatOverlapEachOther) {
  BlobSpec s = small_program();
  const uint32_t twin = s.add_output("twin", ERT_F32, s.values[s.outputs[0].value].shape, 4);
  s.ops.push_back({params::OpCode::kCopy, {static_cast<int32_t>(s.inputs[0].value)}, {static_cast<int32_t>(twin)}, {}, {}});
  SmallContext c(s);
  std::vector<float> both(24, -7.0f);
  const auto run = [&](size_t first, size_t second) {
    const ert_tensor a = float_tensor({}, &both[first], 12), b = float_tensor({}, &both[second], 12);
    EXPECT_EQ(ert_bind_output(&c.context, 0, &a), ERT_OK);
    EXPECT_EQ(ert_bind_output(&c.context, 1, &b), ERT_OK);
    return ert_run(&c.context);
  };
  EXPECT_EQ(run(0, 0), ERT_ERR_ARG);
  EXPECT_EQ(run(0, 11), ERT_ERR_ARG);
  EXPECT_EQ(run(12, 1), ERT_ERR_ARG);
  EXPECT_EQ(both, std::vector<float>(24, -7.0f));
  EXPECT_EQ(run(0, 12), ERT_OK);
  EXPECT_EQ(run(12, 0), ERT_OK);
  EXPECT_EQ(both[11], c.x[11]);
}

TEST(Binding, BindChecksTheTensor) {
  SmallContext c;
  ert_tensor t = float_tensor({3, 4}, c.x.data(), c.x.size());
  const auto bound = [&c](const ert_tensor& tensor) { return ert_bind_input(&c.context, 0, &tensor); };
  EXPECT_EQ(bound(t), ERT_OK);
  EXPECT_EQ(ert_bind_input(&c.context, 1, &t), ERT_ERR_ARG);
  EXPECT_EQ(ert_bind_input(&c.context, 0, nullptr), ERT_ERR_ARG);
  ert_tensor wrong = t;
  wrong.shape[1] = 5;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong.shape[1] = 3;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.shape[0] = 0;
  EXPECT_EQ(bound(wrong), ERT_ERR_INPUT);
  wrong = t, wrong.bytes = SIZE_MAX;
  EXPECT_EQ(bound(wrong), ERT_ERR_ARG) << "behind the end of memory";
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

TEST(Binding, BindChecksTheOutput) {
  SmallContext c;
  const ert_tensor t = float_tensor({}, c.out.data(), c.out.size());
  EXPECT_EQ(ert_bind_output(&c.context, 1, &t), ERT_ERR_ARG);
  EXPECT_EQ(ert_bind_output(&c.context, 0, nullptr), ERT_ERR_ARG);
  ert_tensor wrong = t;
  wrong.dtype = ERT_I32;
  EXPECT_EQ(ert_bind_output(&c.context, 0, &wrong), ERT_ERR_INPUT);
  wrong = t, wrong.data = reinterpret_cast<uint8_t*>(c.out.data()) + 2;
  EXPECT_EQ(ert_bind_output(&c.context, 0, &wrong), ERT_ERR_ALIGN);
  EXPECT_EQ(ert_run(&c.context), ERT_OK) << "refused bindings leave the good one in place";
  c.expect_results();
}

TEST(Binding, OutputShapeAsksForTheInputs) {
  SmallContext c;
  ert_tensor t{};
  EXPECT_EQ(ert_output_shape(&c.context, 0, &t), ERT_ERR_ARG) << "no struct_size";
  EXPECT_EQ(ert_output_shape(&c.context, 0, nullptr), ERT_ERR_ARG);
  t.struct_size = sizeof t;
  EXPECT_EQ(ert_output_shape(&c.context, 1, &t), ERT_ERR_ARG);
  ert_context fresh;
  GuardedRegion arena(arena_need(c.model));
  const ert_region region = arena.region();
  ASSERT_EQ(ert_context_init(&fresh, &c.model, nullptr, nullptr, &region, 1), ERT_OK);
  EXPECT_EQ(ert_output_shape(&fresh, 0, &t), ERT_ERR_STATE) << "no input is bound";
  const ert_tensor in = float_tensor({5, 4}, c.x.data(), 0);
  ert_tensor large = in;
  large.bytes = 80;
  ASSERT_EQ(ert_bind_input(&fresh, 0, &large), ERT_OK);
  ASSERT_EQ(ert_output_shape(&fresh, 0, &t), ERT_OK);
  EXPECT_EQ(t.shape[0], 5);
}

TEST(Binding, OutputShapeFollowsTheInputs) {
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

}  // namespace
}  // namespace ert::testing
