// Checks and parses a model file.
#include "convert/onnx/reader.h"

#include <google/protobuf/io/coded_stream.h>

#include <cstring>

#include "convert/onnx/payloads.h"
#include "rt/blob/header.h"

namespace edgeconv {
namespace {

// Protobuf logs parse errors to stderr; ours say more.
void silence_protobuf() { google::protobuf::SetLogHandler(nullptr); }

}  // namespace

std::shared_ptr<pb::ModelProto> parse_model(const uint8_t* data, size_t bytes, const std::string& name) {
  const std::string file = "'" + printable(name) + "'";
  if (bytes == 0)
    throw FatalError(ExitCode::kMalformed, file + " is empty (0 bytes); the download or export was interrupted: do it again");
  if (bytes > kMaxModelBytes)
    throw FatalError(ExitCode::kLimit, file + " has " + std::to_string(bytes) +
                                           " bytes; an ONNX file holds at most 2147483647: save the weights as external data "
                                           "(onnx.save_model(..., save_as_external_data=True))");
  const std::string advice = foreign_format_advice(data, bytes);
  if (!advice.empty()) throw FatalError(ExitCode::kMalformed, file + " is not an ONNX model: " + advice);
  check_wire_format(data, bytes, name);
  silence_protobuf();
  auto proto = std::make_shared<pb::ModelProto>();
  const auto damaged = [&] {
    throw FatalError(ExitCode::kMalformed, file + " is damaged: its protobuf structure cannot be read; copy or export it again");
  };
  const std::optional<std::string> skeleton = without_payloads(data, bytes);
  if (!skeleton) damaged();
  if (skeleton->size() > kMaxModelBytes) throw FatalError(ExitCode::kLimit, file + " has too many parts");
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(skeleton->data()),
                                            static_cast<int>(skeleton->size()));
  in.SetRecursionLimit(100);
  if (!proto->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) damaged();
  if (!proto->has_graph())
    throw FatalError(ExitCode::kMalformed,
                     file + " is not an ONNX model, or is cut off: it has no graph; copy or export it again");
  return proto;
}

std::string foreign_format_advice(const uint8_t* data, size_t bytes) {
  const auto starts = [&](size_t at, const char* magic, size_t n) {
    return bytes >= at + n && std::memcmp(data + at, magic, n) == 0;
  };
  if (starts(0, "\x89PNG", 4) || starts(0, "\xff\xd8\xff", 3) || starts(0, "GIF8", 4)) return "it is a picture";
  if (starts(0, "PK\x03\x04", 4))
    return "it is a zip archive; if it is a PyTorch checkpoint, load it in Python and export it with torch.onnx.export; if it is "
           "an "
           "archive of a model, unpack it first";
  if (starts(0, "\x80\x02", 2) || starts(0, "\x80\x03", 2) || starts(0, "\x80\x04", 2) || starts(0, "\x80\x05", 2))
    return "it is a Python pickle, probably a PyTorch checkpoint; load it in Python and export it with torch.onnx.export";
  if (starts(4, "TFL3", 4)) return "it is a TensorFlow Lite model; export ONNX from the original framework (or use tflite2onnx)";
  if (starts(4, "ORTM", 4)) return "it is an ONNX Runtime .ort file; convert the .onnx file that it was made from";
  if (starts(0, "GGUF", 4)) return "it is a GGUF file; export ONNX from the original checkpoint (optimum-cli export onnx)";
  if (starts(0, ert::kMagic, ert::kMagicBytes))
    return "it is an .ert blob, which is already converted; use `edgeconv inspect` or `edgeconv run`";
  if (starts(0, "\x89HDF\r\n", 6)) return "it is an HDF5 file, probably Keras weights; export the model with tf2onnx";
  if (starts(0, "version https://git-lfs", 23)) return "it is a Git LFS pointer; fetch the real file with `git lfs pull`";
  if (starts(8, "{\"", 2) && bytes >= 8 && data[7] == 0)
    return "it is a safetensors file, which has weights but no graph; load the model in Python and export it with "
           "torch.onnx.export";
  if (starts(0, "\x1f\x8b", 2) || starts(0, "\x28\xb5\x2f\xfd", 4)) return "it is compressed; unpack it first";
  if (starts(0, "<?xml", 5)) return "it is XML, perhaps an OpenVINO model; convert the original .onnx file";
  if (starts(0, "<!", 2) || starts(0, "<html", 5))
    return "it is a web page; the download link led to a page, not to the file: fetch the file itself (of git-hosted models the "
           "raw or resolve link)";
  // An ONNX file starts with field 1 or another field key and soon has control bytes. Text does not.
  size_t text = 0;
  const size_t look = bytes < 256 ? bytes : 256;
  while (text < look && (data[text] >= 0x20 || data[text] == '\n' || data[text] == '\r' || data[text] == '\t') &&
         data[text] < 0x7f)
    ++text;
  if (text == look && data[0] >= 0x20) return "it is a text file; give the .onnx file itself";
  return "";
}

}  // namespace edgeconv
