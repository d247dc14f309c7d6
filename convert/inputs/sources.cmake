target_sources(edgeconv_core PRIVATE
  inputs/affordable_inputs.cc
  inputs/sample_files.cc
  inputs/synthetic_inputs.cc
)
