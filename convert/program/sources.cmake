target_sources(edgeconv_core PRIVATE
  program/check_limits.cc
  program/coarse_activations.cc
  program/direct_conv.cc
  program/pack_rows.cc
  program/padding_facts.cc
  program/plan_slots.cc
  program/program_pass.cc
  program/program_text.cc
  program/remove_unread.cc
  program/row_flow.cc
  program/row_flow_inside.cc
  program/row_flow_outside.cc
  program/target.cc
  program/weight_layout.cc
)
