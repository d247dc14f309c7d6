// Where, Mod, IsInf: elementwise operators with a twist of their own.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_where(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  c.emit(n, OpKind::kWhere, {required_input(c, n, 0), required_input(c, n, 1), required_input(c, n, 2)});
}

void import_mod(ImportContext& c, const OnnxNode& n) {
  const BinaryKind kind = n.integer("fmod", 0) != 0 ? BinaryKind::kFmod : BinaryKind::kMod;
  c.emit(n, OpKind::kBinary, {required_input(c, n, 0), required_input(c, n, 1)}, BinaryAttrs{kind});
}

void import_is_inf(ImportContext& c, const OnnxNode& n) {
  const bool negative = n.integer("detect_negative", 1) != 0, positive = n.integer("detect_positive", 1) != 0;
  if (!negative && !positive) refuse("it detects nothing", "remove it from the model");
  if (negative != positive) {
    const ValueId x = required_input(c, n, 0), infinite = unary(c, n, UnaryKind::kIsInf, x);
    const ValueId side = binary(c, n, positive ? BinaryKind::kGreater : BinaryKind::kLess, x, scalar_like(c, n, x, 0));
    return c.bind(n, 0, binary(c, n, BinaryKind::kAnd, infinite, side));
  }
  c.emit(n, OpKind::kUnary, {required_input(c, n, 0)}, UnaryAttrs{static_cast<int>(UnaryKind::kIsInf), 0});
}

}  // namespace edgeconv
