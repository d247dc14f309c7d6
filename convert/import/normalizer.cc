// Normalizer of ai.onnx.ml: each row divided by its norm, or left as it is where that is zero. MAX is the largest element, with its sign.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_normalizer(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  const ValueId x = cast(c, n, required_input(c, n, 0), DType::kFloat);
  if (const int rank = rank_hint(c.graph(), x); rank > 2 || rank == 0)
    throw NodeError("its input has rank " + std::to_string(rank) + ", not 1 or 2");
  const std::string norm = n.text("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2") throw NodeError("attribute 'norm' is none of MAX, L1, L2");
  const ReduceKind kind = norm == "MAX" ? ReduceKind::kMax : norm == "L1" ? ReduceKind::kL1 : ReduceKind::kL2;
  const ValueId length = c.inner(n, OpKind::kReduce, {x}, ReduceAttrs{kind, {-1}, true, false});
  const ValueId none = binary(c, n, BinaryKind::kEqual, length, scalar(c, n, 0));
  c.bind(n, 0, binary(c, n, BinaryKind::kDiv, x, c.inner(n, OpKind::kWhere, {none, scalar(c, n, 1), length})));
}

}  // namespace edgeconv
