// The pieces of scaled dot-product attention that all attention operators are written with. q, k, v are [B, heads, S, D].
#pragma once

#include "convert/import/building_blocks.h"

namespace edgeconv {

// [B, S, heads * D] <-> [B, heads, S, D]
ValueId split_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t heads);
ValueId merge_heads(ImportContext& c, const OnnxNode& n, ValueId x);

// q * k^T times `scale`, or divided by the square root of the head width when scale is 0.
ValueId attention_scores(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, float scale);

// Where query 0 stands among the keys: at the first key (ONNX without a key-value cache), or such that the last query is at the
// last key (ONNX Runtime's operators). The same for self-attention.
enum class QueryStart { kFirstKey, kAlignedAtEnd };

// True where query i may see key j: -left <= j - (i + start) <= right; negative bounds are none.
ValueId window_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, QueryStart start, int64_t left, int64_t right);

// j <= i + start.
ValueId causal_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, QueryStart start);

// scores + (keep ? 0 : blocked); `like` tells the element type.
ValueId mask_scores(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId keep, ValueId like, float blocked);

// Softmax over the keys, times v: [B, heads, S, Dv]
ValueId weighted_values(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId v);

}  // namespace edgeconv
