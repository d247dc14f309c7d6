// From bytes to a parsed ModelProto: refuses what is not an ONNX file with a message that tells what to do, and caps the
// counts of hostile files before protobuf allocates for them.
#pragma once

#include <memory>
#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

constexpr size_t kMaxModelBytes = (size_t{1} << 31) - 1;  // protobuf's own limit
constexpr int64_t kMaxNodes = 500'000;
constexpr int64_t kMaxMessages = 5'000'000;  // of all kinds together

// name is for messages. Large raw_data is left out: tensors have its position in the file instead (payloads.h).
std::shared_ptr<pb::ModelProto> parse_model(const uint8_t* data, size_t bytes, const std::string& name);

// What a file looks like by its first bytes when it is not ONNX: a sentence with advice, or "".
std::string foreign_format_advice(const uint8_t* data, size_t bytes);

// Walks the wire format without allocating. Throws FatalError: kMalformed for a cut or garbled file, with the byte offset;
// kLimit when it holds more nodes or messages than the caps.
void check_wire_format(const uint8_t* data, size_t bytes, const std::string& name);

}  // namespace edgeconv
