# Sources of convert/infer.
target_sources(edgeconv_core PRIVATE
  infer/bounds.cc
  infer/control_flow.cc
  infer/dims_union.cc
  infer/dispatch.cc
  infer/elements.cc
  infer/elementwise.cc
  infer/folding.cc
  infer/fused.cc
  infer/gather_scatter.cc
  infer/infer.cc
  infer/inline_bodies.cc
  infer/matmul.cc
  infer/movement.cc
  infer/node_inference.cc
  infer/quantized.cc
  infer/reduce_norm.cc
  infer/reshape.cc
  infer/resize.cc
  infer/rnn_conv.cc
  infer/shape_ops.cc
  infer/types.cc
)
