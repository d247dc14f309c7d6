target_sources(edgeconv_core PRIVATE
  emit/atomic_file.cc emit/blob.cc emit/certificate.cc emit/compress.cc emit/golden.cc emit/lower.cc emit/missing_ops.cc emit/output_place.cc
  emit/outputs.cc emit/target.cc
  emit/weight_layout.cc
  emit/lower/attention.cc emit/lower/custom.cc emit/lower/elementwise.cc emit/lower/indexing.cc emit/lower/matmul.cc emit/lower/movement.cc
  emit/lower/norm_pool.cc emit/lower/rnn.cc)
