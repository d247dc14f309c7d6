target_sources(edgeconv_core PRIVATE
  dims/dims.cc
  dims/input_kinds.cc
  dims/size_equalities.cc
)
