// See value_uses.h.
#include "convert/program/value_uses.h"

namespace edgeconv {

ValueUses::ValueUses(const TargetProgram& p)
    : p_(p), writer_(p.values.size(), -1), readers_(p.values.size()), internal_(p.values.size(), 0) {
  for (size_t v = 0; v < p.values.size(); ++v) internal_[v] = p.values[v].storage == Storage::kArena;
  for (const TargetValue& v : p.values)
    if (v.storage == Storage::kAlias) internal_[static_cast<size_t>(v.index)] = 0;
  for (const TargetOutput& o : p.outputs) internal_[root(o.value)] = 0;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    const int op = static_cast<int>(i);
    for (const int v : p.ops[i].outputs)
      if (v >= 0) writer_[root(v)] = op;
    for (size_t k = 0; k < p.ops[i].inputs.size(); ++k)
      if (const int v = p.ops[i].inputs[k]; v >= 0) readers_[root(v)].push_back({op, k});
  }
}

}  // namespace edgeconv
