# Sources of convert/text, and the lite protobuf classes of SentencePiece models.
set(edgeconv_spm_out ${edgeconv_proto_dir}/convert/text/files/sentencepiece.pb.cc ${edgeconv_proto_dir}/convert/text/files/sentencepiece.pb.h)
add_custom_command(
  OUTPUT ${edgeconv_spm_out}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${edgeconv_proto_dir}
  COMMAND protobuf::protoc --cpp_out=lite:${edgeconv_proto_dir} -I ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/text/files/sentencepiece.proto
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/text/files/sentencepiece.proto
  VERBATIM)
add_library(edgeconv_spm_proto STATIC ${edgeconv_spm_out})
set_target_properties(edgeconv_spm_proto PROPERTIES CXX_STANDARD 20)
target_include_directories(edgeconv_spm_proto SYSTEM PUBLIC ${edgeconv_proto_dir})
target_link_libraries(edgeconv_spm_proto PUBLIC protobuf::libprotobuf-lite Threads::Threads)

target_sources(edgeconv_core PRIVATE
  text/byte_level.cc
  text/code_tables.cc
  text/double_array.cc
  text/expansion.cc
  text/folder/apply_configuration.cc
  text/folder/bert_tree.cc
  text/folder/byte_level_tree.cc
  text/folder/folder_config.cc
  text/folder/sentencepiece_tree.cc
  text/folder/tokenizer_class.cc
  text/hash_tables.cc
  text/files/decimal.cc
  text/files/json_place.cc
  text/plain_spaces.cc
  text/read_decoder.cc
  text/read_model.cc
  text/read_normalizer.cc
  text/read_postprocessor.cc
  text/read_pretokenizer.cc
  text/read_sentencepiece.cc
  text/read_tokenizer.cc
  text/table_bytes.cc
  text/table_probe.cc
  text/task_tables.cc
  text/text_runner.cc
  text/tokenizer_json.cc
  text/unicode/unicode_data.cc
  text/whole_pieces.cc
)
