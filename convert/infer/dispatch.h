// One inference function per kind of node. They may assume that every present input has a shape and a dtype.
#pragma once

#include "convert/infer/node_inference.h"

namespace edgeconv {

using InferFunction = void (*)(NodeInference&);

InferFunction infer_function(OpKind kind);  // null for kinds that have none (Custom)

// elementwise.cc
void infer_unary(NodeInference& c);
void infer_binary(NodeInference& c);
void infer_where(NodeInference& c);
void infer_cast(NodeInference& c);
void infer_identity(NodeInference& c);
// shape_ops.cc
void infer_shape(NodeInference& c);
void infer_size(NodeInference& c);
void infer_constant_of_shape(NodeInference& c);
void infer_range(NodeInference& c);
void infer_eye_like(NodeInference& c);
void infer_expand(NodeInference& c);
void infer_tile(NodeInference& c);
// reshape.cc
void infer_reshape(NodeInference& c);
void infer_squeeze(NodeInference& c);
void infer_unsqueeze(NodeInference& c);
void infer_flatten(NodeInference& c);
// movement.cc
void infer_transpose(NodeInference& c);
void infer_slice(NodeInference& c);
void infer_split(NodeInference& c);
void infer_concat(NodeInference& c);
void infer_pad(NodeInference& c);
void infer_trilu(NodeInference& c);
// reduce_norm.cc
void infer_reduce(NodeInference& c);
void infer_softmax(NodeInference& c);
void infer_layer_normalization(NodeInference& c);
void infer_batch_normalization(NodeInference& c);
void infer_cumsum(NodeInference& c);
void infer_arg_min_max(NodeInference& c);
void infer_topk(NodeInference& c);
// matmul.cc
void infer_matmul(NodeInference& c);
void infer_matmul_integer(NodeInference& c);
void infer_conv_integer(NodeInference& c);
void infer_einsum(NodeInference& c);
// gather_scatter.cc
void infer_gather(NodeInference& c);
void infer_gather_elements(NodeInference& c);
void infer_gather_nd(NodeInference& c);
void infer_scatter(NodeInference& c);
void infer_one_hot(NodeInference& c);
// resize.cc
void infer_resize(NodeInference& c);
// rnn_conv.cc
void infer_rnn(NodeInference& c);
void infer_recurrence(NodeInference& c);
void infer_conv(NodeInference& c);
void infer_pool(NodeInference& c);
// quantized.cc
void infer_dynamic_quantize_linear(NodeInference& c);
void infer_quantize_linear(NodeInference& c);
void infer_dequantize_linear(NodeInference& c);
// fused.cc
void infer_linear(NodeInference& c);
void infer_attention(NodeInference& c);
void infer_norm(NodeInference& c);
void infer_embedding(NodeInference& c);
void infer_rope(NodeInference& c);
void infer_glu(NodeInference& c);
void infer_mean_pool(NodeInference& c);
// control_flow.cc
void infer_if(NodeInference& c);
void infer_loop(NodeInference& c);

// Contents of outputs of nodes that only move elements, whatever the operator: the canonical interpreter moves positions
// instead of values. True when the contents were found. elements.cc
bool move_elements(NodeInference& c);

}  // namespace edgeconv
