// ONNX Runtime's fused attention: Attention, QAttention and MultiHeadAttention of com.microsoft.
#include <cmath>

#include "convert/import/attention_blocks.h"
#include "convert/import/quantization_blocks.h"

namespace edgeconv {
namespace {

const char* const kFusedHint = "convert the model as it was before ONNX Runtime optimised it";

int64_t positive_heads(const OnnxNode& n) {
  const int64_t heads = n.integer("num_heads");
  if (heads < 1) throw NodeError("attribute 'num_heads' is not positive");
  return heads;
}

// The mask as bool, broadcastable to [B, heads, Sq, Sk].
ValueId keep_mask(ImportContext& c, const OnnxNode& n, ValueId mask, ValueId k) {
  int rank = rank_hint(c.graph(), mask);
  if (rank == 1) {
    if (const ValueId source = mask_behind_count(c, mask, 0); source != kNone) {
      mask = source;
      rank = 2;
    } else {
      return count_mask(c, n, k, mask);
    }
  }
  const ValueId keep = cast(c, n, mask, DType::kBool);
  if (rank == 2) return unsqueeze(c, n, keep, {1, 2});
  if (rank == 3) return unsqueeze(c, n, keep, {1});
  refuse(rank < 0 ? "the rank of its mask is not known when the file is read" : "a mask of rank " + std::to_string(rank), kFusedHint);
}

struct Extras {
  ValueId mask = kNone, bias = kNone;
};

void attend(ImportContext& c, const OnnxNode& n, ValueId q, ValueId k, ValueId v, const Extras& extras, bool causal) {
  const float blocked = n.number("mask_filter_value", -10000.0f);
  ValueId scores = attention_scores(c, n, q, k, n.number("scale", 0));
  if (extras.bias != kNone) scores = add(c, n, scores, extras.bias);
  if (extras.mask != kNone) scores = mask_scores(c, n, scores, keep_mask(c, n, extras.mask, k), q, blocked);
  if (causal) {  // the last query is at the last key
    const ValueId first = sub(c, n, dim_size(c, n, k, 2), dim_size(c, n, q, 2));
    scores = mask_scores(c, n, scores, causal_mask(c, n, q, k, first), q, -INFINITY);
  }
  c.bind(n, 0, merge_heads(c, n, weighted_values(c, n, scores, v)));
}

// x * weight + bias holds q, k and v side by side.
void attend_merged(ImportContext& c, const OnnxNode& n, ValueId x, ValueId weight, ValueId bias, const Extras& extras) {
  if (n.integer("do_rotary", 0) != 0) refuse("rotary positions inside the operator", kFusedHint);
  if (c.is_read(n, 1)) refuse("its present output is used", "export the encoder without a key-value cache");
  const int64_t heads = positive_heads(n);
  const std::vector<int64_t> sizes = n.integers("qkv_hidden_sizes");
  if (!sizes.empty() && sizes.size() != 3) throw NodeError("attribute 'qkv_hidden_sizes' must hold three sizes");
  for (int64_t s : sizes)
    if (s < 1 || s % heads != 0) throw NodeError("attribute 'qkv_hidden_sizes' is not a multiple of num_heads");
  const ValueId qkv = add_optional(c, n, matmul(c, n, x, weight), bias);
  const auto parts = c.inner_outputs(n, OpKind::kSplit, {qkv}, 3, SplitAttrs{-1, sizes, 3});
  attend(c, n, split_heads(c, n, parts[0], heads), split_heads(c, n, parts[1], heads), split_heads(c, n, parts[2], heads), extras,
         n.integer("unidirectional", 0) != 0);
}

}  // namespace

// input, weights, bias, mask_index, past, attention_bias, past_sequence_length
void import_contrib_attention(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 7);
  if (c.input(n, 4) != kNone || c.input(n, 6) != kNone)
    refuse("past keys and values", "export the encoder without a key-value cache");
  attend_merged(c, n, required_input(c, n, 0), required_input(c, n, 1), c.input(n, 2), {c.input(n, 3), c.input(n, 5)});
}

// input, weight, bias, input_scale, weight_scale, mask_index, input_zero_point, weight_zero_point, past
void import_qattention(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 5, 9);
  if (c.input(n, 8) != kNone) refuse("past keys and values", "export the encoder without a key-value cache");
  const ValueId x = dequantized(c, n, required_input(c, n, 0), required_input(c, n, 3), c.input(n, 6), -1);
  const ValueId weight = dequantized(c, n, required_input(c, n, 1), required_input(c, n, 4), c.input(n, 7), -1);
  attend_merged(c, n, x, weight, c.input(n, 2), {c.input(n, 5), kNone});
}

// query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value
void import_multi_head_attention(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 10);
  for (size_t i = 6; i < n.inputs.size(); ++i)
    if (c.input(n, i) != kNone) refuse("past keys and values", "export the encoder without a key-value cache");
  if (c.is_read(n, 1) || c.is_read(n, 2)) refuse("its present outputs are used", "export the encoder without a key-value cache");
  if (c.input(n, 1) == kNone || c.input(n, 2) == kNone) refuse("packed queries, keys and values", kFusedHint);
  const int64_t heads = positive_heads(n);
  ValueId in[3] = {required_input(c, n, 0), required_input(c, n, 1), required_input(c, n, 2)};
  for (ValueId v : in)
    if (const int rank = rank_hint(c.graph(), v); rank > 3) refuse("keys or values that are split into heads already", kFusedHint);
  if (const ValueId bias = c.input(n, 3); bias != kNone) {
    const auto parts = c.inner_outputs(n, OpKind::kSplit, {bias}, 3, SplitAttrs{0, {}, 3});
    for (size_t i = 0; i < 3; ++i) in[i] = add(c, n, in[i], parts[i]);
  }
  attend(c, n, split_heads(c, n, in[0], heads), split_heads(c, n, in[1], heads), split_heads(c, n, in[2], heads),
         {c.input(n, 4), c.input(n, 5)}, n.integer("unidirectional", 0) != 0);
}

}  // namespace edgeconv
