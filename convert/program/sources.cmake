target_sources(edgeconv_core PRIVATE
  program/coarse_activations.cc
  program/pack_rows.cc
  program/padding_facts.cc
  program/row_flow.cc
  program/row_flow_inside.cc
  program/row_flow_outside.cc
  program/runtime_limits.cc
  program/slots.cc
  program/target.cc
  program/weight_layout.cc
)
