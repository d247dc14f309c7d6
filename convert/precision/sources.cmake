target_sources(edgeconv_core PRIVATE
  precision/budget_climb.cc
  precision/candidate.cc
  precision/choice_judge.cc
  precision/climb.cc
  precision/confirmed_choice.cc
  precision/held_out.cc
  precision/ladder.cc
  precision/layer_facts.cc
  precision/layer_noise.cc
  precision/unmeasured_layers.cc
  precision/validation.cc
)
