// See channels_first.h.
#include "convert/program/channels_first.h"

#include <vector>

namespace edgeconv {

// What the map is a Transpose of that puts channels last; -1: something else.
int channels_first(const TargetProgram& p, int map) {
  for (const TargetOp& op : p.ops) {
    if (op.code != ert::params::OpCode::kTranspose || op.outputs[0] != map) continue;
    std::vector<int32_t> last(op.ints.size());
    for (size_t i = 0; i < last.size(); ++i) last[i] = i == 0 ? 0 : static_cast<int32_t>((i + 1) % last.size());
    if (last.size() > 1) last.back() = 1;
    return op.ints == last ? op.inputs[0] : -1;
  }
  return -1;
}

}  // namespace edgeconv
