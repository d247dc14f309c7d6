target_sources(edgeconv_compute PRIVATE
  inputs/affordable_inputs.cc
  inputs/frames.cc
  inputs/inputs_text.cc
  inputs/music.cc
  inputs/noisy_inputs.cc
  inputs/pictures.cc
  inputs/quantized_ranges.cc
  inputs/row_indices.cc
  inputs/sample_check.cc
  inputs/sample_files.cc
  inputs/signal_inputs.cc
  inputs/signals.cc
  inputs/spectrum_units.cc
  inputs/streams.cc
  inputs/synthetic_inputs.cc
  inputs/value_range.cc
)
