// One program for each check of values and ops in rt/verify that no other check stands in for: with the check deleted it would be accepted, refused for another reason, or read
// outside of the blob (tests/checks/check_deletion.py). Most of what is wrong here is in parts that no op reads.
#include <gtest/gtest.h>

#include "rt/base/limits.h"
#include "tests/rt/program_changes.h"

namespace ert::testing {
namespace {

class VerifyProgram : public ::testing::TestWithParam<ProgramCase> {};

TEST_P(VerifyProgram, SaysWhy) {
  BlobSpec s = small_program();
  GetParam().change(s);
  EXPECT_EQ(open_spec(s), GetParam().expected) << GetParam().what;
}

const ProgramCase kSound[] = {
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

const ProgramCase kLifetimes[] = {
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

const ProgramCase kOps[] = {
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

const ProgramCase kSizes[] = {
    {"an input of size 0 that nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.add_input("z", ERT_F32, {s.constant(0)}); }},
    {"a size that is 0 at the smallest dims only", ERT_ERR_MODEL,
     [](BlobSpec& s) { s.add_input("z", ERT_F32, {s.expr(kSub, 0, s.constant(1))}); }},
    {"a dim that nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.dim("d", 1, INT32_MAX); }},
    {"a dim from 0 that nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.dim("d", 0, 2); }},
    {"an expression of no kind, at the end", ERT_ERR_MODEL, [](BlobSpec& s) { s.expr(10, 0, 0); }},
    {"an expression that refers forward, which nobody reads", ERT_ERR_MODEL, [](BlobSpec& s) { s.expr(kMin, 0, 500); }},
};

const ProgramCase kValues[] = {
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

INSTANTIATE_TEST_SUITE_P(Sound, VerifyProgram, ::testing::ValuesIn(kSound));
INSTANTIATE_TEST_SUITE_P(Lifetimes, VerifyProgram, ::testing::ValuesIn(kLifetimes));
INSTANTIATE_TEST_SUITE_P(Ops, VerifyProgram, ::testing::ValuesIn(kOps));
INSTANTIATE_TEST_SUITE_P(Sizes, VerifyProgram, ::testing::ValuesIn(kSizes));
INSTANTIATE_TEST_SUITE_P(Values, VerifyProgram, ::testing::ValuesIn(kValues));

}  // namespace
}  // namespace ert::testing
