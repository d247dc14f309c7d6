// Maps of images that have their channels first: QuantizeMap reads them so, row by row, without a Transpose and its map of floats.
#include "convert/program/channels_first.h"
#include "convert/program/program_pass.h"

namespace edgeconv {

namespace quantize = ert::params::quantize_map;
using ert::params::OpCode;

int pass_map_planes(TargetProgram& p, const ProgramPassOptions&) {
  int taken = 0;
  for (TargetOp& op : p.ops) {
    if (op.code != OpCode::kQuantizeMap || !op.ints.empty()) continue;
    int& x = op.inputs[quantize::kX];
    const Shape& shape = p.values[static_cast<size_t>(x)].shape;
    const int image =
        shape.size() == 4 && shape.back().constant().value_or(kMostPlanes + 1) <= kMostPlanes ? channels_first(p, x) : -1;
    if (image < 0) continue;
    x = image;
    op.ints = {1};
    ++taken;
  }
  if (taken > 0) p.remove_dead();
  return taken;
}

}  // namespace edgeconv
