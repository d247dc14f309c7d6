# Sources of rt/ops, relative to rt/. One file per op of op_list.inc, after the files that they share.
set(ERT_OP_SOURCES
  ops/conv_activation.cc
  ops/linear_parts.cc
  ops/map_conv_rows.cc
  ops/map_lines.cc
  ops/operand_checks.cc
  ops/parallel.cc
  ops/parallel_blocks.cc
  ops/recurrence_operands.cc
  ops/recurrent_cells.cc
  ops/scalar_arithmetic.cc
  ops/strided_walk.cc
  ops/row_bands_plan.cc
  ops/window.cc
  ops/arg_min_max.cc
  ops/attention.cc
  ops/binary.cc
  ops/cast.cc
  ops/concat.cc
  ops/conv.cc
  ops/copy.cc
  ops/cumsum.cc
  ops/custom.cc
  ops/depthwise_conv.cc
  ops/dims_to_tensor.cc
  ops/direct_conv.cc
  ops/embedding.cc
  ops/expand.cc
  ops/export_int.cc
  ops/fill.cc
  ops/gather.cc
  ops/gather_elements.cc
  ops/gather_nd.cc
  ops/glu.cc
  ops/import_float.cc
  ops/import_int.cc
  ops/l2_normalize.cc
  ops/layer_norm.cc
  ops/linear.cc
  ops/map_conv.cc
  ops/map_depthwise_conv.cc
  ops/map_max_pool.cc
  ops/map_mean.cc
  ops/wide_conv.cc
  ops/map_to_float.cc
  ops/matmul.cc
  ops/mean_pool.cc
  ops/one_hot.cc
  ops/pack_rows.cc
  ops/pad.cc
  ops/pool.cc
  ops/quantize_map.cc
  ops/range.cc
  ops/recurrence.cc
  ops/reduce.cc
  ops/rope.cc
  ops/row_bands.cc
  ops/scatter_elements.cc
  ops/scatter_nd.cc
  ops/slice.cc
  ops/softmax.cc
  ops/topk.cc
  ops/transpose.cc
  ops/trilu.cc
  ops/unary.cc
  ops/unpack_rows.cc
  ops/where.cc
)

# Release builds optimise for speed (-O3), which unrolls loops and writes them several times over: up to ten times the code of an op. No op takes it:
# those with hot loops of their own take -O2 with vector instructions, ops that call kernels or move blocks -O2, ops that run rarely and on
# little data -Os. What -O3 would lift out of a loop, a choice that stays the same, is written before it.
set(ERT_MOVING_OPS
  ops/attention.cc ops/concat.cc ops/copy.cc ops/depthwise_conv.cc ops/expand.cc ops/gather.cc ops/gather_nd.cc ops/l2_normalize.cc ops/layer_norm.cc ops/linear.cc ops/linear_parts.cc
  ops/map_conv.cc ops/map_conv_rows.cc ops/map_lines.cc ops/map_depthwise_conv.cc ops/map_to_float.cc ops/matmul.cc ops/pack_rows.cc ops/quantize_map.cc ops/recurrence.cc ops/recurrent_cells.cc ops/slice.cc ops/softmax.cc ops/transpose.cc ops/unpack_rows.cc)
set(ERT_RARE_OPS
  ops/arg_min_max.cc ops/cumsum.cc ops/custom.cc ops/dims_to_tensor.cc ops/export_int.cc ops/fill.cc ops/gather_elements.cc ops/import_int.cc
  ops/one_hot.cc ops/operand_checks.cc ops/parallel_blocks.cc ops/range.cc ops/recurrence_operands.cc ops/scalar_arithmetic.cc ops/scatter_elements.cc ops/scatter_nd.cc ops/topk.cc
  ops/trilu.cc ops/window.cc)
if(ERT_TOGETHER)
  list(REMOVE_ITEM ERT_OP_SOURCES ${ERT_MOVING_OPS} ${ERT_RARE_OPS})
  one_source(ERT_OP_SOURCES ops_hot)
  one_source(ERT_MOVING_OPS ops_moving)
  one_source(ERT_RARE_OPS ops_rare)
  list(APPEND ERT_OP_SOURCES ${ERT_MOVING_OPS} ${ERT_RARE_OPS})
  # A program that links few ops (ert_link_only_ops) leaves the sections of the others out.
  set_source_files_properties(${ERT_OP_SOURCES} PROPERTIES COMPILE_FLAGS "-ffunction-sections -fdata-sections")
endif()
set_source_files_properties(${ERT_OP_SOURCES} PROPERTIES COMPILE_OPTIONS "${ERT_LOOP_OPTIONS}")
set_source_files_properties(${ERT_MOVING_OPS} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
set_source_files_properties(${ERT_RARE_OPS} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
# Rows of a table are often a few columns, or a few more than vectors take: here the second loop with narrower vectors pays.
set_source_files_properties(ops/embedding.cc PROPERTIES COMPILE_OPTIONS
  "${ERT_LOOP_OPTIONS};$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:--param=vect-epilogues-nomask=1>")
# Loops that vector instructions of every host do four elements at a time, or that it unrolls; small cores have none of that.
if(ERT_ARCHITECTURE STREQUAL "cortex-m")
  set_source_files_properties(ops/cast.cc ops/conv.cc ops/direct_conv.cc ops/reduce.cc ops/strided_walk.cc ops/where.cc
    PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
  set_source_files_properties(ops/pad.cc PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
endif()
