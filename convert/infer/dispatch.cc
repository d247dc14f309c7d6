// The dispatch table of inference functions.
#include "convert/infer/dispatch.h"

namespace edgeconv {

InferFunction infer_function(OpKind kind) {
  switch (kind) {
    case OpKind::kUnary: return infer_unary;
    case OpKind::kBinary: return infer_binary;
    case OpKind::kWhere: return infer_where;
    case OpKind::kCast: return infer_cast;
    case OpKind::kIdentity: return infer_identity;
    case OpKind::kMatMul: return infer_matmul;
    case OpKind::kEinsum: return infer_einsum;
    case OpKind::kReduce: return infer_reduce;
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax: return infer_softmax;
    case OpKind::kLayerNormalization: return infer_layer_normalization;
    case OpKind::kBatchNormalization:
    case OpKind::kInstanceNormalization:
    case OpKind::kGroupNormalization: return infer_batch_normalization;
    case OpKind::kReshape: return infer_reshape;
    case OpKind::kSqueeze: return infer_squeeze;
    case OpKind::kUnsqueeze: return infer_unsqueeze;
    case OpKind::kFlatten: return infer_flatten;
    case OpKind::kTranspose: return infer_transpose;
    case OpKind::kSlice: return infer_slice;
    case OpKind::kSplit: return infer_split;
    case OpKind::kConcat: return infer_concat;
    case OpKind::kGather: return infer_gather;
    case OpKind::kGatherElements: return infer_gather_elements;
    case OpKind::kGatherND: return infer_gather_nd;
    case OpKind::kScatterND:
    case OpKind::kScatterElements: return infer_scatter;
    case OpKind::kExpand: return infer_expand;
    case OpKind::kTile: return infer_tile;
    case OpKind::kShape: return infer_shape;
    case OpKind::kSize: return infer_size;
    case OpKind::kConstantOfShape: return infer_constant_of_shape;
    case OpKind::kRange: return infer_range;
    case OpKind::kCumSum: return infer_cumsum;
    case OpKind::kPad: return infer_pad;
    case OpKind::kTrilu: return infer_trilu;
    case OpKind::kOneHot: return infer_one_hot;
    case OpKind::kEyeLike: return infer_eye_like;
    case OpKind::kArgMinMax: return infer_arg_min_max;
    case OpKind::kTopK: return infer_topk;
    case OpKind::kConv: return infer_conv;
    case OpKind::kMaxPool:
    case OpKind::kAveragePool: return infer_pool;
    case OpKind::kResize: return infer_resize;
    case OpKind::kRnn: return infer_rnn;
    case OpKind::kRecurrence: return infer_recurrence;
    case OpKind::kDynamicQuantizeLinear: return infer_dynamic_quantize_linear;
    case OpKind::kQuantizeLinear: return infer_quantize_linear;
    case OpKind::kDequantizeLinear: return infer_dequantize_linear;
    case OpKind::kMatMulInteger: return infer_matmul_integer;
    case OpKind::kConvInteger: return infer_conv_integer;
    case OpKind::kIf: return infer_if;
    case OpKind::kLoop: return infer_loop;
    case OpKind::kLinear: return infer_linear;
    case OpKind::kAttention: return infer_attention;
    case OpKind::kRope: return infer_rope;
    case OpKind::kGlu: return infer_glu;
    case OpKind::kNorm: return infer_norm;
    case OpKind::kEmbedding: return infer_embedding;
    case OpKind::kMeanPool: return infer_mean_pool;
    case OpKind::kL2Normalize: return infer_identity;
    case OpKind::kCustom: return nullptr;
  }
  return nullptr;
}

}  // namespace edgeconv
