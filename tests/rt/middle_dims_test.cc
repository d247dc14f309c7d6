// Open asks every op at the smallest and at the largest dims. Sizes are formulas, so between them anything may happen: a division by zero, a tensor of
// nothing, one of 2^41 bytes, a shape that an op refuses, a value that outgrows its slot. Whoever asks for such dims, or binds them, is refused before
// the first op, and the context stays usable.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

using params::OpCode;
enum ExprKinds : uint32_t { kAdd = 2, kSub = 3, kMul = 4, kFloorDiv = 5 };
constexpr int32_t kMiddle = 3;  // of the dim `batch`, which is 1 to 8
constexpr uint32_t kBatch = 0, kNegatedSum = 2, kSlotOfSum = 1;

// 0 at batch 3 alone.
uint32_t away(BlobSpec& s) {
  const uint32_t distance = s.expr(kSub, kBatch, s.constant(kMiddle));
  return s.expr(kMul, distance, distance);
}
// (batch - 1) * (8 - batch): 0 at both ends, 10 at batch 3.
uint32_t hill(BlobSpec& s) {
  const uint32_t up = s.expr(kSub, kBatch, s.constant(1)), down = s.expr(kSub, s.constant(8), kBatch);
  return s.expr(kMul, up, down);
}
uint32_t one_and(BlobSpec& s, uint32_t e) { return s.expr(kAdd, s.constant(1), e); }

void fill(BlobSpec& s, uint32_t value) { s.ops.push_back({OpCode::kFill, {}, {static_cast<int32_t>(value)}, {0}, {}}); }

// Another slot of the arena with one value, which an op behind the others fills.
void add_filled_arena_value(BlobSpec& s, std::vector<uint32_t> shape) {
  const auto op = static_cast<uint32_t>(s.ops.size());
  const uint32_t v = s.add({ERT_F32, std::move(shape), 0, s.slots++, 0, op, op});
  s.arena_order.push_back(v);
  fill(s, v);
}

// What small_program says where something happens at batch 3 alone.
struct Answers {
  ert_status plan, shape, run;
};
Answers answers(const std::function<void(BlobSpec&)>& change) {
  BlobSpec s = small_program();
  change(s);
  SmallContext c(s, nullptr, 8);
  EXPECT_EQ(ert_run(&c.context), ERT_OK) << "the largest dims";
  c.expect_results();
  ert_memory_need need{};
  need.struct_size = sizeof need;
  Answers a{ert_arena_bytes(&c.model, nullptr, &kMiddle, &need), ERT_OK, ERT_OK};
  GuardedRegion arena(1 << 16);
  const ert_region region = arena.region();
  ert_context planned;
  EXPECT_EQ(ert_context_init(&planned, &c.model, nullptr, &kMiddle, &region, 1), a.plan);
  c.bind(kMiddle);
  ert_tensor t{};
  t.struct_size = sizeof t;
  a.shape = ert_output_shape(&c.context, 0, &t);
  a.run = ert_run(&c.context);
  EXPECT_EQ(ert_step(&c.context), a.run == ERT_OK ? ERT_STEP_MORE : a.run);
  if (a.run != ERT_OK) {
    EXPECT_TRUE(c.outputs_untouched());
  }
  c.bind(1);
  EXPECT_EQ(ert_run(&c.context), ERT_OK) << "the smallest dims, after a refusal";
  c.expect_results();
  return a;
}

void expect_answers(const Answers& a, ert_status plan, ert_status run) {
  EXPECT_EQ(a.plan, plan);
  EXPECT_EQ(a.shape, run);
  EXPECT_EQ(a.run, run);
}

TEST(MiddleDims, NothingHappensToTheUnchangedProgram) {
  expect_answers(answers([](BlobSpec&) {}), ERT_OK, ERT_OK);
}

TEST(MiddleDims, ADivisionByZero) {
  expect_answers(answers([](BlobSpec& s) { s.expr(kFloorDiv, kBatch, away(s)); }), ERT_ERR_DIMS, ERT_ERR_DIMS);
}

TEST(MiddleDims, AValueOfNothing) {
  expect_answers(answers([](BlobSpec& s) { add_filled_arena_value(s, {away(s)}); }), ERT_ERR_DIMS, ERT_ERR_DIMS);
}

TEST(MiddleDims, AShapeThatAnOpRefuses) {
  const auto change = [](BlobSpec& s) { s.values[s.outputs[0].value].shape[1] = s.expr(kAdd, s.constant(4), hill(s)); };
  expect_answers(answers(change), ERT_ERR_DIMS, ERT_ERR_DIMS);
}

// An alias that has as many bytes as what it stands for, but for these dims: reading it would leave the slot.
TEST(MiddleDims, AnAliasThatIsLonger) {
  const auto change = [](BlobSpec& s) {
    BlobSpec::Value alias = s.values[kNegatedSum];
    alias.storage = 4, alias.index = kNegatedSum, alias.first_op = alias.last_op = 0;
    alias.shape = {kBatch, s.constant(4), one_and(s, hill(s))};
    s.add(alias);
  };
  const Answers a = answers(change);
  EXPECT_EQ(a.run, ERT_ERR_DIMS);
  EXPECT_EQ(a.shape, ERT_ERR_DIMS);
}

// The plan of the largest dims has less room for it: the slot is that of dims where it is short.
TEST(MiddleDims, AValueThatOutgrowsItsSlot) {
  expect_answers(answers([](BlobSpec& s) {
                   add_filled_arena_value(s, {s.constant(16), one_and(s, hill(s))});
                 }),
                 ERT_OK, ERT_ERR_DIMS);
}

// LogSumExp wants scratch for a row: 4 bytes at the ends, more than 64 between.
TEST(MiddleDims, AnOpThatWantsMoreScratch) {
  BlobSpec s;
  s.dim("batch", 1, 8);
  const uint32_t row = s.expr(kAdd, s.constant(1), s.expr(kMul, s.constant(8), hill(s)));
  const uint32_t x = s.add_input("x", ERT_F32, {kBatch}), wide = s.add_input("wide", ERT_F32, {row});
  const uint32_t y = s.add_output("y", ERT_F32, {kBatch}, 0), sum = s.add_output("sum", ERT_F32, {}, 1);
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  s.ops = {{OpCode::kCopy, {i(x)}, {i(y)}, {}, {}}, {OpCode::kReduce, {i(wide)}, {i(sum)}, {params::reduce::kLogSumExp, 1}, {}}};
  const AlignedBytes blob = s.build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK);
  std::vector<float> data(81, 0.5f), out(8);
  float total = 0;
  const auto run = [&](int32_t most, int32_t batch, int32_t length) {
    GuardedRegion arena(arena_need(m, nullptr, &most));
    const ert_region region = arena.region();
    ert_context c;
    EXPECT_EQ(ert_context_init(&c, &m, nullptr, &most, &region, 1), ERT_OK);
    const ert_tensor in[] = {float_tensor({batch}, data.data(), 8), float_tensor({length}, data.data(), 81)};
    const ert_tensor results[] = {float_tensor({}, out.data(), 8), float_tensor({}, &total, 1)};
    for (uint32_t k = 0; k < 2; ++k) {
      EXPECT_EQ(ert_bind_input(&c, k, &in[k]), ERT_OK);
      EXPECT_EQ(ert_bind_output(&c, k, &results[k]), ERT_OK);
    }
    const ert_status status = ert_run(&c);
    EXPECT_TRUE(arena.intact());
    return status;
  };
  EXPECT_EQ(run(8, 8, 1), ERT_OK);
  EXPECT_EQ(run(8, kMiddle, 81), ERT_ERR_DIMS);
  EXPECT_EQ(run(kMiddle, kMiddle, 81), ERT_OK) << "planned for it";
}

// 2^28 bytes at both ends, 2^41 between.
TEST(MiddleDims, ATensorThatNoMemoryHolds) {
  constexpr int32_t kMost = 32767, kHalf = 16384;
  BlobSpec s = small_program();
  s.dims[0] = fb::Dim(1, kMost);
  const uint32_t large = s.expr(kMul, kBatch, s.expr(kSub, s.constant(kMost + 1), kBatch));
  s.add_input("large", ERT_F32, {large, s.constant(2048)});
  const AlignedBytes blob = s.build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK);
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&m, nullptr, nullptr, &need), ERT_OK);
  EXPECT_EQ(ert_arena_bytes(&m, nullptr, &kHalf, &need), ERT_ERR_LIMIT);
  GuardedRegion arena(1 << 21);
  const ert_region region = arena.region();
  ert_context c;
  EXPECT_EQ(ert_context_init(&c, &m, nullptr, &kHalf, &region, 1), ERT_ERR_LIMIT);
  ASSERT_EQ(ert_context_init(&c, &m, nullptr, nullptr, &region, 1), ERT_OK);
  std::vector<float> x(size_t{kHalf} * 4), out(x.size());
  const ert_tensor in = float_tensor({kHalf, 4}, x.data(), x.size()), result = float_tensor({}, out.data(), out.size());
  ert_tensor no_such = float_tensor({kHalf * kHalf, 2048}, x.data(), 0);
  no_such.bytes = SIZE_MAX / 4;
  ASSERT_EQ(ert_bind_input(&c, 0, &in), ERT_OK);
  ASSERT_EQ(ert_bind_output(&c, 0, &result), ERT_OK);
  EXPECT_EQ(ert_bind_input(&c, 1, &no_such), ERT_ERR_INPUT);
}

// A golden vector at such dims is one that fails, and says so.
TEST(MiddleDims, AGoldenVectorThere) {
  const auto selftest = [](const std::function<void(BlobSpec&)>& change) {
    BlobSpec s = small_program();
    std::vector<uint8_t> tensors(128);  // x = 0, then |bias|
    for (size_t i = 0; i < 12; ++i) {
      const float out = small_program_result(0, static_cast<int>(i % 4));
      std::memcpy(&tensors[64 + 4 * i], &out, sizeof out);
    }
    s.segments.push_back({tensors, 1});
    s.golden.push_back({{kMiddle}, 1, {0, 64}});
    change(s);
    SmallContext c(s);
    const ert_status status = ert_selftest(&c.context);
    c.bind(8);
    EXPECT_EQ(ert_run(&c.context), ERT_OK);
    c.expect_results();
    return status;
  };
  EXPECT_EQ(selftest([](BlobSpec&) {}), ERT_OK);
  EXPECT_EQ(selftest([](BlobSpec& s) { add_filled_arena_value(s, {s.constant(16), one_and(s, hill(s))}); }), ERT_ERR_DIMS);
  EXPECT_EQ(selftest([](BlobSpec& s) { add_filled_arena_value(s, {away(s)}); }), ERT_ERR_DIMS);
}

}  // namespace
}  // namespace ert::testing
