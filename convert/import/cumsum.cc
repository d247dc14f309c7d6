// CumSum; the axis is an input.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_cumsum(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  c.emit(n, OpKind::kCumSum, {required_input(c, n, 0), required_input(c, n, 1)},
         CumSumAttrs{n.integer("exclusive", 0) != 0, n.integer("reverse", 0) != 0});
}

}  // namespace edgeconv
