target_sources(edgeconv_core PRIVATE
  blob/blob.cc
  blob/compress.cc
  blob/golden.cc
  blob/names.cc
)
