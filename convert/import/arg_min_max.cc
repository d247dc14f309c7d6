// ArgMax, ArgMin and TopK.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

void import_arg(ImportContext& c, const OnnxNode& n, bool max) {
  c.emit(n, OpKind::kArgMinMax, {required_input(c, n, 0)},
         ArgAttrs{n.integer("axis", 0), n.integer("keepdims", 1) != 0, max, n.integer("select_last_index", 0) != 0});
}

}  // namespace

void import_arg_max(ImportContext& c, const OnnxNode& n) { import_arg(c, n, true); }
void import_arg_min(ImportContext& c, const OnnxNode& n) { import_arg(c, n, false); }

void import_top_k(ImportContext& c, const OnnxNode& n) {
  // k was an attribute up to opset 9.
  const ValueId k = n.has("k") ? ints(c, n, {n.integer("k")}) : required_input(c, n, 1);
  c.emit(n, OpKind::kTopK, {required_input(c, n, 0), k},
         TopKAttrs{n.integer("axis", -1), n.integer("largest", 1) != 0, n.integer("sorted", 1) != 0});
}

}  // namespace edgeconv
