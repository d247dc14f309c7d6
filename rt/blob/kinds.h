// What the numbers of the metadata mean (schema/program.fbs). The converter writes them, the runtime reads and verifies them, and both
// take them from here. They are part of the blob format: only append, before kCount; rt/schema/README.md says what that does to the
// format's version. Op codes and parameters stand in rt/ops/op_list.inc and rt/ops/op_params.h in the same way, the header in header.h.
#pragma once

#include <stdint.h>

namespace ert {

// Value.storage: where the bytes of a value are, and what Value.index says.
enum class Storage : uint8_t {
  kArena,     // index: slot
  kConstant,  // index: segment; offset: first byte in it
  kInput,     // index: position in Program.inputs
  kOutput,    // index: position in Program.outputs
  kAlias,     // index: the value whose bytes these are, under another shape
  kCount
};

// Expr.kind. lhs and rhs are earlier expressions, where nothing else is said.
enum class ExprKind : uint32_t {
  kConstant,  // value
  kDim,       // lhs: position in Program.dims
  kAdd,
  kSub,
  kMul,
  kFloorDiv,  // rounded down, as in mathematics
  kMin,
  kMax,
  kMod,   // has the divisor's sign
  kRows,  // packed rows: what the mask of Program.packing says in this run, at most lhs * rhs, which are the mask's axes
  kCount
};

// Segment.kind
enum class SegmentKind : uint8_t { kConstants, kGolden, kTokenizer, kCount };

// Segment.compression: of the bytes as stored. The flag kFlagCompressed of the header says that there is one.
enum class Compression : uint8_t { kNone, kZstd, kCount };

// CustomAttribute.kind, and ert_custom_attribute.kind. A single number is the only entry of its vector.
enum class AttributeKind : uint32_t { kInt, kFloat, kString, kInts, kFloats, kCount };

// Program.flags. All of them are critical: a runtime that does not know one refuses the blob (ERT_ERR_VERSION).
constexpr uint32_t kFlagPacking = 1u << 0;    // Program.packing is set
constexpr uint32_t kFlagStates = 1u << 1;     // Program.states is not empty
constexpr uint32_t kFlagTokenizer = 1u << 2;  // one segment has kind kTokenizer
constexpr uint32_t kFlagTables16 = 1u << 3;   // a constant is int16: the table of an Embedding
constexpr uint32_t kFlagRecipes = 1u << 4;    // golden vectors are recipes (recipe.h), not whole tensors
constexpr uint32_t kKnownProgramFlags = kFlagPacking | kFlagStates | kFlagTokenizer | kFlagTables16 | kFlagRecipes;

}  // namespace ert
