# Files of one folder compiled as one: what a file includes is then read, and the templates that it uses are made, once for all of them. It
# halves the CPU time of a build. Names in unnamed namespaces must differ within a folder; the compiler says where they do not.
# Presets dev, coverage-runtime and clang build each file alone, so that every file names what it needs.
option(ERT_BUILD_TOGETHER "Compile the files of a folder together" ON)

# build_together(TARGET COUNT [EXCEPT FILE...]): the files of each folder of TARGET, COUNT at a time, but those of EXCEPT.
function(build_together target count)
  cmake_parse_arguments(PARSE_ARGV 2 together "" "" "EXCEPT")
  if(NOT ERT_BUILD_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(REMOVE_ITEM sources ${together_EXCEPT})
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    math(EXPR n_${folder} "0${n_${folder}} + 1")
    math(EXPR part "(${n_${folder}} - 1) / ${count}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# one_source(LIST NAME [EXCEPT FILE...]): replaces the files of LIST by one that includes them. Unlike build_together it takes files with options of their own, which
# the caller gives the new file: ${NAME}. For libraries that others build from source; every file still names what it needs (presets dev and clang).
function(one_source list name)
  cmake_parse_arguments(PARSE_ARGV 2 one "" "" "EXCEPT")
  set(text "")
  set(left "")
  foreach(source IN LISTS ${list})
    if(source IN_LIST one_EXCEPT)
      list(APPEND left ${source})
    else()
      string(APPEND text "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
    endif()
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/together/${name}.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)  # written only where it changes
  set(${name} ${file} PARENT_SCOPE)
  set(${list} ${left} ${file} PARENT_SCOPE)
endfunction()
