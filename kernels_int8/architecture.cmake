# ERT_ARCHITECTURE: x86_64, aarch64, armv7, cortex-m or other, by what the compiler defines. Toolchain files spell CMAKE_SYSTEM_PROCESSOR as they
# like (Yocto's says arm for ARMv7, many say arm or cortex-m4 for firmware), and a wrong guess would leave nothing but the slow reference.
include(CheckCXXSourceCompiles)

function(ert_find_architecture)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # firmware may lack what a link needs
  set(CMAKE_REQUIRED_QUIET ON)
  set(x86_64 "defined(__x86_64__)")
  set(aarch64 "defined(__aarch64__)")
  set(armv7 "defined(__arm__) && __ARM_ARCH >= 7 && (!defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE == 'A')")
  set(cortex-m "defined(__arm__) && __ARM_ARCH_PROFILE == 'M'")
  set(found other)
  foreach(name x86_64 aarch64 armv7 cortex-m)
    string(MAKE_C_IDENTIFIER "ERT_COMPILES_FOR_${name}" result)
    check_cxx_source_compiles("#if !(${${name}})\n#error another\n#endif\n" ${result})
    if(${result})
      set(found ${name})
      break()
    endif()
  endforeach()
  set(ERT_ARCHITECTURE ${found} PARENT_SCOPE)
endfunction()
ert_find_architecture()
message(STATUS "Kernels for ${ERT_ARCHITECTURE}")
