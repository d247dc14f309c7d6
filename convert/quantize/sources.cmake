target_sources(edgeconv_compute PRIVATE
  quantize/curvature.cc
  quantize/deep_layers.cc
  quantize/exact_layers.cc
  quantize/layer_samples.cc
  quantize/layer_weights.cc
  quantize/map_layers.cc
  quantize/map_weights.cc
  quantize/precision_plan.cc
  quantize/rounding.cc
  quantize/shared_columns.cc
  quantize/smoothing.cc
  quantize/smoothing_search.cc
  quantize/weight_store.cc
  quantize/wide_weights.cc
  quantize/weights.cc
)
