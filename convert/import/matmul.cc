// MatMul with numpy semantics.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_matmul(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  c.emit(n, OpKind::kMatMul, {required_input(c, n, 0), required_input(c, n, 1)});
}

}  // namespace edgeconv
