target_sources(edgeconv_core PRIVATE
  dims/dims.cc
  dims/size_equalities.cc
)
