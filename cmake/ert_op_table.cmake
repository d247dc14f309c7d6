# cmake -DLIST=FILE -DTABLE=FILE -P: the op table of a program that links only the ops of LIST, in C, for builds that have the archive and not
# the runtime's sources or no C++ compiler. It names the definitions by their symbols, as rt/ops/op_table.cc does by their C++ names.
file(STRINGS "${LIST}" rows REGEX "^ *ERT_OP\\(")
set(declarations "")
set(table "")
set(wide "NULL")
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^ *ERT_OP\\(([0-9]+), ([A-Za-z0-9]+)\\)")
    message(FATAL_ERROR "${LIST}: not a row ERT_OP(code, Name): ${row}")
  endif()
  set(code ${CMAKE_MATCH_1})
  set(name "kOp${CMAKE_MATCH_2}")
  if(code EQUAL 55)  # WideConv: what it needs, Linears of its precision have then too (rt/ops/op_table.cc)
    set(wide "wide_linear")
  endif()
  string(LENGTH ${name} length)
  string(APPEND declarations "extern const char op_${code}[] __asm__(\"_ZN3ert${length}${name}E\");\n")
  string(APPEND table "  {${code}, op_${code}},\n")
endforeach()
if(table STREQUAL "")
  message(FATAL_ERROR "${LIST}: no rows ERT_OP(code, Name); `edgeconv export --ops` writes such a list")
endif()
file(WRITE "${TABLE}" "/* The ops of ${LIST}: made by ert_link_only_ops. */
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern \"C\" {
#endif
${declarations}const void* ert_linked_op(uint16_t code) __asm__(\"_ZN3ert7find_opEt\");
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
const void* ert_linked_reference(void) __asm__(\"_ZN3ert7kernels16forced_referenceEv\");
extern const char wide_linear[] __asm__(\"_ZN3ert7kernels11kWideLinearE\");
const void* ert_linked_wide(void) __asm__(\"_ZN3ert7kernels11linked_wideEv\");
#endif
#ifdef __cplusplus
}
#endif
static const struct {
  uint16_t code;
  const char* op;
} rows[] = {
${table}};
const void* ert_linked_op(uint16_t code) {
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (rows[i].code == code) return rows[i].op;
  }
  return NULL;
}
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
const void* ert_linked_reference(void) { return NULL; } /* rt/ops/op_table.cc */
const void* ert_linked_wide(void) { return ${wide}; }
#endif
")
