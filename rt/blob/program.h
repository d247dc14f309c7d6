// The blob's metadata as plain pointers and counts. Built from a verified blob in a few dozen instructions, so nobody has
// to store it. Private to rt: this is the only header that includes the generated FlatBuffers code.
#pragma once

#include <stdint.h>

#include "rt/blob/kinds.h"

#ifndef FLATBUFFERS_ASSERT
#define FLATBUFFERS_ASSERT(condition) ((void)0)  // every access is checked before, in rt/verify
#endif
#include "rt/schema/program_generated.h"

namespace ert {

template <class T>
struct Span {
  const T* data = nullptr;
  uint32_t size = 0;
  const T& operator[](uint32_t i) const { return data[i]; }
};

struct Program {
  const uint8_t* blob = nullptr;
  const fb::Program* root = nullptr;
  Span<fb::Dim> dims;
  Span<fb::Expr> exprs;
  Span<fb::Value> values;
  Span<uint32_t> inputs, outputs;
  Span<uint8_t> input_dtypes, output_dtypes;
  Span<fb::IntRange> input_ranges;
  uint32_t slots = 0;
  Span<uint32_t> arena_order;
  Span<int32_t> operands, ints;
  Span<float> floats;
  Span<fb::Op> ops;
  Span<fb::Segment> segments;
  Span<fb::Packing> packing;
  Span<fb::State> states;
};

Program program_view(const uint8_t* blob, const fb::Program* root);

inline Storage storage_of(const fb::Value& v) { return static_cast<Storage>(v.storage()); }
inline ExprKind kind_of(const fb::Expr& e) { return static_cast<ExprKind>(e.kind()); }
inline SegmentKind kind_of(const fb::Segment& s) { return static_cast<SegmentKind>(s.kind()); }
inline Compression compression_of(const fb::Segment& s) { return static_cast<Compression>(s.compression()); }
inline AttributeKind kind_of(const fb::CustomAttribute& a) { return static_cast<AttributeKind>(a.kind()); }

// The value that owns the bytes of value v: v itself, or the end of its alias chain. Verified to end within
// limits::kMaxAliasHops; returns the last value reached if it does not.
uint32_t root_value(const Program& p, uint32_t v);

// First byte of a constant value.
inline const uint8_t* constant_data(const Program& p, const fb::Value& v) {
  return p.blob + p.segments[v.index()].offset() + v.offset();
}

// Operand k of an op (inputs, then outputs): a value index, or -1.
inline int32_t operand_of(const Program& p, const fb::Op& op, uint32_t k) { return p.operands[op.first_operand() + k]; }
inline uint32_t operand_count(const fb::Op& op) { return uint32_t{op.n_inputs()} + op.n_outputs(); }

// Name of an op or "", NUL-terminated in the blob.
const char* op_name(const Program& p, uint32_t op);

}  // namespace ert
