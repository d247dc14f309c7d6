// small_program() with something wrong, for the tests of rt/verify: what is added to it, and what opening it must give.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tests/support/context_fixture.h"

namespace ert::testing {

using params::OpCode;

enum ValueIndex : uint32_t { kX, kBias, kNegated, kSum, kCopied, kOut };
enum StorageKind : uint8_t { kArena, kConstant, kInput, kOutput, kAlias };
enum ExprOf : uint32_t { kOfDim = 1, kSub = 3, kMul = 4, kFloorDiv = 5, kMin = 6, kRows = 9 };
constexpr uint32_t kFar = 0x10000000;  // an index whose element is in nobody's memory

inline int32_t i(uint32_t v) { return static_cast<int32_t>(v); }

inline uint32_t last_op(const BlobSpec& s) { return static_cast<uint32_t>(s.ops.size()) - 1; }

// An arena value in a slot of its own, written by one more op at the end.
inline uint32_t append(BlobSpec& s, uint8_t dtype, std::vector<uint32_t> shape, OpCode code, std::vector<int32_t> inputs,
                       std::vector<int32_t> ints = {}) {
  const auto op = static_cast<uint32_t>(s.ops.size());
  const uint32_t v = s.add({dtype, std::move(shape), kArena, s.slots, 0, op, op});
  s.arena_order.push_back(v);
  ++s.slots;
  s.ops.push_back({code, std::move(inputs), {i(v)}, std::move(ints), {}});
  return v;
}

inline uint32_t append_output(BlobSpec& s, uint8_t dtype, std::vector<uint32_t> shape, OpCode code, std::vector<int32_t> inputs,
                              std::vector<int32_t> ints = {}) {
  const uint32_t v = s.add_output("more", dtype, std::move(shape), static_cast<uint32_t>(s.ops.size()));
  s.ops.push_back({code, std::move(inputs), {i(v)}, std::move(ints), {}});
  return v;
}

// An I32 input in the arena.
inline uint32_t imported(BlobSpec& s) {
  const uint32_t in = s.add_input("ids", ERT_I32, {1});
  const uint32_t v = append(s, ERT_I32, {1}, OpCode::kImportInt, {i(in)});
  s.values[v].last_op = v + 9;  // corrected by the caller, who knows its readers
  return v;
}

inline void add_golden(BlobSpec& s, std::vector<int32_t> dims, std::vector<uint64_t> offsets) {
  s.segments.push_back({std::vector<uint8_t>(512), 1});
  s.golden.push_back({std::move(dims), static_cast<uint32_t>(s.segments.size()) - 1, std::move(offsets)});
}

// A mask that nobody reads, and packed rows that no value has.
inline uint32_t add_packing(BlobSpec& s, uint8_t dtype = ERT_I64) {
  const uint32_t sequence = s.dim("sequence", 1, 5);
  s.add_input("mask", dtype, {0, sequence});
  const uint32_t rows = s.expr(kRows, 0, sequence);
  s.packing = {fb::Packing(1, 0, rows, 0)};
  s.program_flags = 1;
  return rows;
}

inline void add_states(BlobSpec& s, std::vector<fb::State> states) {
  s.states = std::move(states);
  s.program_flags = 2;
}

struct ProgramCase {
  const char* what;
  ert_status expected;
  std::function<void(BlobSpec&)> change;
};

}  // namespace ert::testing
