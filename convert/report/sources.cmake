target_sources(edgeconv_core PRIVATE report/compare.cc)
