target_sources(edgeconv_compute PRIVATE
  measure/accuracy.cc
  measure/accumulated_error.cc
  measure/chaos.cc
  measure/class_scores.cc
  measure/compare.cc
  measure/decision.cc
  measure/output_sums.cc
  measure/sample_movement.cc
  measure/token_mask.cc
)
