target_sources(edgeconv_core PRIVATE
  quantize/calibration_files.cc quantize/ladder.cc quantize/layer_noise.cc quantize/layer_samples.cc quantize/smoothing.cc
  quantize/synthetic_inputs.cc quantize/weight_store.cc quantize/weights.cc)
