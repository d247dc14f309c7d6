target_sources(edgeconv_core PRIVATE
  dims/dims.cc
  dims/first_readers.cc
  dims/fitting_sizes.cc
  dims/input_kinds.cc
  dims/size_equalities.cc
)
