target_sources(edgeconv_core PRIVATE
  run/blob_runner.cc
  run/refusal.cc
  run/status.cc
)
