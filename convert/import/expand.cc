// Expand and Tile.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_expand(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  c.emit(n, OpKind::kExpand, {required_input(c, n, 0), required_input(c, n, 1)});
}

void import_tile(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  c.emit(n, OpKind::kTile, {required_input(c, n, 0), required_input(c, n, 1)});
}

}  // namespace edgeconv
