// One program for each check of rt/verify that no other check stands in for: with the check deleted it would be accepted, refused for another reason, or read
// outside of the blob (tests/checks/check_deletion.py). More than 300 lines, because it is one table. Most of what is wrong here is in parts that no op reads.
#include <gtest/gtest.h>

#include <functional>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/base/limits.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

using params::OpCode;

enum ValueIndex : uint32_t { kX, kBias, kNegated, kSum, kCopied, kOut };
enum StorageKind : uint8_t { kArena, kConstant, kInput, kOutput, kAlias };
enum ExprOf : uint32_t { kOfDim = 1, kSub = 3, kMul = 4, kFloorDiv = 5, kMin = 6, kRows = 9 };
constexpr uint32_t kFar = 0x10000000;  // an index whose element is in nobody's memory

int32_t i(uint32_t v) { return static_cast<int32_t>(v); }

uint32_t last_op(const BlobSpec& s) { return static_cast<uint32_t>(s.ops.size()) - 1; }

// An arena value in a slot of its own, written by one more op at the end.
uint32_t append(BlobSpec& s, uint8_t dtype, std::vector<uint32_t> shape, OpCode code, std::vector<int32_t> inputs,
                std::vector<int32_t> ints = {}) {
  const auto op = static_cast<uint32_t>(s.ops.size());
  const uint32_t v = s.add({dtype, std::move(shape), kArena, s.slots, 0, op, op});
  s.arena_order.push_back(v);
  ++s.slots;
  s.ops.push_back({code, std::move(inputs), {i(v)}, std::move(ints), {}});
  return v;
}

uint32_t append_output(BlobSpec& s, uint8_t dtype, std::vector<uint32_t> shape, OpCode code, std::vector<int32_t> inputs,
                       std::vector<int32_t> ints = {}) {
  const uint32_t v = s.add_output("more", dtype, std::move(shape), static_cast<uint32_t>(s.ops.size()));
  s.ops.push_back({code, std::move(inputs), {i(v)}, std::move(ints), {}});
  return v;
}

// An I32 input in the arena.
uint32_t imported(BlobSpec& s) {
  const uint32_t in = s.add_input("ids", ERT_I32, {1});
  const uint32_t v = append(s, ERT_I32, {1}, OpCode::kImportInt, {i(in)});
  s.values[v].last_op = v + 9;  // corrected by the caller, who knows its readers
  return v;
}

void add_golden(BlobSpec& s, std::vector<int32_t> dims, std::vector<uint64_t> offsets) {
  s.segments.push_back({std::vector<uint8_t>(512), 1});
  s.golden.push_back({std::move(dims), static_cast<uint32_t>(s.segments.size()) - 1, std::move(offsets)});
}

// A mask that nobody reads, and packed rows that no value has.
uint32_t add_packing(BlobSpec& s, uint8_t dtype = ERT_I64) {
  const uint32_t sequence = s.dim("sequence", 1, 5);
  s.add_input("mask", dtype, {0, sequence});
  const uint32_t rows = s.expr(kRows, 0, sequence);
  s.packing = {fb::Packing(1, 0, rows, 0)};
  s.program_flags = 1;
  return rows;
}

void add_states(BlobSpec& s, std::vector<fb::State> states) {
  s.states = std::move(states);
  s.program_flags = 2;
}

struct Case {
  const char* what;
  ert_status expected;
  std::function<void(BlobSpec&)> change;
};

class VerifyProgram : public ::testing::TestWithParam<Case> {};

TEST_P(VerifyProgram, SaysWhy) {
  BlobSpec s = small_program();
  GetParam().change(s);
  EXPECT_EQ(open_spec(s), GetParam().expected) << GetParam().what;
}

const Case kSound[] = {
    {"an op more", ERT_OK,
     [](BlobSpec& s) {
       append(s, ERT_F32, {0, 1}, OpCode::kCopy, {i(kX)});
     }},
    {"an output more", ERT_OK,
     [](BlobSpec& s) {
       append_output(s, ERT_F32, {0, 1}, OpCode::kCopy, {i(kX)});
     }},
    {"a golden vector", ERT_OK,
     [](BlobSpec& s) {
       add_golden(s, {2}, {0, 64});
     }},
    {"packed rows", ERT_OK, [](BlobSpec& s) { add_packing(s); }},
    {"packed rows of a mask of 32 bits", ERT_OK, [](BlobSpec& s) { add_packing(s, ERT_I32); }},
    {"packed rows of a mask of booleans", ERT_OK, [](BlobSpec& s) { add_packing(s, ERT_BOOL); }},
    {"packed rows of a mask of bytes", ERT_OK, [](BlobSpec& s) { add_packing(s, ERT_U8); }},
    {"in place, with an operand that is absent", ERT_OK,
     [](BlobSpec& s) {
       s.values[kBias].shape = {1};
       for (const ValueIndex v : {kX, kNegated, kSum, kCopied, kOut}) s.values[v].shape = {0, 1};
       s.ops[2] = {OpCode::kLayerNorm, {i(kSum), -1, i(kBias), -1}, {i(kCopied)}, {0}, {1e-5f}};
       s.values[kCopied].index = 1;
       s.arena_order = {kNegated, kSum, kCopied};
     }},
    {"outputs around one that is absent", ERT_OK,
     [](BlobSpec& s) {
       s.custom_ops.push_back({"a::b", "", {}, {}});
       append(s, ERT_F32, {0, 1}, OpCode::kCustom, {i(kX)}, {0});
       const uint32_t third = append(s, ERT_F32, {0, 1}, OpCode::kCustom, {i(kX)}, {0});
       s.ops.pop_back();
       s.values[third].first_op = s.values[third].last_op = last_op(s);
       s.ops.back().outputs.insert(s.ops.back().outputs.end(), {-1, i(third)});
     }},
    {"a state", ERT_OK,
     [](BlobSpec& s) {
       s.add_input("state", ERT_F32, {1});
       append_output(s, ERT_F32, {1}, OpCode::kFill, {}, {0});
       add_states(s, {{1, 1}});
     }},
    {"an alias", ERT_OK,
     [](BlobSpec& s) {
       s.add({ERT_F32, {0, 1}, kAlias, kNegated});
     }},
    {"as many custom operators as there may be", ERT_OK,
     [](BlobSpec& s) {
       s.custom_ops.resize(limits::kMaxCustomOps, {"a::b", "", {}, {}});
     }},
};

const Case kLifetimes[] = {
    {"order of slots", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.arena_order = {kSum, kNegated, kCopied};
     }},
    {"a constant in the place of an arena value", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       for (int n = 0; n < 3; ++n) s.add_constant(ERT_F32, {1}, {0, 0, 0, 0});
       s.arena_order = {kNegated, kCopied, static_cast<uint32_t>(s.values.size()) - 1};
     }},
    {"in place of an operand that the op still needs", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       for (BlobSpec::Value& v : s.values) v.shape = {1, 1};
       s.values[kBias].shape = {1};
       s.ops[2] = {OpCode::kTranspose, {i(kSum)}, {i(kCopied)}, {1, 0}, {}};
       s.values[kCopied].index = 1;
       s.arena_order = {kNegated, kSum, kCopied};
     }},
    {"a second output in place", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t first = s.add({ERT_F32, {0, 1}, kArena, 2, 0, 2, 2});
       s.ops[2] = {OpCode::kLayerNorm, {i(kSum), i(kX), i(kBias), -1}, {i(first), i(kCopied)}, {0}, {1e-5f}};
       s.values[kCopied].index = 1;
       s.slots = 3;
       s.arena_order = {kNegated, kSum, kCopied, first};
     }},
    {"an alias of other bytes that nobody reads", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_F32, {0, s.constant(5)}, kAlias, kNegated});
     }},
};

const Case kOps[] = {
    {"an op that writes nothing", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.custom_ops.push_back({"a::b", "", {}, {}});
       s.ops.push_back({OpCode::kCustom, {i(kX)}, {}, {0}, {}});
     }},
    {"more operands than an op may have", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.custom_ops.push_back({"a::b", "", {}, {}});
       append(s, ERT_F32, {0, 1}, OpCode::kCustom, std::vector<int32_t>(250, i(kX)), {0});
     }},
    {"an output that is read before it is written", ERT_ERR_MODEL, [](BlobSpec& s) { s.ops[0].inputs[0] = i(kOut); }},
    {"an integer output that is read", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t narrow = imported(s);
       const uint32_t out = append_output(s, ERT_I32, {1}, OpCode::kExportInt, {i(narrow)});
       s.values[narrow].last_op = last_op(s);
       append_output(s, ERT_F32, {1}, OpCode::kCast, {i(out)});
     }},
    {"an integer input that another op than ImportInt reads", ERT_ERR_MODEL,
     [](BlobSpec& s) { append_output(s, ERT_F32, {1}, OpCode::kCast, {i(s.add_input("ids", ERT_I32, {1}))}); }},
    {"an integer output that another op than ExportInt writes", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       append_output(s, ERT_I32, {0, 1}, OpCode::kCast, {i(kX)});
     }},
    {"an integer output that ExportInt writes through another name", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t narrow = imported(s);
       const uint32_t out = append_output(s, ERT_I32, {1}, OpCode::kExportInt, {i(narrow)});
       s.values[narrow].last_op = last_op(s);
       s.ops.back().outputs[0] = i(s.add({ERT_I32, {1}, kAlias, out}));
     }},
    {"two outputs that are one value, beside one that nobody writes", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.ops[2] = {OpCode::kLayerNorm, {i(kSum), i(kX), i(kBias), -1}, {i(kCopied), i(kCopied)}, {0}, {1e-5f}};
       s.add({ERT_F32, {0, 1}, kArena, 2, 0, 3, 3});
       s.slots = 3;
       s.arena_order.push_back(kOut + 1);
     }},
    {"a value that nobody writes or reads", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_F32, {0, 1}, kArena, 2, 0, 0, 0});
       s.slots = 3;
       s.arena_order.push_back(kOut + 1);
     }},
};

const Case kPacking[] = {
    {"packed rows without packing", ERT_ERR_MODEL, [](BlobSpec& s) { s.expr(kRows, 0, 1); }},
    {"a mask that is no input", ERT_ERR_MODEL, [](BlobSpec& s) { s.packing = {fb::Packing(kFar, 0, add_packing(s), 0)}; }},
    {"a float mask", ERT_ERR_MODEL, [](BlobSpec& s) { add_packing(s, ERT_F32); }},
    {"a mask of rank 3", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_packing(s);
       s.values.back().shape.push_back(1);
     }},
    {"a mask whose rows are no dim", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t sequence = s.dim("sequence", 1, 5), least = s.expr(kMin, 0, 0);
       s.add_input("mask", ERT_I64, {least, sequence});
       s.packing = {fb::Packing(1, 0, s.expr(kRows, least, sequence), 0)};
       s.program_flags = 1;
     }},
    {"a mask whose length is no dim", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t least = s.expr(kMin, 0, 0);
       s.add_input("mask", ERT_I64, {0, least});
       s.packing = {fb::Packing(1, 0, s.expr(kRows, 0, least), 0)};
       s.program_flags = 1;
     }},
    {"rows of the mask's rows and another length", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.exprs[add_packing(s)] = fb::Expr(kRows, 0, 0, 0, 0);
     }},
    {"an output whose size follows from packed rows on the right", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       append_output(s, ERT_F32, {s.expr(kMin, 0, add_packing(s))}, OpCode::kFill, {}, {0});
     }},
    {"rows that are no expression", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_packing(s);
       s.packing = {fb::Packing(1, 0, kFar, 0)};
     }},
    {"rows that are a dim", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_packing(s);
       s.packing = {fb::Packing(1, 0, 0, 0)};
     }},
    {"an input of packed rows", ERT_ERR_MODEL, [](BlobSpec& s) { s.add_input("rows", ERT_F32, {add_packing(s)}); }},
    {"an output of packed rows", ERT_ERR_MODEL,
     [](BlobSpec& s) { append_output(s, ERT_F32, {add_packing(s)}, OpCode::kFill, {}, {0}); }},
};

const Case kCounts[] = {
    {"dims", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       while (s.dims.size() <= ERT_MAX_DIMS) s.dim("d", 1, 2);
     }},
    {"values", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       s.values.resize(limits::kMaxValues + 1, {ERT_F32, {0, 1}, kAlias, kX});
     }},
    {"operands", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       s.custom_ops.push_back({"a::b", "", {}, {}});
       for (uint32_t n = 0; n < limits::kMaxOperandEntries / 31; ++n)
         append(s, ERT_F32, {1}, OpCode::kCustom, std::vector<int32_t>(31, i(kX)), {0});
       s.slots = 2;
     }},
    {"inputs", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       while (s.inputs.size() <= limits::kMaxInputs) s.add_input("in", ERT_F32, {1});
     }},
    {"outputs", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       while (s.outputs.size() <= limits::kMaxOutputs) append_output(s, ERT_F32, {1}, OpCode::kFill, {}, {0});
     }},
    {"golden vectors", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       add_golden(s, {1}, {0, 64});
       s.golden.resize(limits::kMaxGolden + 1, s.golden[0]);
     }},
    {"no outputs", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.ops.pop_back();
       s.values.pop_back();
       s.outputs.clear();
       s.values[kCopied].last_op = 2;
     }},
    {"custom operators", ERT_ERR_FORMAT,
     [](BlobSpec& s) {
       s.custom_ops.resize(limits::kMaxCustomOps + 1, {"a::b", "", {}, {}});
     }},
    {"attributes", ERT_ERR_FORMAT,
     [](BlobSpec& s) {
       s.custom_ops.push_back({"a::b", "", {}, {}});
       s.custom_ops[0].more.resize(limits::kMaxCustomAttributes + 1, {"a", 0, std::vector<int32_t>{1}});
     }},
    {"segments", ERT_ERR_LIMIT,
     [](BlobSpec& s) {
       s.segments.resize(limits::kMaxSegments + 1, {{}, 2});
     }},
    {"a name's bytes", ERT_ERR_FORMAT, [](BlobSpec& s) { s.dim_names[0].assign(limits::kMaxNameBytes + 1, 'n'); }},
};

const Case kSizes[] = {
    {"an input of size 0 that nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.add_input("z", ERT_F32, {s.constant(0)}); }},
    {"a size that is 0 at the smallest dims only", ERT_ERR_MODEL,
     [](BlobSpec& s) { s.add_input("z", ERT_F32, {s.expr(kSub, 0, s.constant(1))}); }},
    {"a dim that nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.dim("d", 1, INT32_MAX); }},
    {"a dim from 0 that nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.dim("d", 0, 2); }},
    {"an expression of no kind, at the end", ERT_ERR_MODEL, [](BlobSpec& s) { s.expr(10, 0, 0); }},
    {"an expression that refers forward, which nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.expr(kMin, 0, 500); }},
};

const Case kValues[] = {
    {"a constant whose shape is a dim", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.exprs[0] = fb::Expr(kOfDim, 0, 0, 0, 4);
       s.add({ERT_F32, {0}, kConstant, 0});
     }},
    {"a constant that no memory holds", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t big = s.constant(INT32_MAX);
       s.add({ERT_F32, {big, big, big}, kConstant, 0});
     }},
    {"of no storage", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_F32, {0, 1}, kAlias + 1, 0});
     }},
    {"of a storage far from all", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_F32, {0, 1}, 255, 0});
     }},
    {"an alias with other elements", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_U8, {0, s.constant(16)}, kAlias, kNegated});
     }},
    {"an arena value with an offset", ERT_ERR_MODEL, [](BlobSpec& s) { s.values[kSum].offset = 4; }},
    {"an arena value of 64 bits that ExportInt writes", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t narrow = imported(s);
       append(s, ERT_I64, {1}, OpCode::kExportInt, {i(narrow)});
       s.values[narrow].last_op = last_op(s);
     }},
    {"a value that dies before it is born", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.values[append(s, ERT_F32, {0, 1}, OpCode::kCopy, {i(kX)})].last_op = 1;
     }},
    {"two values that are one input", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_F32, {0, 1}, kInput, 0});
     }},
    {"two values that are one output", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       append_output(s, ERT_F32, {0, 1}, OpCode::kCopy, {i(kX)});
       s.outputs.pop_back();
       s.values.back().index = 0;
     }},
    {"a 16-bit constant without the flag that older runtimes refuse", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add({ERT_I16, {1}, kConstant, 0});
     }},
    {"an input of rank 9 that nobody reads", ERT_ERR_MODEL,
     [](BlobSpec& s) { s.add_input("z", ERT_F32, std::vector<uint32_t>(9, 1)); }},
    // Refused before ops are looked at: what resolves a shape has room for eight axes, so that it may not see a ninth, and what it would say is undefined.
    {"an input of rank 9 beside an unknown op", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add_input("z", ERT_F32, std::vector<uint32_t>(9, 1));
       s.ops[0].code = static_cast<OpCode>(9999);
     }},
    {"an input that is no value", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.inputs.push_back({kFar, "far", ERT_F32});
     }},
    {"an arena value as output", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.values[kOut].storage = kArena;
       s.values[kOut].index = 2;
       s.slots = 3;
       s.arena_order.push_back(kOut);
       s.outputs[0].value = kNegated;
     }},
    {"one value at two inputs", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.inputs.push_back(s.inputs[0]);
       s.values[kX].index = 1;
     }},
};

const Case kGolden[] = {
    {"an offset that is not aligned", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_golden(s, {2}, {4, 64});
     }},
    {"an offset behind the segment", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_golden(s, {2}, {0, 4096});
     }},
    {"a tensor that no memory holds", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t big = s.constant(INT32_MAX);
       s.add_input("z", ERT_F32, {big, big, big});
       add_golden(s, {2}, {0, 64, 0});
     }},
    {"a dim too many", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_golden(s, {2, 2}, {0, 64});
     }},
    {"an offset too many", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_golden(s, {2}, {0, 64, 0});
     }},
    {"no segment", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_golden(s, {2}, {0, 64});
       s.golden[0].segment = kFar;
     }},
    {"a dim below its minimum", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.dims[0] = fb::Dim(2, 8);
       add_golden(s, {1}, {0, 64});
     }},
    {"a dim above its maximum", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       add_golden(s, {9}, {0, 192});
     }},
    {"a division by 0 at its dims only", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.expr(kFloorDiv, 0, s.expr(kSub, 0, s.constant(3)));
       add_golden(s, {3}, {0, 64});
     }},
    {"a size of 0 at its dims only", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t away = s.expr(kSub, 0, s.constant(3));
       s.add_input("z", ERT_F32, {s.expr(kMul, away, away)});
       add_golden(s, {3}, {0, 64, 0});
     }},
};

const Case kStates[] = {
    {"of another rank", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add_input("state", ERT_F32, {1});
       append_output(s, ERT_F32, {1, 1}, OpCode::kFill, {}, {0});
       add_states(s, {{1, 1}});
     }},
    {"of another size", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add_input("state", ERT_F32, {1});
       append_output(s, ERT_F32, {s.constant(5)}, OpCode::kFill, {}, {0});
       add_states(s, {{1, 1}});
     }},
    {"no output", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add_input("state", ERT_F32, {1});
       add_states(s, {{1, kFar}});
     }},
    {"one output for two inputs", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       s.add_input("state", ERT_F32, {1});
       s.add_input("other", ERT_F32, {1});
       append_output(s, ERT_F32, {1}, OpCode::kFill, {}, {0});
       add_states(s, {{1, 1}, {2, 1}});
     }},
    {"of another type in the file", ERT_ERR_MODEL,
     [](BlobSpec& s) {
       const uint32_t narrow = imported(s);
       append_output(s, ERT_I32, {1}, OpCode::kExportInt, {i(narrow)});
       s.values[narrow].last_op = last_op(s);
       s.outputs[1].dtype = ERT_I64;
       add_states(s, {{1, 1}});
     }},
};

INSTANTIATE_TEST_SUITE_P(Sound, VerifyProgram, ::testing::ValuesIn(kSound));
INSTANTIATE_TEST_SUITE_P(Lifetimes, VerifyProgram, ::testing::ValuesIn(kLifetimes));
INSTANTIATE_TEST_SUITE_P(Ops, VerifyProgram, ::testing::ValuesIn(kOps));
INSTANTIATE_TEST_SUITE_P(Packing, VerifyProgram, ::testing::ValuesIn(kPacking));
INSTANTIATE_TEST_SUITE_P(Counts, VerifyProgram, ::testing::ValuesIn(kCounts));
INSTANTIATE_TEST_SUITE_P(Sizes, VerifyProgram, ::testing::ValuesIn(kSizes));
INSTANTIATE_TEST_SUITE_P(Values, VerifyProgram, ::testing::ValuesIn(kValues));
INSTANTIATE_TEST_SUITE_P(Golden, VerifyProgram, ::testing::ValuesIn(kGolden));
INSTANTIATE_TEST_SUITE_P(States, VerifyProgram, ::testing::ValuesIn(kStates));

}  // namespace
}  // namespace ert::testing
