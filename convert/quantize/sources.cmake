target_sources(edgeconv_core PRIVATE quantize/calibration_files.cc quantize/ladder.cc quantize/smoothing.cc quantize/synthetic_inputs.cc quantize/weights.cc)
