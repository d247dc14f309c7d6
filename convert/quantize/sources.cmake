target_sources(edgeconv_core PRIVATE
  quantize/affordable_inputs.cc quantize/budget_climb.cc quantize/climb.cc quantize/curvature.cc quantize/exact_layers.cc quantize/ladder.cc
  quantize/layer_facts.cc
  quantize/layer_noise.cc quantize/layer_samples.cc quantize/layer_weights.cc quantize/rounding.cc quantize/sample_files.cc
  quantize/smoothing.cc quantize/smoothing_search.cc quantize/synthetic_inputs.cc quantize/weight_store.cc quantize/weights.cc)
