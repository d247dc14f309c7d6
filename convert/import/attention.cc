// Attention of opset 23 to 25, written as MatMul, Softmax and MatMul; the attention pass finds the pattern again. Fully masked
// rows give zeros there, which is what Softmax over -infinity gives here.
#include <limits>

#include "convert/import/attention_blocks.h"

namespace edgeconv {
namespace {

constexpr float kBlocked = -std::numeric_limits<float>::infinity();

struct Heads {
  int64_t q = 0, kv = 0;
};

// Heads of operands of rank 4, where the attributes may be missing; 0 when not known.
int64_t head_count(ImportContext& c, ValueId x) {
  const Value& v = c.graph().value(x);
  return v.shape && v.rank() == 4 ? (*v.shape)[1].constant().value_or(0) : 0;
}

// From opset 24 on a mask may be shorter than the keys; what it does not name is blocked. Only sizes that the file states tell it from
// a mask whose last axis has another name for the keys.
ValueId whole_mask(ImportContext& c, const OnnxNode& n, ValueId mask, ValueId k, DType t) {
  const Value& v = c.graph().value(mask);
  if (c.opset("") < 24 || !v.shape || v.shape->empty() || !v.shape->back().is_constant()) return mask;
  const ValueId missing = sub(c, n, dim_size(c, n, k, 2), dim_size(c, n, mask, -1));
  const ValueId pads = concat(c, n, {ints(c, n, {0}), unsqueeze(c, n, missing, {0})}, 0);
  const ValueId fill = c.constant(n, t == DType::kBool ? Tensor::scalar(int64_t{0}).cast(t) : Tensor::scalar(kBlocked).cast(t));
  return c.inner(n, OpKind::kPad, {mask, pads, fill, ints(c, n, {-1})}, PadAttrs{});
}

ValueId apply_masks(ImportContext& c, const OnnxNode& n, ValueId scores, ValueId q, ValueId k, ValueId first) {
  const auto block = [&](ValueId keep) { scores = mask_scores(c, n, scores, keep, q, kBlocked); };
  if (n.integer("is_causal", 0) != 0) block(causal_mask(c, n, q, k, first));
  const int64_t left = n.integer("left_window_size", -1), right = n.integer("right_window_size", -1);
  if (left >= 0 || right >= 0) block(window_mask(c, n, q, k, first, left, right));
  if (const ValueId counts = c.input(n, 6); counts != kNone) block(count_mask(c, n, k, counts));
  ValueId mask = c.input(n, 3);
  if (mask == kNone) return scores;
  const DType t = dtype_hint(c.graph(), mask);
  if (t == DType::kUndefined)
    refuse("the element type of its mask is not known when the file is read", "cast the mask to bool before it");
  mask = whole_mask(c, n, mask, k, t);
  return t == DType::kBool ? mask_scores(c, n, scores, mask, q, kBlocked) : add(c, n, scores, mask);
}

void check_forms(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 7);
  if ((c.input(n, 4) == kNone) != (c.input(n, 5) == kNone)) throw NodeError("past_key and past_value belong together");
  if (c.input(n, 6) != kNone && c.input(n, 4) != kNone) throw NodeError("nonpad_kv_seqlen and past_key exclude each other");
}

// What qk_matmul_output gives, by qk_matmul_output_mode.
enum ScoreStage : int64_t { kProduct, kCapped, kMasked, kProbabilities };

ScoreStage score_stage(const OnnxNode& n) {
  const int64_t mode = n.integer("qk_matmul_output_mode", kProduct);
  if (mode < kProduct || mode > kProbabilities) throw NodeError("attribute 'qk_matmul_output_mode' is none of 0, 1, 2, 3");
  return static_cast<ScoreStage>(mode);
}

}  // namespace

void import_attention(ImportContext& c, const OnnxNode& n) {
  check_forms(c, n);
  ValueId q = required_input(c, n, 0), k = required_input(c, n, 1), v = required_input(c, n, 2);
  Heads heads{n.integer("q_num_heads", 0), n.integer("kv_num_heads", 0)};
  if (heads.q == 0 && head_count(c, q) > 0 && head_count(c, k) > 0) heads = {head_count(c, q), head_count(c, k)};
  const bool packed = heads.q > 0 && rank_hint(c.graph(), q) != 4;  // 3-D inputs need the attributes
  if (heads.q > 0 && (heads.kv < 1 || heads.q % heads.kv != 0)) throw NodeError("q_num_heads is not a multiple of kv_num_heads");
  if (packed) {
    q = split_heads(c, n, q, heads.q);
    k = split_heads(c, n, k, heads.kv);
    v = split_heads(c, n, v, heads.kv);
  }
  // Past keys come before the new ones; the result goes out as the next step's past.
  ValueId first = kNone;
  if (const ValueId past = c.input(n, 4); past != kNone) {
    first = dim_size(c, n, past, 2);
    k = concat(c, n, {past, k}, 2);
    v = concat(c, n, {required_input(c, n, 5), v}, 2);
  }
  // Of a cache that the application fills, the last queries are at the last valid keys.
  if (const ValueId counts = c.input(n, 6); counts != kNone)
    first = sub(c, n, unsqueeze(c, n, cast(c, n, counts, DType::kInt64), {1, 2, 3}), dim_size(c, n, q, 2));
  if (c.is_read(n, 1)) c.bind(n, 1, k);
  if (c.is_read(n, 2)) c.bind(n, 2, v);
  if (heads.q > 0) {
    k = repeat_heads(c, n, k, heads.kv, heads.q);
    v = repeat_heads(c, n, v, heads.kv, heads.q);
  }
  const ValueId product = attention_scores(c, n, q, k, n.number("scale", 0));
  const ValueId capped = softcap(c, n, product, q), masked = apply_masks(c, n, capped, q, k, first);
  const ValueId probabilities = c.inner(n, OpKind::kSoftmax, {masked}, AxisAttrs{-1});
  if (const ScoreStage stage = score_stage(n); c.is_read(n, 3))
    c.bind(n, 3, stage == kProduct ? product : stage == kCapped ? capped : stage == kMasked ? masked : probabilities);
  ValueId y = matmul(c, n, probabilities, v);
  if (packed) y = merge_heads(c, n, y);
  c.bind(n, 0, y);
}

}  // namespace edgeconv
