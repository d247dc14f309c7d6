// One program for each check in rt/verify of what stands beside values and ops (counts, packed rows, golden vectors, states) that no other check
// stands in for: with the check deleted it would be accepted, refused for another reason, or read
// outside of the blob (tests/checks/check_deletion.py).
#include <gtest/gtest.h>

#include "rt/base/limits.h"
#include "tests/rt/program_changes.h"

namespace ert::testing {
namespace {

class VerifyTables : public ::testing::TestWithParam<ProgramCase> {};

TEST_P(VerifyTables, SaysWhy) {
  BlobSpec s = small_program();
  GetParam().change(s);
  EXPECT_EQ(open_spec(s), GetParam().expected) << GetParam().what;
}

const ProgramCase kPacking[] = {
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

const ProgramCase kCounts[] = {
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

const ProgramCase kGolden[] = {
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

const ProgramCase kStates[] = {
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

INSTANTIATE_TEST_SUITE_P(Packing, VerifyTables, ::testing::ValuesIn(kPacking));
INSTANTIATE_TEST_SUITE_P(Counts, VerifyTables, ::testing::ValuesIn(kCounts));
INSTANTIATE_TEST_SUITE_P(Golden, VerifyTables, ::testing::ValuesIn(kGolden));
INSTANTIATE_TEST_SUITE_P(States, VerifyTables, ::testing::ValuesIn(kStates));

}  // namespace
}  // namespace ert::testing
