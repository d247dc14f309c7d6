// Hardmax: 1 at the first of the largest elements along an axis, 0 elsewhere.
#include "convert/import/softmax_axis.h"

namespace edgeconv {

void import_hardmax(ImportContext& c, const OnnxNode& n) {
  const SoftmaxAxis a = softmax_axis(c, n);
  const ValueId largest = c.inner(n, OpKind::kReduce, {a.x}, ReduceAttrs{ReduceKind::kMax, {a.axis}, true, false});
  const ValueId hits = cast(c, n, binary(c, n, BinaryKind::kEqual, a.x, largest), DType::kFloat);
  // Of several only the first has one hit up to here.
  const ValueId so_far = c.inner(n, OpKind::kCumSum, {hits, int_scalar(c, n, a.axis)}, CumSumAttrs{});
  const ValueId first = cast(c, n, binary(c, n, BinaryKind::kEqual, so_far, scalar(c, n, 1)), DType::kFloat);
  const ValueId y = mul(c, n, hits, first);
  const DType type = dtype_hint(c.graph(), a.x);
  bind_softmax(c, n, a, type == DType::kUndefined || type == DType::kFloat ? y : cast(c, n, y, type));
}

}  // namespace edgeconv
