// Cast and CastLike.
#include "convert/import/building_blocks.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {

void import_cast(ImportContext& c, const OnnxNode& n) {
  const auto* to = n.find("to");
  // Up to opset 5 the type was a string.
  if (to == nullptr) throw NodeError("the required attribute 'to' is missing");
  const int64_t code = n.integer("to");
  if (code < 0 || code > 1000) throw NodeError("attribute 'to' is no element type");
  c.emit(n, OpKind::kCast, {required_input(c, n, 0)},
         CastAttrs{supported_dtype(static_cast<int32_t>(code), "the cast's result")});
}

void import_cast_like(ImportContext& c, const OnnxNode& n) {
  const ValueId like = required_input(c, n, 1);
  const DType to = dtype_hint(c.graph(), like);
  if (to == DType::kUndefined)
    refuse("the element type of its second input is not known when the file is read", "use Cast with a fixed type");
  if (const int bits = packed_bits_hint(c.graph(), like); bits != 0)
    refuse("its result has elements of " + std::to_string(bits) + " bits", "accepted are types of 8 bits and more");
  c.emit(n, OpKind::kCast, {required_input(c, n, 0)}, CastAttrs{to});
}

}  // namespace edgeconv
