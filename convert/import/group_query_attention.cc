// GroupQueryAttention of com.microsoft on whole sequences, as embedding models that were exported for ONNX Runtime use it: causal, heads
// shared by groups of queries, rotary positions inside. A key-value cache has no place in an encoder.
#include <cmath>

#include "convert/import/attention_blocks.h"
#include "convert/import/rotary_embedding.h"

namespace edgeconv {
namespace {

const char* const kCacheHint = "export the model without a key-value cache, for whole sequences";

enum Input : size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLengths,
  kTotalLength,
  kCos,
  kSin,
  kPositions,
  kBias,
  kSink,
  kKeyScale,
  kValueScale,
  kInputs
};

struct Heads {
  int64_t q, kv;
};

struct Operands {
  ValueId q, k, v;  // [B, heads, S, D]
};

void check_form(ImportContext& c, const OnnxNode& n, const Heads& h) {
  check_input_count(n, 7, kInputs);
  if (h.q < 1 || h.kv < 1 || h.q % h.kv != 0) throw NodeError("num_heads is not a multiple of kv_num_heads");
  for (size_t i : {kPastKey, kPastValue})
    if (const ValueId past = c.input(n, i); past != kNone) {
      const Tensor* t = constant_of(c, past);
      if (t == nullptr || t->elements() != 0) refuse("past keys and values", kCacheHint);
    }
  if (c.input(n, kSink) != kNone || n.integer("smooth_softmax", 0) != 0) refuse("a softmax with a sink", kCacheHint);
  if (c.input(n, kKeyScale) != kNone || c.input(n, kValueScale) != kNone) refuse("a quantized key-value cache", kCacheHint);
}

Operands operands(ImportContext& c, const OnnxNode& n, const Heads& h) {
  const ValueId query = required_input(c, n, kQuery), key = c.input(n, kKey), value = c.input(n, kValue);
  if ((key == kNone) != (value == kNone)) throw NodeError("key and value belong together");
  if (key != kNone) return {split_heads(c, n, query, h.q), split_heads(c, n, key, h.kv), split_heads(c, n, value, h.kv)};
  const ValueId packed = split_heads(c, n, query, h.q + 2 * h.kv);
  return {slice(c, n, packed, 1, 0, h.q), slice(c, n, packed, 1, h.q, h.q + h.kv),
          slice(c, n, packed, 1, h.q + h.kv, h.q + 2 * h.kv)};
}

void rotate_both(ImportContext& c, const OnnxNode& n, Operands& x) {
  const Tensor* table = constant_of(c, required_input(c, n, kCos));
  if (table == nullptr || table->rank() != 2) refuse("tables of rotary positions that are not constant", kCacheHint);
  const int64_t rotated = 2 * table->dims()[1];  // new nodes move the values
  ValueId ids = c.input(n, kPositions);
  if (ids == kNone)
    ids = unsqueeze(c, n, c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), dim_size(c, n, x.q, 2), int_scalar(c, n, 1)}), {0});
  const auto rows = [&](size_t i) {
    return unsqueeze(c, n, c.inner(n, OpKind::kGather, {required_input(c, n, i), ids}, AxisAttrs{0}), {1});
  };
  const ValueId cos = rows(kCos), sin = rows(kSin);
  for (ValueId* v : {&x.q, &x.k}) *v = rotate(c, n, *v, cos, sin, rotated, n.integer("rotary_interleaved", 0) != 0);
}

// seqlens_k holds the count of valid keys less one.
ValueId padding_mask(ImportContext& c, const OnnxNode& n, ValueId k) {
  const ValueId last = required_input(c, n, kLengths);
  if (const ValueId mask = mask_behind_count(c, last, 1); mask != kNone)
    return unsqueeze(c, n, cast(c, n, mask, DType::kBool), {1, 2});
  const ValueId counts = add(c, n, cast(c, n, reshape(c, n, last, {-1}), DType::kInt64), int_scalar(c, n, 1));
  return count_mask(c, n, k, counts);
}

}  // namespace

void import_group_query_attention(ImportContext& c, const OnnxNode& n) {
  const Heads heads{n.integer("num_heads"), n.integer("kv_num_heads")};
  check_form(c, n, heads);
  Operands x = operands(c, n, heads);
  if (n.integer("do_rotary", 0) != 0) rotate_both(c, n, x);
  if (c.is_read(n, 1)) c.bind(n, 1, x.k);
  if (c.is_read(n, 2)) c.bind(n, 2, x.v);
  x.k = repeat_heads(c, n, x.k, heads.kv, heads.q);
  x.v = repeat_heads(c, n, x.v, heads.kv, heads.q);
  ValueId scores = softcap(c, n, attention_scores(c, n, x.q, x.k, n.number("scale", 0)), x.q);
  if (const ValueId bias = c.input(n, kBias); bias != kNone) scores = add(c, n, scores, bias);
  const int64_t window = n.integer("local_window_size", -1);  // keys that a query sees, its own among them
  scores = mask_scores(c, n, scores, window_mask(c, n, x.q, x.k, kNone, window > 0 ? window - 1 : -1, 0), x.q, -INFINITY);
  scores = mask_scores(c, n, scores, padding_mask(c, n, x.k), x.q, -INFINITY);
  c.bind(n, 0, merge_heads(c, n, weighted_values(c, n, scores, x.v)));
}

}  // namespace edgeconv
