// ONNX Runtime's EmbedLayerNormalization and QEmbedLayerNormalization: word + position + segment embeddings, then LayerNorm.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

struct Tables {
  ValueId word, position, segment, gamma, beta;
};

void embed(ImportContext& c, const OnnxNode& n, const Tables& t, ValueId position_ids) {
  const ValueId ids = required_input(c, n, 0), segment_ids = c.input(n, 1);
  const auto rows = [&](ValueId table, ValueId which) { return c.inner(n, OpKind::kGather, {table, which}, AxisAttrs{0}); };
  if (position_ids == kNone)
    position_ids = c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), dim_size(c, n, ids, 1), int_scalar(c, n, 1)});
  ValueId sum = add(c, n, rows(t.word, ids), rows(t.position, position_ids));
  if (segment_ids != kNone && t.segment != kNone) sum = add(c, n, sum, rows(t.segment, segment_ids));
  c.bind(n, 0,
         c.inner(n, OpKind::kLayerNormalization, {sum, t.gamma, t.beta}, NormAttrs{-1, n.number("epsilon", 1e-12f), false}));
  if (c.is_read(n, 1)) {
    const ValueId mask = c.input(n, 7);
    if (mask == kNone)
      refuse("its mask output is used without a mask input", "convert the model as it was before ONNX Runtime optimised it");
    const ValueId count = c.inner(n, OpKind::kReduce, {mask}, ReduceAttrs{ReduceKind::kSum, {1}, false, false});
    c.bind(n, 1, count);
  }
  c.bind(n, 2, sum);
}

}  // namespace

// ids, segments, word, position, segment, gamma, beta, mask, position_ids
void import_embed_layer_normalization(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 7, 9);
  embed(c, n, {required_input(c, n, 2), required_input(c, n, 3), c.input(n, 4), required_input(c, n, 5), required_input(c, n, 6)},
        c.input(n, 8));
}

// ids, segments, five quantized tables, mask, their five scales, their five zero points
void import_qembed_layer_normalization(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 18, 18);
  const auto table = [&](size_t i) -> ValueId {
    const ValueId x = c.input(n, i);
    if (x == kNone) return kNone;
    return c.inner(n, OpKind::kDequantizeLinear, {x, required_input(c, n, i + 6), required_input(c, n, i + 11)},
                   QuantAttrs{0, 0, DType::kUndefined});
  };
  required_input(c, n, 2), required_input(c, n, 3), required_input(c, n, 5), required_input(c, n, 6);
  embed(c, n, {table(2), table(3), table(4), table(5), table(6)}, kNone);
}

}  // namespace edgeconv
