// Keeps the weights of a model out of protobuf, which would copy them: the file is parsed without its large raw_data fields, and
// tensors become views of the mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace edgeconv {

// The model with raw_data of this many bytes or more replaced by its position (TensorProto.payload_offset, payload_bytes). The
// wire format has been checked (check_wire_format). Whatever a file holds in these two fields is dropped.
constexpr size_t kLargePayload = 1024;
std::string without_payloads(const uint8_t* data, size_t bytes);

}  // namespace edgeconv
