target_sources(edgeconv_core PRIVATE
  ir/attributes.cc
  ir/attributes_text.cc
  ir/diagnostics.cc
  ir/dim_expr.cc
  ir/dim_expr_eval.cc
  ir/dim_multiple.cc
  ir/dim_terms.cc
  ir/dtype.cc
  ir/foreign_text.cc
  ir/graph.cc
  ir/graph_dump.cc
  ir/half.cc
  ir/op_kind.cc
  ir/pass_trace.cc
  ir/quantized_constant.cc
  ir/tensor.cc
)
