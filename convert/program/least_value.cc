// See least_value.h.
#include "convert/program/least_value.h"

#include <cmath>

#include "rt/include/ert.h"

namespace edgeconv {

namespace direct = ert::params::direct_conv;
using ert::params::OpCode;

static_assert(direct::kActivation == 0 && ert::params::wide_conv::kActivation == 0, "one place for both");

namespace {

// The only op that reads op `at`'s result; null: there are others, or the result is an output.
TargetOp* only_reader(TargetProgram& p, size_t at) {
  const int result = p.ops[at].outputs[0];
  if (p.values[static_cast<size_t>(result)].storage != Storage::kArena) return nullptr;
  for (const TargetOutput& o : p.outputs)
    if (p.root(o.value) == result) return nullptr;
  TargetOp* reader = nullptr;
  for (TargetOp& op : p.ops) {
    for (const int v : op.inputs) {
      if (v < 0 || p.root(v) != result) continue;
      if (reader != nullptr || v != result) return nullptr;
      reader = &op;
    }
  }
  return reader;
}

}  // namespace

void take_least(TargetProgram& p, size_t at) {
  namespace binary = ert::params::binary;
  if (p.ops[at].ints[direct::kActivation] != ert::params::unary::kLeakyRelu) return;
  TargetOp* max = only_reader(p, at);
  if (max == nullptr || max->code != OpCode::kBinary || max->ints[binary::kKind] != binary::kMax) return;
  const int result = p.ops[at].outputs[0], other = max->inputs[max->inputs[0] == result ? 1 : 0], y = max->outputs[0];
  const TargetValue& least = p.values[static_cast<size_t>(other)];
  if (least.storage != Storage::kConstant || least.dtype != ERT_F32 || least.data.elements() != 1) return;
  if (p.values[static_cast<size_t>(y)].shape != p.values[static_cast<size_t>(result)].shape) return;
  const float value = least.data.as<float>()[0];
  if (!std::isnormal(value)) return;
  p.ops[at].floats.push_back(value);
  p.ops[at].outputs[0] = y;
  p.ops.erase(p.ops.begin() + (max - p.ops.data()));
}

}  // namespace edgeconv
