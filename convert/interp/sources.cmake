# Sources of convert/interp.
target_sources(edgeconv_core PRIVATE
  interp/control_flow.cc
  interp/conv.cc
  interp/einsum.cc
  interp/elementwise.cc
  interp/elementwise_binary.cc
  interp/evaluate.cc
  interp/fused.cc
  interp/gather_scatter.cc
  interp/glu.cc
  interp/interpret.cc
  interp/matmul.cc
  interp/movement.cc
  interp/norm.cc
  interp/pool.cc
  interp/quantized.cc
  interp/reduce.cc
  interp/resize.cc
  interp/rnn.cc
  interp/rope.cc
  interp/search.cc
  interp/shape_ops.cc
  interp/strided.cc
  interp/work.cc
)
