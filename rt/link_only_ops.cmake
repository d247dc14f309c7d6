# ert_link_only_ops(TARGET LIST): TARGET links only the ops of LIST, a file of ERT_OP rows as `edgeconv export --ops` writes it. A blob
# with another op is refused by ert_model_open with ERT_ERR_UNSUPPORTED. The target's own op table comes before the library's, whose
# table, and with it every other op, is then left out.
function(ert_link_only_ops target list)
  add_library(${target}_op_table OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/ops/op_table.cc)
  set_target_properties(${target}_op_table PROPERTIES CXX_STANDARD 17)
  target_compile_definitions(${target}_op_table PRIVATE ERT_OP_LIST="${list}")
  target_compile_options(${target}_op_table PRIVATE -fno-exceptions -fno-rtti)
  target_link_libraries(${target}_op_table PRIVATE edgeconv_flags)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_op_table>)  # not target_link_libraries, whose two forms a target must not mix
endfunction()
