target_sources(edgeconv_core PRIVATE
  precision/budget_fill.cc
  precision/candidate.cc
  precision/candidate_search.cc
  precision/climb.cc
  precision/cost.cc
  precision/descent.cc
  precision/exact_parts.cc
  precision/free_lifts.cc
  precision/held_out_set.cc
  precision/layer_facts.cc
  precision/request.cc
  precision/screen.cc
  precision/search.cc
  precision/sensitivity.cc
  precision/unmeasured_layers.cc
  precision/validation_set.cc
)
