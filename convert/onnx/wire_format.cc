// Walks the protobuf wire format of a model before it is parsed: finds the place where a file was cut, counts messages so that
// a small file cannot make protobuf allocate hundreds of times its size, and sees two models written behind each other
// (protobuf would silently merge them).
#include <array>
#include <vector>

#include "convert/onnx/reader.h"

namespace edgeconv {
namespace {

// Only messages that can hold many others are entered.
enum class Kind : uint8_t { kModel, kGraph, kFunction, kNode, kAttribute, kOpaque, kScalar };

Kind child_kind(Kind parent, uint32_t field) {
  switch (parent) {
    case Kind::kModel:
      return field == 7                  ? Kind::kGraph
             : field == 25               ? Kind::kFunction
             : field == 8 || field == 14 ? Kind::kOpaque
                                         : Kind::kScalar;
    case Kind::kGraph:
      if (field == 1) return Kind::kNode;
      return field == 2 || field == 10 ? Kind::kScalar : Kind::kOpaque;
    case Kind::kFunction:
      if (field == 7) return Kind::kNode;
      return field == 11 ? Kind::kAttribute : Kind::kOpaque;
    case Kind::kNode: return field == 5 ? Kind::kAttribute : Kind::kOpaque;  // names count too: each is a string object
    case Kind::kAttribute:
      if (field == 6 || field == 11) return Kind::kGraph;
      return field == 5 || field == 9 || field == 10 ? Kind::kOpaque : Kind::kScalar;
    default: return Kind::kScalar;
  }
}

struct Frame {
  size_t end;
  Kind kind;
};

class Walker {
 public:
  Walker(const uint8_t* data, size_t bytes, const std::string& name)
      : data_(data), bytes_(bytes), name_("'" + printable(name) + "'") {}

  void run() {
    stack_.push_back({bytes_, Kind::kModel});
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
    const Kind kind = child_kind(stack_.back().kind, number);
    const size_t body = at_;
    skip(length, start);
    if (kind == Kind::kScalar) return;
    count(kind);
    if (kind == Kind::kOpaque) return;
    if (stack_.size() > 90) throw FatalError(ExitCode::kLimit, name_ + " nests graphs deeper than 40 levels");
    stack_.push_back({at_, kind});
    at_ = body;
  }

  void count(Kind kind) {
    if (kind == Kind::kGraph && stack_.back().kind == Kind::kModel) ++graphs_;
    if (kind == Kind::kNode && ++nodes_ > kMaxNodes)
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
