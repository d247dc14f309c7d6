// Keeps the weights of a model out of protobuf, which would copy them: the file is parsed without its large raw_data fields, and
// tensors become views of the mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace edgeconv {

// The model with raw_data of this many bytes or more replaced by its position (TensorProto.payload_offset, payload_bytes). The
// wire format has been checked (check_wire_format), but not that of tensors. Whatever a file holds in these two fields is dropped: who could set them
// would have as many large tensors as he likes in a small file. Nothing where a tensor or what leads to it cannot be read as fields.
constexpr size_t kLargePayload = 1024;
std::optional<std::string> without_payloads(const uint8_t* data, size_t bytes);

}  // namespace edgeconv
