target_sources(edgeconv_core PRIVATE
  dims/dims.cc
  dims/fitting_sizes.cc
  dims/input_kinds.cc
  dims/size_equalities.cc
)
