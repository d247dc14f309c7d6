target_sources(edgeconv_core PRIVATE
  report/blob_inspection.cc
  report/blob_parts.cc
  report/certificate_check.cc
  report/certified_pinning.cc
  report/layer_table.cc
  report/memory_table.cc
  report/memory_timeline.cc
  report/model_inspection.cc
  report/model_inspection_text.cc
  report/next_commands.cc
  report/ops_of_blob.cc
  report/report_html.cc
  report/report_json.cc
  report/summary.cc
  report/task_score.cc
)

# The page of --report FILE.html, its style and its script are files of their own; the build makes them one C++ string.
set(edgeconv_report_page ${CMAKE_BINARY_DIR}/generated/convert/report/report_page.inc)
add_custom_command(
  OUTPUT ${edgeconv_report_page}
  COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/report/report_page.html -DTO=${edgeconv_report_page}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/report/embed_text.cmake
  DEPENDS report/report_page.html report/report_page.css report/report_charts.js report/report_page.js report/embed_text.cmake
  VERBATIM)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/report/report_html.cc PROPERTIES OBJECT_DEPENDS ${edgeconv_report_page})
target_include_directories(edgeconv_core PRIVATE ${CMAKE_BINARY_DIR}/generated)
