target_sources(edgeconv_core PRIVATE report/compare.cc report/diagnosis.cc report/layer_table.cc report/summary.cc report/token_mask.cc)
