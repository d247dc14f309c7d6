target_sources(edgeconv_core PRIVATE
  pipeline/convert.cc
)
