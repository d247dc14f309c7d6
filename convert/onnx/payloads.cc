// Rewrites the messages on the way to tensors, with lengths as varints of fixed width so that one pass is enough; copies all
// other fields as they are.
#include "convert/onnx/payloads.h"

namespace edgeconv {

namespace {

enum class HolderKind : uint8_t { kModel, kGraph, kFunction, kNode, kAttribute, kTensor, kOther };

HolderKind child_kind(HolderKind parent, uint64_t field) {
  switch (parent) {
    case HolderKind::kModel: return field == 7 ? HolderKind::kGraph : field == 25 ? HolderKind::kFunction : HolderKind::kOther;
    case HolderKind::kGraph: return field == 1 ? HolderKind::kNode : field == 5 ? HolderKind::kTensor : HolderKind::kOther;
    case HolderKind::kFunction: return field == 7 ? HolderKind::kNode : field == 11 ? HolderKind::kAttribute : HolderKind::kOther;
    case HolderKind::kNode: return field == 5 ? HolderKind::kAttribute : HolderKind::kOther;
    case HolderKind::kAttribute:
      return field == 5 || field == 10   ? HolderKind::kTensor
             : field == 6 || field == 11 ? HolderKind::kGraph
                                         : HolderKind::kOther;
    default: return HolderKind::kOther;
  }
}

constexpr uint64_t kRawData = 9, kPayloadOffset = 1000, kPayloadBytes = 1001;
constexpr int kLengthBytes = 5;  // of a varint that holds any length of a file below 2 GiB

class Rewriter {
 public:
  explicit Rewriter(const uint8_t* data) : data_(data) {}
  std::string take() { return std::move(out_); }

  // False when it does not read as fields. Nothing is left to protobuf, which reads some of it (groups, keys beyond 32 bits).
  bool message(HolderKind kind, size_t at, size_t end) {
    while (at < end)
      if (!field(kind, at, end)) return false;
    return true;
  }

 private:
  std::optional<uint64_t> varint(size_t& at, size_t end) const {
    uint64_t v = 0;
    for (int shift = 0; shift < 64 && at < end; shift += 7) {
      const uint8_t b = data_[at++];
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    return {};
  }

  void copy(size_t from, size_t to) { out_.append(reinterpret_cast<const char*>(data_ + from), to - from); }

  void put(uint64_t v) {
    for (; v >= 0x80; v >>= 7) out_ += static_cast<char>(v | 0x80);
    out_ += static_cast<char>(v);
  }

  // Moves `at` behind the field; false when it is none, or does not fit into the message.
  bool field(HolderKind kind, size_t& at, size_t end) {
    const size_t start = at;
    const auto key = varint(at, end);
    if (!key || (*key >> 32) != 0) return false;
    const uint64_t field = *key >> 3;
    std::optional<uint64_t> length = 0;
    switch (*key & 7) {
      case 0:
        if (!varint(at, end)) return false;
        break;
      case 1: length = 8; break;
      case 5: length = 4; break;
      case 2: length = varint(at, end); break;
      default: return false;
    }
    if (!length || *length > end - at) return false;
    const size_t body = at;
    at += *length;
    if (kind == HolderKind::kTensor && (field == kPayloadOffset || field == kPayloadBytes)) return true;
    const bool delimited = (*key & 7) == 2;
    if (delimited && kind == HolderKind::kTensor && field == kRawData && *length >= kLargePayload) {
      for (uint64_t v : {kPayloadOffset << 3, uint64_t{body}, kPayloadBytes << 3, *length}) put(v);
      return true;
    }
    const HolderKind inner = delimited ? child_kind(kind, field) : HolderKind::kOther;
    if (inner == HolderKind::kOther) {
      copy(start, at);
      return true;
    }
    put(*key);
    const size_t length_at = out_.size();
    out_.append(kLengthBytes, '\0');
    if (!message(inner, body, at)) return false;
    const uint64_t written = out_.size() - length_at - kLengthBytes;
    for (int i = 0; i < kLengthBytes; ++i)
      out_[length_at + static_cast<size_t>(i)] =
          static_cast<char>((written >> (7 * i) & 0x7f) | (i + 1 < kLengthBytes ? 0x80 : 0));
    return true;
  }

  const uint8_t* data_;
  std::string out_;
};

}  // namespace

std::optional<std::string> without_payloads(const uint8_t* data, size_t bytes) {
  Rewriter r(data);
  if (!r.message(HolderKind::kModel, 0, bytes)) return {};
  return r.take();
}

}  // namespace edgeconv
