target_sources(edgeconv_core PRIVATE
  files/atomic_file.cc
  files/json.cc
  files/mapped_file.cc
  files/npy.cc
  files/npz.cc
  files/output_place.cc
  files/outputs.cc
  files/sha256.cc
  files/text_lines.cc
)
