// Programs that contradict themselves, with valid checksums and structure: one wrong field each.
#include <gtest/gtest.h>

#include <functional>

#include "rt/base/limits.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

enum ValueIndex : uint32_t { kX, kBias, kNegated, kSum, kCopied, kOut };

struct Case {
  const char* what;
  ert_status expected;
  std::function<void(BlobSpec&)> change;
};

class Semantics : public ::testing::TestWithParam<Case> {};

TEST_P(Semantics, IsRefused) {
  BlobSpec s = small_program();
  ASSERT_EQ(open_spec(s), ERT_OK) << "the unchanged program opens";
  GetParam().change(s);
  EXPECT_EQ(open_spec(s), GetParam().expected) << GetParam().what;
}

const Case kCases[] = {
    // Indices
    {"input value index", ERT_ERR_MODEL, [](BlobSpec& s) { s.inputs[0].value = 77; }},
    {"output value index", ERT_ERR_MODEL, [](BlobSpec& s) { s.outputs[0].value = UINT32_MAX; }},
    {"output that is an arena value", ERT_ERR_MODEL, [](BlobSpec& s) { s.outputs[0].value = kSum; }},
    {"operand index", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[1].inputs[1] = 6; }},
    {"negative operand", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[1].inputs[1] = -2; }},
    {"absent first output", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[1].outputs[0] = -1; }},
    {"absent required input", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].inputs[0] = -1; }},
    {"no outputs of an op", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[2].outputs.clear(); }},
    {"no ops", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops.clear(); }},
    {"op code", ERT_ERR_UNSUPPORTED, [](BlobSpec& s) { s.ops[0].code = static_cast<params::OpCode>(999); }},
    {"op code 0", ERT_ERR_UNSUPPORTED, [](BlobSpec& s) { s.ops[0].code = static_cast<params::OpCode>(0); }},
    {"op code inside a RowBands", ERT_ERR_UNSUPPORTED,
     [](BlobSpec& s) {
       s.ops[0].code = params::OpCode::kRowBands;
       s.ops[0].ints = {1, 1, 0, 999, 1, 1, 0, 0, 0};  // rows, ops, values; code, inputs, outputs, ints, floats; the input
     }},
    {"op kind", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].ints[0] = 12345; }},
    {"op without its parameter", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].ints.clear(); }},
    {"shape expr index", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].shape[0] = 99; }},
    {"segment index", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kBias].index = 5; }},
    {"slot index", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].index = 2; }},
    {"input position", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kX].index = 1; }},
    // Expressions and dims
    {"expr that refers to itself", ERT_ERR_MODEL, [](BlobSpec& s) { s.exprs[1] = fb::Expr(2, 1, 0, 0, 0); }},
    {"expr that refers forward", ERT_ERR_MODEL, [](BlobSpec& s) { s.exprs[1] = fb::Expr(2, 0, 7, 0, 0); }},
    {"expr kind", ERT_ERR_MODEL, [](BlobSpec& s) { s.exprs[0] = fb::Expr(10, 0, 0, 0, 0); }},
    {"expr reserved field", ERT_ERR_MODEL, [](BlobSpec& s) { s.exprs[0] = fb::Expr(1, 0, 0, 1, 0); }},
    {"dim index", ERT_ERR_MODEL, [](BlobSpec& s) { s.exprs[0] = fb::Expr(1, 3, 0, 0, 0); }},
    {"dim minimum 0", ERT_ERR_MODEL, [](BlobSpec& s) { s.dims[0] = fb::Dim(0, 8); }},
    {"dim minimum above maximum", ERT_ERR_MODEL, [](BlobSpec& s) { s.dims[0] = fb::Dim(9, 8); }},
    {"dim maximum", ERT_ERR_MODEL, [](BlobSpec& s) { s.dims[0] = fb::Dim(1, INT32_MAX); }},
    {"division by zero", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t zero = s.constant(0);
       s.expr(5, 0, zero);
     }},
    {"modulo zero", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t zero = s.constant(0);
       s.expr(8, 0, zero);
     }},
    {"overflow", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t big = s.constant(INT64_MAX);
       s.expr(4, big, s.constant(2));
     }},
    {"division overflow", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t low = s.constant(INT64_MIN);
       s.expr(5, low, s.constant(-1));
     }},
    {"too many exprs", ERT_ERR_LIMIT, [](BlobSpec& s) { s.exprs.resize(limits::kMaxExprs + 1, fb::Expr(0, 0, 0, 0, 1)); }},
    {"too many slots", ERT_ERR_LIMIT, [](BlobSpec& s) { s.slots = limits::kMaxSlots + 1; }},
    // Shapes and dtypes
    {"axis of size 0", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].shape[1] = s.constant(0); }},
    {"axis of negative size", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].shape[1] = s.constant(-4); }},
    {"huge tensor", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       const uint32_t big = s.constant(INT32_MAX);
       s.values[kSum].shape = {big, big, big};
     }},
    {"shape that the op refuses", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].shape[1] = s.constant(5); }},
    {"rank", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].shape.assign(9, 1); }},
    {"dtype", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].dtype = 7; }},
    {"layout of a later version", ERT_ERR_LAYOUT, [](BlobSpec& s) { s.values[kSum].dtype = params::kPackedN16K2 + 1; }},
    {"dtype 0", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].dtype = 0; }},
    {"arena value of 64 bits", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].dtype = ERT_I64; }},
    {"packed arena value", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].dtype = params::kPackedN16K4; }},
    {"storage", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].storage = 5; }},
    {"file dtype of another kind", ERT_ERR_MODEL, [](BlobSpec& s) { s.inputs[0].dtype = ERT_I32; }},
    {"empty input range", ERT_ERR_MODEL, [](BlobSpec& s) { s.inputs[0].min = 1, s.inputs[0].max = 0; }},
    // Constants
    {"constant behind its segment", ERT_ERR_MODEL, [](BlobSpec& s) { s.segments[0].bytes.resize(12); }},
    {"constant offset", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kBias].offset = 4; }},
    {"constant offset wraps", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kBias].offset = UINT64_MAX - 3; }},
    {"misaligned constant", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.segments[0].bytes.resize(32);
       s.values[kBias].offset = 2;
     }},
    {"constant in a golden segment", ERT_ERR_MODEL, [](BlobSpec& s) { s.segments[0].kind = 1; }},
    {"constant with a variable shape", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kBias].shape = {0}; }},
    {"segment kind", ERT_ERR_FORMAT, [](BlobSpec& s) { s.segments[0].kind = 3; }},
    // Order and writes
    {"read before it is written", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].inputs[0] = kSum; }},
    {"read by the op that writes it", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[2].inputs[0] = kCopied; }},
    {"write to a constant", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].outputs[0] = kBias; }},
    {"write to an input", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].outputs[0] = kX; }},
    {"written twice", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[2].outputs[0] = kNegated; }},
    {"never written", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.ops[2] = s.ops[3];
       s.ops.pop_back();
     }},
    {"output never written", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kOut].first_op = 0; }},
    {"read after its last op", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].last_op = 1; }},
    {"last op before first op", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].last_op = 0; }},
    {"last op beyond the program", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kCopied].last_op = 4; }},
    // The memory plan
    {"two live values in one slot", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kNegated].last_op = 2; }},
    {"order misses a value", ERT_ERR_MODEL, [](BlobSpec& s) { s.arena_order.pop_back(); }},
    {"order repeats a value", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.arena_order = {kNegated, kNegated, kSum};
     }},
    {"order is not sorted", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.arena_order = {kCopied, kNegated, kSum};
     }},
    {"order names a constant", ERT_ERR_MODEL, [](BlobSpec& s) { s.arena_order[2] = kBias; }},
    {"order index", ERT_ERR_MODEL, [](BlobSpec& s) { s.arena_order[0] = 600; }},
    // Aliases
    {"alias of itself", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kBias].storage = 4, s.values[kBias].index = kBias; }},
    {"alias index", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kBias].storage = 4, s.values[kBias].index = 600; }},
    {"alias of another size", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t v = s.add({ERT_F32, {0, s.constant(5)}, 4, kNegated});
       s.ops[1].inputs[0] = static_cast<int32_t>(v);
     }},
    // Golden vectors
    {"golden dims count", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.golden.push_back({{}, 0, {0, 0}});
     }},
    {"golden segment kind", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.golden.push_back({{1}, 0, {0, 0}});
     }},
    {"golden tensor behind its segment", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.segments.push_back({std::vector<uint8_t>(79), 1});
       s.golden.push_back({{1}, 1, {0, 64}});
     }},
    {"unknown critical program flag", ERT_ERR_VERSION, [](BlobSpec& s) { s.program_flags = 1u << 31; }},
};

INSTANTIATE_TEST_SUITE_P(Rules, Semantics, ::testing::ValuesIn(kCases));

TEST(SemanticsAccepts, AliasChainsUpToTheLimit) {
  for (uint32_t hops : {1u, 2u, limits::kMaxAliasHops, limits::kMaxAliasHops + 1}) {
    BlobSpec s = small_program();
    uint32_t v = kNegated;
    for (uint32_t i = 0; i < hops; ++i) v = s.add({ERT_F32, {0, 1}, 4, v});
    s.ops[1].inputs[0] = static_cast<int32_t>(v);
    EXPECT_EQ(open_spec(s), hops <= limits::kMaxAliasHops ? ERT_OK : ERT_ERR_MODEL) << hops;
  }
}

// Work is linear in the blob: the lists of all ops together are no longer than the pools that they are in. 65536 ops that each read the
// same 65535 ints kept open busy for seconds.
TEST(SemanticsWork, ListsThatOpsShareAreRefused) {
  using params::OpCode;
  BlobSpec s;
  const uint32_t four = s.constant(4);
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t sizes = s.add_output("sizes" + std::to_string(i), ERT_F32, {four}, i);
    s.ops.push_back({OpCode::kDimsToTensor, {}, {static_cast<int32_t>(sizes)}, {0, 0, 0, 0}, {}});
  }
  for (uint32_t i = 2; i < 4; ++i) {
    const uint32_t norm = s.add_output("norm" + std::to_string(i), ERT_F32, {four}, i);
    s.ops.push_back({OpCode::kL2Normalize, {0}, {static_cast<int32_t>(norm)}, {}, {0.5f}});
  }
  // Of what is built, with changed rows of ops.
  const auto status = [](const BlobSpec& spec, const std::function<void(std::vector<fb::Op>&)>& change) {
    AlignedBytes b = spec.build();
    const auto* rows = fb::GetProgram(b.data() + kHeaderBytes)->ops();
    uint8_t* first = b.data() + (reinterpret_cast<const uint8_t*>(rows->Get(0)) - b.data());
    std::vector<fb::Op> ops(rows->size());
    std::memcpy(static_cast<void*>(ops.data()), first, ops.size() * sizeof(fb::Op));
    change(ops);
    std::memcpy(first, ops.data(), ops.size() * sizeof(fb::Op));
    reseal(&b);
    ert_model m;
    return ert_model_open(&m, b.data(), b.size());
  };
  const auto nothing = [](std::vector<fb::Op>&) {};
  ASSERT_EQ(status(s, nothing), ERT_OK);

  const auto share_ints = [](std::vector<fb::Op>& ops) {
    ops[1] = fb::Op(ops[1].code(), 0, 1, ops[1].first_operand(), 0, 4, 0, 0);
  };
  EXPECT_EQ(status(s, share_ints), ERT_OK) << "the pool has eight ints";
  s.ops[1].ints.clear();
  EXPECT_EQ(status(s, share_ints), ERT_ERR_MODEL) << "the pool has four";
  s.ops[1].ints = {0, 0, 0, 0};

  const auto share_floats = [](std::vector<fb::Op>& ops) {
    ops[3] = fb::Op(ops[3].code(), 1, 1, ops[3].first_operand(), 0, 0, 1, 0);
  };
  EXPECT_EQ(status(s, share_floats), ERT_OK) << "the pool has two floats";
  s.ops[3].floats.clear();
  EXPECT_EQ(status(s, share_floats), ERT_ERR_MODEL) << "the pool has one";
  s.ops[3].floats = {0.5f};

  // The output of op 2 is the input of op 3, and one entry of the pool.
  s.ops[3].inputs = s.ops[2].outputs;
  ASSERT_EQ(status(s, nothing), ERT_OK);
  const auto share_operands = [](std::vector<fb::Op>& ops) {
    ops[3] = fb::Op(ops[3].code(), 1, 1, ops[2].first_operand() + 1, 0, 0, 1, ops[3].first_float());
  };
  s.ops[3].inputs.clear();
  EXPECT_EQ(status(s, share_operands), ERT_ERR_MODEL);
}

// The one quotient of the least number that does not fit is that by -1.
TEST(SemanticsAccepts, TheLeastNumberDividedByTwo) {
  BlobSpec s = small_program();
  const uint32_t low = s.constant(INT64_MIN);
  s.expr(5, low, s.constant(2));
  s.expr(8, low, s.constant(2));
  EXPECT_EQ(open_spec(s), ERT_OK);
}

TEST(SemanticsAccepts, ReportsUnregisteredCustomOpsAtInitOnly) {
  BlobSpec s = small_program();
  s.custom_ops.push_back({"test::Twice", "k", {1, 2}});
  const AlignedBytes b = s.build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&m, nullptr, nullptr, &need), ERT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace ert::testing
