target_sources(edgeconv_core PRIVATE
  lower/build_program.cc
  lower/lower.cc
  lower/missing_ops.cc
  lower/nodes/attention.cc
  lower/nodes/conv.cc
  lower/nodes/custom.cc
  lower/nodes/elementwise.cc
  lower/nodes/indexing.cc
  lower/nodes/matmul.cc
  lower/nodes/movement.cc
  lower/nodes/norm_pool.cc
  lower/nodes/rnn.cc
)
