// Integers at the boundary, and shapes made of several dims.
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

// Two inputs that name the same dim must give it the same size.
TEST(Dims, InputsThatDisagreeAreRefused) {
  BlobSpec s = small_program();
  s.add_input("twin", ERT_F32, s.values[s.inputs[0].value].shape);
  SmallContext c(s);
  std::vector<float> twin(12);
  const auto run = [&](int32_t batch) {
    const ert_tensor t = float_tensor({batch, 4}, twin.data(), twin.size());
    EXPECT_EQ(ert_bind_input(&c.context, 1, &t), ERT_OK);
    return ert_run(&c.context);
  };
  EXPECT_EQ(run(2), ERT_ERR_INPUT);
  ert_error_detail why{};
  why.struct_size = sizeof why;
  ASSERT_EQ(ert_last_error(&c.context, &why), ERT_OK);
  EXPECT_EQ(why.fault, uint32_t{ERT_FAULT_AXIS});
  EXPECT_EQ(why.input, 1);
  EXPECT_EQ(why.value, 2);
  EXPECT_EQ(why.lowest, 3);
  EXPECT_EQ(run(3), ERT_OK);
}

// Integers are bound as integers of either width, truth values as bytes; nothing else stands for them.
TEST(Integers, OtherTypesAreRefused) {
  IntContext c;
  uint8_t data[64] = {};
  const auto bind = [&](uint32_t dtype) {
    ert_tensor t = float_tensor({2, 3}, nullptr, 0);
    t.dtype = dtype, t.data = data, t.bytes = sizeof data;
    return ert_bind_input(&c.context, 0, &t);
  };
  for (const uint32_t dtype : {ERT_I32, ERT_I64}) EXPECT_EQ(bind(dtype), ERT_OK);
  for (const uint32_t dtype : {ERT_F32, ERT_U8, ERT_I8, ERT_BOOL, ERT_I16}) EXPECT_EQ(bind(dtype), ERT_ERR_INPUT) << dtype;
  BlobSpec s = small_program();
  s.add_input("truth", ERT_BOOL, {0});
  SmallContext truth(s);
  const auto bind_truth = [&](uint32_t dtype) {
    ert_tensor t = float_tensor({3}, nullptr, 0);
    t.dtype = dtype, t.data = data, t.bytes = sizeof data;
    return ert_bind_input(&truth.context, 1, &t);
  };
  for (const uint32_t dtype : {ERT_BOOL, ERT_U8}) EXPECT_EQ(bind_truth(dtype), ERT_OK);
  for (const uint32_t dtype : {ERT_F32, ERT_I8, ERT_I32, ERT_I64}) EXPECT_EQ(bind_truth(dtype), ERT_ERR_INPUT) << dtype;
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

}  // namespace
}  // namespace ert::testing
