// Integers at the boundary, shapes made of several dims, golden vectors, custom ops.
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

using params::OpCode;

// ids [batch, tokens] of [0, 9] -> doubled ids, through ImportInt, Binary and ExportInt; a second input [2 * tokens] of f32
// that only has to fit.
BlobSpec int_program() {
  BlobSpec s;
  const uint32_t batch = s.dim("batch", 1, 4), tokens = s.dim("tokens", 2, 6);
  const uint32_t twice = s.expr(4, tokens, s.constant(2));
  const uint32_t ids = s.add_input("ids", ERT_I64, {batch, tokens});
  s.inputs[0].min = 0, s.inputs[0].max = 9;
  const uint32_t weights = s.add_input("weights", ERT_F32, {twice});
  const uint32_t narrow = s.add({ERT_I32, {batch, tokens}, 0, 0, 0, 0, 1});
  const uint32_t doubled = s.add({ERT_I32, {batch, tokens}, 0, 1, 0, 1, 2});
  const uint32_t out = s.add_output("doubled", ERT_I64, {batch, tokens}, 2);
  const uint32_t copy = s.add_output("copy", ERT_F32, {twice}, 3);
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  s.ops = {{OpCode::kImportInt, {i(ids)}, {i(narrow)}, {}, {}},
           {OpCode::kBinary, {i(narrow), i(narrow)}, {i(doubled)}, {params::binary::kAdd}, {}},
           {OpCode::kExportInt, {i(doubled)}, {i(out)}, {}, {}},
           {OpCode::kCopy, {i(weights)}, {i(copy)}, {}, {}}};
  s.slots = 2;
  s.arena_order = {narrow, doubled};
  return s;
}

template <class T>
ert_tensor int_tensor(std::vector<int32_t> shape, T* data, size_t count) {
  ert_tensor t = float_tensor(std::move(shape), nullptr, 0);
  t.dtype = sizeof(T) == 8 ? ERT_I64 : ERT_I32;
  t.data = data;
  t.bytes = count * sizeof(T);
  return t;
}

struct IntContext {
  explicit IntContext(const BlobSpec& spec = int_program()) : blob(spec.build()) {
    EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
    arena = std::make_unique<GuardedRegion>(arena_need(model));
    const ert_region region = arena->region();
    EXPECT_EQ(ert_context_init(&context, &model, nullptr, nullptr, &region, 1), ERT_OK);
    const ert_tensor w = float_tensor({6}, weights, 6), c = float_tensor({}, copy, 12);
    EXPECT_EQ(ert_bind_input(&context, 1, &w), ERT_OK);
    EXPECT_EQ(ert_bind_output(&context, 1, &c), ERT_OK);
  }
  template <class In, class Out>
  ert_status run(std::vector<In> ids, std::vector<Out>* out) {
    out->assign(ids.size(), Out{-5});
    const auto kept = std::make_shared<std::vector<In>>(std::move(ids));
    bound = kept;  // a later run without binding reads them again
    const ert_tensor in = int_tensor({static_cast<int32_t>(kept->size() / 3), 3}, kept->data(), kept->size());
    const ert_tensor result = int_tensor({}, out->data(), out->size());
    EXPECT_EQ(ert_bind_input(&context, 0, &in), ERT_OK);
    EXPECT_EQ(ert_bind_output(&context, 0, &result), ERT_OK);
    return ert_run(&context);
  }
  AlignedBytes blob;
  ert_model model{};
  ert_context context{};
  std::unique_ptr<GuardedRegion> arena;
  std::shared_ptr<void> bound;
  float weights[12] = {1, 2, 3, 4, 5, 6}, copy[12] = {};
};

template <class In, class Out>
void expect_doubled() {
  IntContext c;
  std::vector<Out> out;
  ASSERT_EQ(c.run(std::vector<In>{0, 1, 9, 4, 5, 6}, &out), ERT_OK);
  EXPECT_EQ(out, (std::vector<Out>{0, 2, 18, 8, 10, 12}));
}

TEST(Integers, EveryWidthOnBothSides) {
  expect_doubled<int64_t, int64_t>();
  expect_doubled<int32_t, int32_t>();
  expect_doubled<int64_t, int32_t>();
  expect_doubled<int32_t, int64_t>();
}

TEST(Integers, OneContextChangesWidths) {
  IntContext c;
  std::vector<int64_t> wide;
  std::vector<int32_t> narrow;
  ASSERT_EQ(c.run(std::vector<int32_t>{1, 2, 3}, &wide), ERT_OK);
  EXPECT_EQ(wide, (std::vector<int64_t>{2, 4, 6}));
  ASSERT_EQ(c.run(std::vector<int64_t>{3, 2, 1}, &narrow), ERT_OK);
  EXPECT_EQ(narrow, (std::vector<int32_t>{6, 4, 2}));
}

TEST(Integers, IdsOutOfRangeAreRefusedBeforeTheFirstOp) {
  IntContext c;
  std::vector<int64_t> out;
  for (int64_t bad : {int64_t{-1}, int64_t{10}, int64_t{1} << 32, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(c.run(std::vector<int64_t>{1, bad, 3}, &out), ERT_ERR_INPUT) << bad;
    EXPECT_EQ(out, (std::vector<int64_t>(3, -5))) << "untouched";
    ert_error_detail why{};
    why.struct_size = sizeof why;
    ASSERT_EQ(ert_last_error(&c.context, &why), ERT_OK);
    EXPECT_EQ(why.fault, uint32_t{ERT_FAULT_RANGE});
    EXPECT_EQ(why.input, 0);
    EXPECT_EQ(why.element, 1);
    EXPECT_EQ(why.value, bad);
    EXPECT_EQ(why.lowest, 0);
    EXPECT_EQ(why.highest, 9);
  }
  for (int32_t bad : {-1, 10, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(c.run(std::vector<int32_t>{1, 2, bad}, &out), ERT_ERR_INPUT) << bad;
    ert_error_detail why{};
    why.struct_size = sizeof why;
    ASSERT_EQ(ert_last_error(&c.context, &why), ERT_OK);
    EXPECT_EQ(why.element, 2);
    EXPECT_EQ(why.value, bad);
  }
  EXPECT_EQ(c.run(std::vector<int64_t>{1, 2, 3}, &out), ERT_OK);
}

TEST(Dims, AxesThatDisagreeAreRefused) {
  IntContext c;
  std::vector<int64_t> out;
  ASSERT_EQ(c.run(std::vector<int64_t>{1, 2, 3}, &out), ERT_OK);
  const ert_tensor w = float_tensor({8}, c.weights, 12);  // tokens is 3: the second input must have 6
  ASSERT_EQ(ert_bind_input(&c.context, 1, &w), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_INPUT);
}

TEST(Dims, BelowTheMinimumIsRefused) {
  IntContext c;
  int64_t ids[1] = {1}, out[1];
  const ert_tensor in = int_tensor({1, 1}, ids, 1), result = int_tensor({}, out, 1);
  ASSERT_EQ(ert_bind_input(&c.context, 0, &in), ERT_OK);
  ASSERT_EQ(ert_bind_output(&c.context, 0, &result), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_DIMS);
}

TEST(Integers, RangesAreSaidOfIntegersOnly) {
  const AlignedBytes b = int_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_value_info ids{}, weights{};
  ids.struct_size = weights.struct_size = sizeof ids;
  ASSERT_EQ(ert_model_input(&m, 0, &ids), ERT_OK);
  ASSERT_EQ(ert_model_input(&m, 1, &weights), ERT_OK);
  EXPECT_EQ(ids.min_value, 0);
  EXPECT_EQ(ids.max_value, 9);
  EXPECT_EQ(weights.min_value, INT32_MIN);
  EXPECT_EQ(weights.max_value, INT32_MAX);
}

TEST(Integers, WithoutRangesNoneIsAskedFor) {
  BlobSpec s = int_program();
  s.input_ranges = false;
  IntContext c(s);
  ert_value_info ids{};
  ids.struct_size = sizeof ids;
  ASSERT_EQ(ert_model_input(&c.model, 0, &ids), ERT_OK);
  EXPECT_EQ(ids.min_value, INT32_MIN);
  EXPECT_EQ(ids.max_value, INT32_MAX);
  std::vector<int64_t> out;
  ASSERT_EQ(c.run(std::vector<int64_t>{-1, 10, 1000000}, &out), ERT_OK);
  EXPECT_EQ(out, (std::vector<int64_t>{-2, 20, 2000000}));
}

TEST(Integers, OnlyImportAndExportSeeThem) {
  const auto open_spec = [](const BlobSpec& s) {
    const AlignedBytes b = s.build();
    ert_model m;
    return ert_model_open(&m, b.data(), b.size());
  };
  BlobSpec s = int_program();
  s.ops[0].code = OpCode::kCopy;
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
  s = int_program();
  s.ops[2].code = OpCode::kCopy;
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
}

std::vector<uint8_t> golden_segment(int32_t batch, float error) {
  const size_t n = static_cast<size_t>(batch) * 4, stride = (n * 4 + 63) / 64 * 64;
  std::vector<uint8_t> bytes(stride + n * 4);
  for (size_t i = 0; i < n; ++i) {
    const float x = static_cast<float>(i) - 2.5f;
    const float out = small_program_result(x, static_cast<int>(i % 4)) + (i == 3 ? error : 0);
    std::memcpy(&bytes[i * 4], &x, 4);
    std::memcpy(&bytes[stride + i * 4], &out, 4);
  }
  return bytes;
}

BlobSpec golden_program(int32_t batch, float error) {
  BlobSpec s = small_program();
  s.segments.push_back({golden_segment(batch, error), 1});
  s.golden.push_back({{batch}, 1, {0, (static_cast<uint64_t>(batch) * 16 + 63) / 64 * 64}});
  return s;
}

TEST(Selftest, ReplaysGoldenVectors) {
  for (int32_t batch : {1, 5}) {
    SmallContext c(golden_program(batch, 0));
    EXPECT_EQ(ert_selftest(&c.context), ERT_OK);
    EXPECT_TRUE(c.arena->intact());
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_STATE) << "bindings are cleared";
    c.bind(2);
    EXPECT_EQ(ert_run(&c.context), ERT_OK);
    c.expect_results();
  }
}

TEST(Selftest, OneWrongBitFails) {
  SmallContext c(golden_program(2, 1e-6f));
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST);
}

TEST(Selftest, WithoutVectorsFails) {
  SmallContext c;
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST);
}

// The first that fails ends it; bindings are cleared all the same.
TEST(Selftest, EveryVectorCounts) {
  for (const size_t wrong : {size_t{0}, size_t{1}}) {
    BlobSpec s = golden_program(2, 0);
    s.segments.push_back({golden_segment(3, 0), 1});
    s.golden.push_back({{3}, 2, {0, 64}});
    SmallContext good(s);
    EXPECT_EQ(ert_selftest(&good.context), ERT_OK);
    s.segments[1 + wrong].bytes.back() ^= 1;
    SmallContext c(s);
    EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST) << wrong;
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_STATE);
  }
}

// An input that a run refuses, and an op that fails where only the contents tell.
TEST(Selftest, AVectorThatDoesNotRunFails) {
  BlobSpec s = golden_program(2, 0);
  const uint32_t nan = 0x7FC00000u;
  std::memcpy(s.segments[1].bytes.data(), &nan, sizeof nan);
  SmallContext c(s);
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST);
  ert_config cfg = config_of_size();
  cfg.op_hook = [](void*, uint32_t op, uint32_t, const char*, const char*) { return op == 1 ? 1 : 0; };
  SmallContext aborted(golden_program(2, 0), &cfg);
  EXPECT_EQ(ert_selftest(&aborted.context), ERT_ERR_SELFTEST);
}

TEST(Selftest, LargerThanThePlanIsSaid) {
  SmallContext c(golden_program(5, 0));
  const int32_t dims[] = {2};
  ert_memory_need need{};
  need.struct_size = sizeof need;
  ASSERT_EQ(ert_arena_bytes(&c.model, nullptr, dims, &need), ERT_OK);
  GuardedRegion arena(need.bytes);
  const ert_region region = arena.region();
  ASSERT_EQ(ert_context_init(&c.context, &c.model, nullptr, dims, &region, 1), ERT_OK);
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_DIMS);
}

}  // namespace
}  // namespace ert::testing
