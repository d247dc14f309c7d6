target_sources(edgeconv_core PRIVATE
  result/certificate.cc
  result/conversion_cost.cc
  result/gates.cc
  result/precision_reason.cc
  result/quantized_source.cc
)
