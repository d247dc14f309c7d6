target_sources(edgeconv_core PRIVATE
  pipeline/convert.cc
  pipeline/text.cc
)
