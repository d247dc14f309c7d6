target_sources(edgeconv_core PRIVATE
  result/certificate.cc
  result/gates.cc
  result/precision_reason.cc
)
