// ReverseSequence: the first rows of each sequence of a batch in reverse order.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_reverse_sequence(ImportContext& c, const OnnxNode& n) {
  const int64_t time = n.integer("time_axis", 0), batch = n.integer("batch_axis", 1);
  if (time + batch != 1 || time * batch != 0) throw NodeError("time_axis and batch_axis are not 0 and 1");
  c.emit(n, OpKind::kReverseSequence, {required_input(c, n, 0), required_input(c, n, 1)}, AxisAttrs{time});
}

}  // namespace edgeconv
