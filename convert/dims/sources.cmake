target_sources(edgeconv_core PRIVATE
  dims/dims.cc
  dims/fitting_sizes.cc
  dims/size_equalities.cc
)
