// ArrayFeatureExtractor of ai.onnx.ml: elements of the last axis, by a list of numbers. Of one axis it makes a row, as ONNX Runtime does: skl2onnx looks
// up the classes of a classifier so.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_array_feature_extractor(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  const ValueId x = required_input(c, n, 0), list = reshape(c, n, required_input(c, n, 1), {-1});
  const int rank = rank_hint(c.graph(), x);
  if (rank < 0) refuse_without_rank("", "declare the shapes of the model's inputs");
  if (rank == 0) throw NodeError("its input has no axis");
  const ValueId y = c.inner(n, OpKind::kGather, {x, list}, AxisAttrs{-1});
  c.bind(n, 0, rank == 1 ? reshape(c, n, y, {1, -1}) : y);
}

}  // namespace edgeconv
