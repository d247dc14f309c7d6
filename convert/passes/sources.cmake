target_sources(edgeconv_core PRIVATE
  passes/pipeline.cc passes/view_layout.cc passes/head_operand.cc passes/join_linears.cc passes/rotation.cc passes/quantized_source.cc
  passes/decompose_einsum.cc passes/decompose_norms.cc passes/decompose_quantization.cc passes/decompose_resize.cc passes/float_matmul_integer.cc passes/fold_dequantize.cc passes/strip_activation_quantization.cc
  passes/decompose_batch_norm.cc passes/fold_affine.cc passes/fuse_activation.cc passes/fuse_attention.cc passes/fuse_embedding.cc
  passes/fuse_l2_normalize.cc passes/fuse_layer_norm.cc passes/fuse_linear_activation.cc passes/fuse_mean_pool.cc passes/fuse_pad.cc passes/fuse_glu.cc passes/fuse_rope.cc
  passes/fuse_residual_norm.cc passes/hoist_views.cc passes/make_linear.cc passes/merge_equal_nodes.cc passes/merge_qkv.cc
  passes/remove_identities.cc passes/simplify_views.cc passes/sink_expand.cc
  passes/decompose_conv.cc passes/decompose_pool.cc passes/sliding_window.cc passes/split_rnn.cc passes/select_branches.cc)
