// Clip: limits are attributes up to opset 10, optional inputs afterwards; written as Max, then Min.
#include <limits>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

// ONNX wants limits of x's type; torch's exporter writes float ones for integers too (clamp of positions at opset 11).
ValueId limit_like(ImportContext& c, const OnnxNode& n, ValueId x, ValueId limit) {
  if (limit == kNone) return kNone;
  const DType to = dtype_hint(c.graph(), x), from = dtype_hint(c.graph(), limit);
  return to == DType::kUndefined || from == DType::kUndefined || to == from ? limit : cast(c, n, limit, to);
}

}  // namespace

void import_clip(ImportContext& c, const OnnxNode& n) {
  ValueId x = required_input(c, n, 0);
  ValueId low = limit_like(c, n, x, c.input(n, 1)), high = limit_like(c, n, x, c.input(n, 2));
  if (low == kNone && n.has("min") && n.number("min", 0) > std::numeric_limits<float>::lowest())
    low = scalar_like(c, n, x, n.number("min", 0));
  if (high == kNone && n.has("max") && n.number("max", 0) < std::numeric_limits<float>::max())
    high = scalar_like(c, n, x, n.number("max", 0));
  if (low == kNone && high == kNone) {
    c.emit(n, OpKind::kIdentity, {x});
    return;
  }
  if (low != kNone) x = binary(c, n, BinaryKind::kMax, x, low);
  if (high != kNone) x = binary(c, n, BinaryKind::kMin, x, high);
  c.bind(n, 0, x);
}

}  // namespace edgeconv
