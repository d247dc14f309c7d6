// The pieces of scaled dot-product attention that all attention operators are written with. q, k, v are [B, heads, S, D].
#pragma once

#include "convert/import/building_blocks.h"

namespace edgeconv {

// [B, S, heads * D] <-> [B, heads, S, D]
ValueId split_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t heads);
ValueId merge_heads(ImportContext& c, const OnnxNode& n, ValueId x);

// Grouped queries: [B, kv_heads, S, D] -> [B, heads, S, D], each head repeated.
ValueId repeat_heads(ImportContext& c, const OnnxNode& n, ValueId x, int64_t kv_heads, int64_t heads);

// q * k^T times `scale`, or divided by the square root of the head width when scale is 0.
ValueId attention_scores(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, float scale);

// True where query i may see key j: -left <= j - (i + first) <= right; negative bounds are none. `first` is the position of query 0
// among the keys, an int64 scalar or [B, 1, 1, 1], or kNone for 0.
ValueId window_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, ValueId first, int64_t left, int64_t right);

// j <= i + first.
ValueId causal_mask(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, ValueId first);

// A count of valid keys per row assumes padding at the end. When the count, or one less, is the sum of a mask [B, Sk], the mask itself
// says the same and is right for any padding: that mask, or kNone.
ValueId mask_behind_count(ImportContext& c, ValueId count, int64_t less);

// True for the first counts[b] keys of row b.
ValueId count_mask(ImportContext& c, const OnnxNode& n, ValueId k, ValueId counts);

// The attribute 'softcap' applied to scores.
ValueId softcap(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId like);

// scores + (keep ? 0 : blocked); `like` tells the element type.
ValueId mask_scores(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId keep, ValueId like, float blocked);

// Softmax over the keys, times v: [B, heads, S, Dv]
ValueId weighted_values(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId v);

}  // namespace edgeconv
