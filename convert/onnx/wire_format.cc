// Walks the protobuf wire format of a model before it is parsed: finds the place where a file was cut, counts messages so that
// a small file cannot make protobuf allocate hundreds of times its size, and sees two models written behind each other
// (protobuf would silently merge them).
#include <array>
#include <vector>

#include "convert/onnx/reader.h"

namespace edgeconv {
namespace {

// Only messages that can hold many others are entered.
enum class MessageKind : uint8_t { kModel, kGraph, kFunction, kNode, kAttribute, kOpaque, kScalar };

MessageKind child_kind(MessageKind parent, uint32_t field) {
  switch (parent) {
    case MessageKind::kModel:
      return field == 7                  ? MessageKind::kGraph
             : field == 25               ? MessageKind::kFunction
             : field == 8 || field == 14 ? MessageKind::kOpaque
                                         : MessageKind::kScalar;
    case MessageKind::kGraph:
      if (field == 1) return MessageKind::kNode;
      return field == 2 || field == 10 ? MessageKind::kScalar : MessageKind::kOpaque;
    case MessageKind::kFunction:
      if (field == 7) return MessageKind::kNode;
      return field == 11 ? MessageKind::kAttribute : MessageKind::kOpaque;
    case MessageKind::kNode:
      return field == 5 ? MessageKind::kAttribute : MessageKind::kOpaque;  // names count too: each is a string object
    case MessageKind::kAttribute:
      if (field == 6 || field == 11) return MessageKind::kGraph;
      return field == 5 || field == 9 || field == 10 ? MessageKind::kOpaque : MessageKind::kScalar;
    default: return MessageKind::kScalar;
  }
}

struct Frame {
  size_t end;
  MessageKind kind;
};

class Walker {
 public:
  Walker(const uint8_t* data, size_t bytes, const std::string& name)
      : data_(data), bytes_(bytes), name_("'" + printable(name) + "'") {}

  void run() {
    stack_.push_back({bytes_, MessageKind::kModel});
    while (!stack_.empty()) {
      if (at_ == stack_.back().end)
        stack_.pop_back();
      else
        field();
    }
    if (graphs_ > 1) damaged("it holds " + std::to_string(graphs_) + " graphs, as if files had been joined");
  }

 private:
  [[noreturn]] void damaged(const std::string& why) const {
    throw FatalError(ExitCode::kMalformed, name_ + " is not an ONNX model, or is damaged: " + why + "; copy or export it again");
  }

  uint64_t varint() {
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ >= stack_.back().end) damaged("it ends in the middle of a number at byte " + std::to_string(at_));
      const uint8_t b = data_[at_++];
      v |= static_cast<uint64_t>(b & 0x7f) << (shift < 64 ? shift : 63);
      if (b < 0x80) return v;
    }
    damaged("a number at byte " + std::to_string(at_) + " is too long");
  }

  void skip(uint64_t n, size_t start) {
    if (n > stack_.back().end - at_)
      damaged("the field at byte " + std::to_string(start) + " needs " + std::to_string(n) + " bytes, " +
              std::to_string(stack_.back().end - at_) + " are left (the file has " + std::to_string(bytes_) + ")");
    at_ += static_cast<size_t>(n);
  }

  void field() {
    const size_t start = at_;
    const uint64_t key = varint();
    const auto number = static_cast<uint32_t>(key >> 3);
    if (number == 0 || (key >> 32) != 0) damaged("there is no valid field at byte " + std::to_string(start));
    switch (key & 7) {
      case 0: varint(); return;
      case 1: skip(8, start); return;
      case 5: skip(4, start); return;
      case 2: break;
      default: damaged("there is no valid field at byte " + std::to_string(start));
    }
    const uint64_t length = varint();
    const MessageKind kind = child_kind(stack_.back().kind, number);
    const size_t body = at_;
    skip(length, start);
    if (kind == MessageKind::kScalar) return;
    count(kind);
    if (kind == MessageKind::kOpaque) return;
    if (stack_.size() > 90)
      throw FatalError(
          ExitCode::kLimit,
          name_ + " nests graphs deeper than 40 levels, the most that are read: export it without such nested branches");
    stack_.push_back({at_, kind});
    at_ = body;
  }

  void count(MessageKind kind) {
    if (kind == MessageKind::kGraph && stack_.back().kind == MessageKind::kModel) ++graphs_;
    if (kind == MessageKind::kNode && ++nodes_ > kMaxNodes)
      throw FatalError(ExitCode::kLimit, name_ + " has more than " + std::to_string(kMaxNodes) + " nodes");
    if (++messages_ > kMaxMessages)
      throw FatalError(ExitCode::kLimit,
                       name_ + " has more than " + std::to_string(kMaxMessages) + " parts (nodes, attributes, names, tensors)");
  }

  const uint8_t* data_;
  size_t bytes_;
  std::string name_;
  size_t at_ = 0;
  std::vector<Frame> stack_;
  int64_t nodes_ = 0, messages_ = 0, graphs_ = 0;
};

}  // namespace

void check_wire_format(const uint8_t* data, size_t bytes, const std::string& name) { Walker(data, bytes, name).run(); }

}  // namespace edgeconv
