target_sources(edgeconv_core PRIVATE report/compare.cc report/summary.cc)
