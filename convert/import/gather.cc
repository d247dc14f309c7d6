// Gather, GatherElements, GatherND.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_gather(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kGather, {required_input(c, n, 0), required_input(c, n, 1)}, AxisAttrs{n.integer("axis", 0)});
}

void import_gather_elements(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kGatherElements, {required_input(c, n, 0), required_input(c, n, 1)}, AxisAttrs{n.integer("axis", 0)});
}

void import_gather_nd(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kGatherND, {required_input(c, n, 0), required_input(c, n, 1)}, GatherNDAttrs{n.integer("batch_dims", 0)});
}

}  // namespace edgeconv
