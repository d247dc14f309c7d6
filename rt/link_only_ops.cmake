# ert_link_only_ops(TARGET LIST): TARGET links only the ops of LIST, a file of ERT_OP rows as `edgeconv export --ops` writes it. A blob
# with another op is refused by ert_model_open with ERT_ERR_UNSUPPORTED. The target's own op table comes before the library's, whose
# table, and with it every other op, is then left out. On Cortex-M kernels of W12A13 come with the op WideConv only: without it blobs with such
# weights are refused with ERT_ERR_LAYOUT.
set(ERT_OP_TABLE_SOURCE ${CMAKE_CURRENT_LIST_DIR}/ops/op_table.cc CACHE INTERNAL "")
set(ERT_OP_TABLE_MAKER ${CMAKE_CURRENT_LIST_DIR}/ert_op_table.cmake CACHE INTERNAL "")
if(NOT EXISTS ${ERT_OP_TABLE_MAKER})  # in the source tree; installed, the two lie side by side
  set(ERT_OP_TABLE_MAKER ${CMAKE_CURRENT_LIST_DIR}/../cmake/ert_op_table.cmake CACHE INTERNAL "")
endif()
function(ert_link_only_ops target list)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,--gc-sections)
  endif()
  if(TARGET edgeconv_flags AND EXISTS ${ERT_OP_TABLE_SOURCE} AND CMAKE_CXX_COMPILE_OBJECT)
    add_library(${target}_op_table OBJECT ${ERT_OP_TABLE_SOURCE})
    set_target_properties(${target}_op_table PROPERTIES CXX_STANDARD 17)
    target_compile_definitions(${target}_op_table PRIVATE ERT_OP_LIST="${list}")
    target_compile_options(${target}_op_table PRIVATE -fno-exceptions -fno-rtti)
    target_link_libraries(${target}_op_table PRIVATE edgeconv_flags)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_op_table>)  # not target_link_libraries, whose two forms a target must not mix
    return()
  endif()
  # The archive alone, or a project without C++.
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${target}_op_table.c)
  if(NOT CMAKE_C_COMPILE_OBJECT)
    set(table ${CMAKE_CURRENT_BINARY_DIR}/${target}_op_table.cc)
  endif()
  get_filename_component(list ${list} ABSOLUTE)
  add_custom_command(OUTPUT ${table} COMMAND ${CMAKE_COMMAND} -DLIST=${list} -DTABLE=${table} -P ${ERT_OP_TABLE_MAKER}
                     DEPENDS ${list} ${ERT_OP_TABLE_MAKER} VERBATIM)
  target_sources(${target} PRIVATE ${table})
endfunction()
