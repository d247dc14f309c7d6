target_sources(edgeconv_core PRIVATE plan/coarse_activations.cc)
target_sources(edgeconv_core PRIVATE plan/dims.cc plan/limits.cc plan/pack_rows.cc plan/padding_facts.cc
  plan/row_flow.cc plan/row_flow_inside.cc plan/row_flow_outside.cc plan/size_equalities.cc plan/slots.cc)
