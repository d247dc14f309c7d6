// One of the operands of attention, or what rotary embedding turns before it, as columns of a [batch, sequence, width] tensor:
// traced back through head splits, packed projections and layout detours (view_layout.h), or brought into that form by one copy.
#pragma once

#include <optional>

#include "convert/passes/view_layout.h"

namespace edgeconv {

struct HeadOperand {
  ValueId value = kNone;
  int64_t heads = 1, dim = 0, first = 0;
  DimExpr batch = 1, sequence = 1;
};

// v: [batch, heads, sequence, dim], or with batch and heads joined; transposed: [batch, heads, dim, sequence]. Constant factors
// on the way are multiplied into *scale; without scale they are not passed.
std::optional<HeadOperand> head_operand(Graph& g, ValueId v, bool transposed, float* scale, const Origin& origin);
// The same for [batch, sequence, heads, dim].
std::optional<HeadOperand> token_major_operand(Graph& g, ValueId v, const Origin& origin);

// Keys and values of grouped-query attention are repeated for every query head of a group: [batch, kv_heads, ...] expanded to
// [batch, kv_heads, repeats, ...] and joined. Gives the value without the repetition and without constant factors, or nullopt.
struct Ungrouped {
  ValueId value = kNone;
  int64_t repeats = 1;
  float factor = 1;
};
std::optional<Ungrouped> without_repetition(Graph& g, ValueId v, const Origin& origin);

}  // namespace edgeconv
