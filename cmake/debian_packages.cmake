# `cpack -G DEB`: libert0, libert-dev and, where it is built, edgeconv: one package for each component of cmake --install. toolchains/package/debs runs it with the
# options that it needs. What a package depends on is found by dpkg-shlibdeps on the machine that builds it, so packages are built per release of Debian.
if(NOT PROJECT_IS_TOP_LEVEL OR NOT ERT_SHARED OR NOT ERT_INSTALL OR NOT ERT_HOSTED OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  return()
endif()

# /usr/share/doc/PACKAGE: copyright with the notices of what is compiled in, and the log of changes.
set(ERT_DEBIAN_FOLDER ${PROJECT_BINARY_DIR}/debian)
file(READ toolchains/package/THIRD_PARTY_NOTICES.txt ERT_NOTICES)
file(WRITE ${ERT_DEBIAN_FOLDER}/copyright
     "edgeconv ${PROJECT_VERSION}: Apache License 2.0, on Debian in /usr/share/common-licenses/Apache-2.0.\n\n${ERT_NOTICES}")
set(ERT_DEBIAN_PACKAGES libert0=runtime libert-dev=development)
set(CPACK_COMPONENTS_ALL runtime development)
if(TARGET edgeconv)
  list(APPEND ERT_DEBIAN_PACKAGES edgeconv=tools)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
foreach(pair ${ERT_DEBIAN_PACKAGES})
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 package)
  list(GET pair 1 component)
  install(FILES ${ERT_DEBIAN_FOLDER}/copyright CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  string(TOUPPER ${component} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME edgeconv)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "edgeconv maintainers <maintainers@edgeconv.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # the first lines below are the packages' own
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "Allocation-free runtime for models converted by edgeconv\nThe shared library libert.so.0. It runs int8 encoders in memory that the\napplication gives it, with the same bits on every CPU.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Allocation-free runtime for models converted by edgeconv (development)\nHeader, static library, and files for CMake and pkg-config.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Converter from ONNX encoders to int8 blobs\nThe programs edgeconv and ert-bench with manual pages and completions.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS libopenblas0)  # loaded when it is needed, which dpkg-shlibdeps cannot see
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libert0 (= ${PROJECT_VERSION})")
if(ERT_UNPACKS)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libzstd-dev")
endif()
# As ertConfigVersion.cmake has it: before 1.0 another minor version may be another interface.
math(EXPR ERT_NEXT_MINOR "${PROJECT_VERSION_MINOR} + 1")
file(WRITE ${ERT_DEBIAN_FOLDER}/shlibs
     "libert 0 libert0 (>= ${PROJECT_VERSION}), libert0 (<< ${PROJECT_VERSION_MAJOR}.${ERT_NEXT_MINOR}~)\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${ERT_DEBIAN_FOLDER}/shlibs)

include(CPack)
