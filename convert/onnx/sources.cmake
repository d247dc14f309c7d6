# Sources of convert/onnx, and the lite protobuf classes generated from onnx.proto into the build folder.
set(edgeconv_proto_dir ${CMAKE_BINARY_DIR}/generated)
set(edgeconv_proto_out ${edgeconv_proto_dir}/convert/onnx/onnx.pb.cc ${edgeconv_proto_dir}/convert/onnx/onnx.pb.h)
add_custom_command(
  OUTPUT ${edgeconv_proto_out}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${edgeconv_proto_dir}
  COMMAND protobuf::protoc --cpp_out=lite:${edgeconv_proto_dir} -I ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/onnx/onnx.proto
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/onnx/onnx.proto
  VERBATIM)
# Apart, because generated code is not held to this project's warnings.
add_library(edgeconv_onnx_proto STATIC ${edgeconv_proto_out})
set_target_properties(edgeconv_onnx_proto PROPERTIES CXX_STANDARD 20)
target_include_directories(edgeconv_onnx_proto SYSTEM PUBLIC ${edgeconv_proto_dir})
target_link_libraries(edgeconv_onnx_proto PUBLIC protobuf::libprotobuf-lite Threads::Threads)

target_sources(edgeconv_core PRIVATE
  onnx/dim_params.cc
  onnx/external_data.cc
  onnx/model.cc
  onnx/node_order.cc
  onnx/payloads.cc
  onnx/reader.cc
  onnx/tensor_file.cc
  onnx/tensor_reader.cc
  onnx/wire_format.cc
)
