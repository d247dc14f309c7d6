add_executable(edgeconv
  cli/arguments.cc
  cli/blob_file.cc
  cli/byte_count.cc
  cli/convert.cc
  cli/convert_arguments.cc
  cli/dim_option.cc
  cli/export.cc
  cli/export_formats.cc
  cli/frames.cc
  cli/graph_dump.cc
  cli/input_files.cc
  cli/inspect.cc
  cli/keygen.cc
  cli/main.cc
  cli/memory_limit.cc
  cli/pin_option.cc
  cli/progress.cc
  cli/run.cc
  cli/sign.cc
  cli/standard_output.cc
  cli/supported_ops.cc
  cli/validate.cc
  cli/validate_text.cc
  cli/verify.cc
)
set_target_properties(edgeconv PROPERTIES CXX_STANDARD 20)
target_link_libraries(edgeconv PRIVATE edgeconv_core edgeconv_flags CLI11::CLI11)
