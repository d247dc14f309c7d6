# What applications link and what `cmake --install` puts somewhere: one archive of runtime, kernels and platform, its header, its files for
# find_package and pkg-config. ert::ert and ert::platform_posix are the same names here, under add_subdirectory and behind find_package.
set(ERT_OBJECTS $<TARGET_OBJECTS:ert> $<TARGET_OBJECTS:ert_kernels> $<TARGET_OBJECTS:ert_platform>)
add_library(ert_archive STATIC ${ERT_OBJECTS})
set_target_properties(ert_archive PROPERTIES OUTPUT_NAME ert ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINKER_LANGUAGE CXX)

# By file and not by target: the archive needs nothing of a C++ library, so that a program in C links it with the C compiler, in a project
# that never enabled C++.
add_library(ert_for_applications INTERFACE)
add_library(ert::ert ALIAS ert_for_applications)
add_dependencies(ert_for_applications ert_archive)
target_include_directories(ert_for_applications INTERFACE ${PROJECT_SOURCE_DIR}/rt/include)
target_link_libraries(ert_for_applications INTERFACE $<TARGET_FILE:ert_archive>)
if(UNIX)
  target_link_libraries(ert_for_applications INTERFACE m)  # as ert_kernels does, behind the archive
endif()
if(ERT_UNPACKS)
  target_link_libraries(ert_for_applications INTERFACE ${ERT_ZSTD_LIBRARY})
endif()
set(ERT_HOSTED OFF)
if(NOT ERT_CORTEX_M AND NOT CMAKE_SYSTEM_NAME STREQUAL "Generic")
  set(ERT_HOSTED ON)
  find_package(Threads REQUIRED)  # by its flag below: the imported target would be unknown in the parent's folder
  add_library(ert_posix_for_applications INTERFACE)
  add_library(ert::platform_posix ALIAS ert_posix_for_applications)
  target_include_directories(ert_posix_for_applications INTERFACE ${PROJECT_SOURCE_DIR})
  target_link_libraries(ert_posix_for_applications INTERFACE ert_for_applications ${CMAKE_THREAD_LIBS_INIT})
endif()

if(ERT_SHARED)
  add_library(ert_shared SHARED ${ERT_OBJECTS})
  target_link_options(ert_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/ert_symbols.map -Wl,-z,defs)
  # LINKER_LANGUAGE C: no C++ library beside it either.
  set_target_properties(ert_shared PROPERTIES OUTPUT_NAME ert VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/ert_symbols.map)
  target_link_libraries(ert_shared PRIVATE ${CMAKE_THREAD_LIBS_INIT})
  if(ERT_UNPACKS)
    target_link_libraries(ert_shared PRIVATE ${ERT_ZSTD_LIBRARY})
  endif()
  add_library(ert_shared_for_applications INTERFACE)
  add_library(ert::shared ALIAS ert_shared_for_applications)
  target_include_directories(ert_shared_for_applications INTERFACE ${PROJECT_SOURCE_DIR}/rt/include)
  target_link_libraries(ert_shared_for_applications INTERFACE ert_shared)
endif()

if(NOT ERT_INSTALL OR NOT ERT_HOSTED)
  return()
endif()

# ---- components: runtime (the shared library), development, tools
include(GNUInstallDirs)  # here, because its folders are entries of the cache, which is the parent's where this is a subproject
set(ERT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ert)
install(TARGETS ert_archive ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(ERT_SHARED)
  install(TARGETS ert_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
endif()
install(FILES rt/include/ert.h rt/include/ert_text.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES platform/platform.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ert/platform COMPONENT development)
install(FILES platform/posix/thread_pool.h platform/posix/file_map.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ert/platform/posix COMPONENT development)
install(FILES cmake/ert_op_table.cmake rt/link_only_ops.cmake DESTINATION ${ERT_CMAKE_DIR} COMPONENT development)

include(CMakePackageConfigHelpers)
set(ERT_CONFIG_NEEDS_ZSTD ${ERT_UNPACKS})
configure_package_config_file(cmake/ertConfig.cmake.in ${PROJECT_BINARY_DIR}/ertConfig.cmake INSTALL_DESTINATION ${ERT_CMAKE_DIR}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ertConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ertConfig.cmake ${PROJECT_BINARY_DIR}/ertConfigVersion.cmake DESTINATION ${ERT_CMAKE_DIR} COMPONENT development)

# ert.pc finds its prefix from where it lies, so that a moved tree still works.
file(RELATIVE_PATH ERT_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(ERT_PC_PRIVATE "-pthread -lm")
if(ERT_UNPACKS)
  string(APPEND ERT_PC_PRIVATE " -lzstd")
endif()
set(ERT_PC_LIBS "-lert")
if(NOT ERT_SHARED)
  set(ERT_PC_LIBS "-lert ${ERT_PC_PRIVATE}")
endif()
configure_file(cmake/ert.pc.in ${PROJECT_BINARY_DIR}/ert.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ert.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET edgeconv)
  install(TARGETS edgeconv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(Python3_FOUND)
    set(manual ${PROJECT_BINARY_DIR}/manual)
    set(bench "")
    if(ERT_DEVELOPER OR ERT_BUILD_TOOLS)
      set(bench ert-bench)
    endif()
    set(manual_of_bench "")
    if(bench)
      set(manual_of_bench $<TARGET_FILE:ert-bench>)
    endif()
    add_custom_command(OUTPUT ${manual}/made COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/toolchains/package/manual.py $<TARGET_FILE:edgeconv>
      ${PROJECT_VERSION} ${manual} ${manual_of_bench} COMMAND ${CMAKE_COMMAND} -E touch ${manual}/made
      DEPENDS edgeconv ${bench} ${PROJECT_SOURCE_DIR}/toolchains/package/manual.py VERBATIM)
    add_custom_target(edgeconv_manual ALL DEPENDS ${manual}/made)
    install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
    foreach(program edgeconv ${bench})
      install(FILES ${manual}/${program}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program} COMPONENT tools)
      install(FILES ${manual}/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
      install(FILES ${manual}/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
    endforeach()
  else()
    message(STATUS "No manual pages and completions: they need python3")
  endif()
endif()
