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

// Attributes of every kind, as the kernel sees them.
struct SeenAttributes {
  std::vector<std::string> lines;
  uint32_t count = 99;
};
int note_attributes(void* context, const ert_custom_attribute* attrs, uint32_t attr_count, const ert_tensor* inputs, uint32_t,
                    ert_tensor* outputs, uint32_t, void*) {
  SeenAttributes& seen = *static_cast<SeenAttributes*>(context);
  seen.count = attr_count;
  for (uint32_t i = 0; i < attr_count; ++i) {
    const ert_custom_attribute& a = attrs[i];
    std::string line = std::string(a.name) + " " + std::to_string(a.kind) + " " + std::to_string(a.count) + ":";
    const bool floats = a.kind == 1 || a.kind == 4;
    for (uint32_t k = 0; k < a.count; ++k) line += " " + std::to_string(floats ? static_cast<int>(a.floats[k] * 8) : a.ints[k]);
    seen.lines.push_back(line + (a.string == nullptr ? "" : std::string(" ") + a.string));
  }
  std::memcpy(outputs[0].data, inputs[0].data, inputs[0].bytes);
  return 0;
}

TEST(CustomOp, SeesAttributesOfEveryKind) {
  SeenAttributes seen;
  ert_custom_op op{};
  op.struct_size = sizeof op;
  op.name = "test::AddInts";
  op.context = &seen;
  op.run = note_attributes;  // and no scratch of its own
  ert_config cfg = config_of_size();
  cfg.custom_ops = &op, cfg.custom_op_count = 1;
  BlobSpec s = custom_program();
  s.custom_ops[0].more = {{"one", 0, std::vector<int32_t>{7}},
                          {"half", 1, {}, std::vector<float>{0.5f}},
                          {"text", 2, {}, {}, "words"},
                          {"halves", 4, {}, std::vector<float>{0.5f, 1.0f}}};
  SmallContext c(s, &cfg);
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  EXPECT_EQ(seen.lines,
            (std::vector<std::string>{"addends 3 2: 10 -4", "one 0 1: 7", "half 1 1: 4", "text 2 0: words", "halves 4 2: 4 8"}));
  c.expect_results();
  s.custom_ops[0] = {"test::AddInts", "", {}};  // the field is absent
  SmallContext none(s, &cfg);
  ASSERT_EQ(ert_run(&none.context), ERT_OK);
  EXPECT_EQ(seen.count, 0u);
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
  r.op.name = "test::AddIntsAndMore";  // the first letters are the same
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_UNSUPPORTED);
  r.op.name = nullptr;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_UNSUPPORTED);
  r.op.name = "test::AddInts", r.op.run = nullptr;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_UNSUPPORTED);
  r.op.run = add_ints, r.op.scratch_bytes = SIZE_MAX / 2;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_DIMS) << "scratch that no memory has";
  r.op.scratch_bytes = SIZE_MAX / 4;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_DIMS) << "more than an op may ask for";
  r.op.scratch_bytes = 100;
  r.cfg.custom_op_count = 0;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_UNSUPPORTED);
  r.cfg.custom_op_count = 1;
  r.op.struct_size = 4;
  EXPECT_EQ(ert_context_init(&c, &m, &r.cfg, nullptr, &region, 1), ERT_ERR_ARG);
}

// What a kernel reads of an attribute is there: kinds and what belongs to them are the structure of the blob.
TEST(CustomOp, AttributesThatAKernelCouldNotReadAreRefused) {
  using Ints = std::vector<int32_t>;
  using Floats = std::vector<float>;
  const auto open_with = [](const BlobSpec::Attribute& a) {
    BlobSpec s = custom_program();
    s.custom_ops[0].more = {a};
    const AlignedBytes b = s.build();
    ert_model m;
    return ert_model_open(&m, b.data(), b.size());
  };
  const BlobSpec::Attribute bad[] = {
      {"int without a value", 0},
      {"int of an empty list", 0, Ints{}},
      {"int of two values", 0, Ints{1, 2}},
      {"int of a float", 0, {}, Floats{1}},
      {"float without a value", 1},
      {"float of an empty list", 1, {}, Floats{}},
      {"float of two values", 1, {}, Floats{1, 2}},
      {"float of an int", 1, Ints{1}},
      {"string without a text", 2},
      {"string of ints", 2, Ints{1}},
      {"ints without a list", 3},
      {"ints of floats", 3, {}, Floats{1}},
      {"floats without a list", 4},
      {"floats of ints", 4, Ints{1}},
      {"first unknown kind", 5, Ints{1}, Floats{1}, "text"},
      {"kind of another world", 4000000000u, Ints{1}, Floats{1}, "text"},
  };
  for (const BlobSpec::Attribute& a : bad) EXPECT_EQ(open_with(a), ERT_ERR_FORMAT) << a.name;
  const BlobSpec::Attribute good[] = {{"int", 0, Ints{1}},
                                      {"float", 1, {}, Floats{1}},
                                      {"string", 2, {}, {}, "text"},
                                      {"empty", 2, {}, {}, ""},
                                      {"ints", 3, Ints{1, 2}},
                                      {"no ints", 3, Ints{}},
                                      {"floats", 4, {}, Floats{1, 2}},
                                      {"no floats", 4, {}, Floats{}},
                                      {"int among empty fields, as the converter writes it", 0, Ints{1}, Floats{}, ""}};
  for (const BlobSpec::Attribute& a : good) EXPECT_EQ(open_with(a), ERT_OK) << a.name;
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
