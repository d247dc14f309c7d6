target_sources(edgeconv_core PRIVATE
  pipeline/choose_precisions.cc
  pipeline/convert.cc
  pipeline/read_and_fuse.cc
  pipeline/text.cc
  pipeline/write.cc
)
