// Clip: limits are attributes up to opset 10, optional inputs afterwards; written as Max, then Min.
#include <limits>

#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_clip(ImportContext& c, const OnnxNode& n) {
  ValueId x = required_input(c, n, 0), low = c.input(n, 1), high = c.input(n, 2);
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
