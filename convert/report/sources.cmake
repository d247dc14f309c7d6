target_sources(edgeconv_core PRIVATE report/blob_inspection.cc report/compare.cc report/diagnosis.cc report/layer_table.cc report/memory_table.cc
  report/model_inspection.cc report/model_inspection_text.cc report/summary.cc report/token_mask.cc)
