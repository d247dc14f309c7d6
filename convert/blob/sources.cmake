target_sources(edgeconv_core PRIVATE
  blob/blob.cc
  blob/compress.cc
  blob/counts.cc
  blob/golden.cc
  blob/golden_segment.cc
  blob/key_file.cc
  blob/names.cc
  blob/signature.cc
)
