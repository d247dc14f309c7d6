target_sources(edgeconv_core PRIVATE
  run/blob_runner.cc
  run/blob_session.cc
  run/choosing_op.cc
  run/refusal.cc
  run/status.cc
  run/text_session.cc
)
