target_sources(edgeconv_core PRIVATE
  prepare/boundary.cc
  prepare/custom_operators.cc
  prepare/cut_advice.cc
  prepare/diagnosis.cc
  prepare/fixed_dims.cc
  prepare/ordered_rows.cc
  prepare/pinning_advice.cc
  prepare/prepare.cc
  prepare/raw_inputs.cc
  prepare/reference.cc
)
