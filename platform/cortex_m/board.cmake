# ert_board: what an executable without an operating system links besides ert_platform. Startup, fault reports, memory functions,
# semihosting, and the linker script of ERT_BOARD (boards/). The default board of each core is one that QEMU emulates.
set(ERT_BOARD ${ERT_DEFAULT_BOARD} CACHE STRING "Board: a linker script platform/cortex_m/boards/NAME.ld")
set(ERT_CORE_HZ_mps2-an505 20000000)
set(ERT_CORE_HZ_mps3-an547 32000000)
if(NOT DEFINED ERT_CORE_HZ)
  set(ERT_CORE_HZ 25000000)
  if(DEFINED ERT_CORE_HZ_${ERT_BOARD})
    set(ERT_CORE_HZ ${ERT_CORE_HZ_${ERT_BOARD}})
  endif()
endif()

set_property(GLOBAL PROPERTY ERT_CORE_HZ ${ERT_CORE_HZ})  # for programs that name it

add_library(ert_board OBJECT cortex_m/startup.c cortex_m/faults.c cortex_m/stack.c cortex_m/semihosting.c cortex_m/memory.c)
target_link_libraries(ert_board PRIVATE edgeconv_flags)
# The compiler must not turn the loops of memcpy into calls of memcpy.
set_source_files_properties(cortex_m/memory.c PROPERTIES COMPILE_OPTIONS "-fno-builtin;-fno-tree-loop-distribute-patterns")
set(ERT_BOARD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/cortex_m/boards)
target_link_options(ert_board INTERFACE
  -nostdlib -L${ERT_BOARD_SCRIPTS} -T ${ERT_BOARD_SCRIPTS}/${ERT_BOARD}.ld -Wl,--gc-sections -Wl,--no-warn-rwx-segments)
target_link_libraries(ert_board INTERFACE ert_platform gcc)
