# Cortex-M without an operating system: Debian's gcc-arm-none-eabi. ERT_CORTEX_M says which core: m3, m4 (with FPU), m7, m33 or m55.
# Programs run under qemu-system-arm on the board that has the core; run_cortex_m.sh hands them arguments and files by semihosting.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ERT_CORTEX_M)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)

# Core, FPU and board. Hard float wherever there is an FPU; the M3 has none and computes floats in software.
set(flags_m3 "-mcpu=cortex-m3 -mfloat-abi=soft")
set(flags_m4 "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(flags_m7 "-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard")
set(flags_m33 "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard")
set(flags_m55 "-mcpu=cortex-m55 -mfloat-abi=hard")
set(board_m3 mps2-an385)
set(board_m4 mps2-an386)
set(board_m7 mps2-an500)
set(board_m33 mps2-an505)
set(board_m55 mps3-an547)
if(NOT DEFINED flags_${ERT_CORTEX_M})
  message(FATAL_ERROR "ERT_CORTEX_M is '${ERT_CORTEX_M}': give the core with -DERT_CORTEX_M=m3, m4, m7, m33 or m55")
endif()
set(ERT_DEFAULT_BOARD ${board_${ERT_CORTEX_M}})

# Firmware traps unaligned accesses (platform/cortex_m/startup.c), so the compiler must not make any. Nothing unwinds.
set(common "${flags_${ERT_CORTEX_M}} -mthumb -mno-unaligned-access -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables")
set(CMAKE_C_FLAGS_INIT "${common}")
set(CMAKE_CXX_FLAGS_INIT "${common} -fno-exceptions -fno-rtti -fno-threadsafe-statics")
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/run_cortex_m.sh ${ERT_DEFAULT_BOARD})
set(CMAKE_FIND_ROOT_PATH /usr/lib/arm-none-eabi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
