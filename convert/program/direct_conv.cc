// Convolutions in fp32 that read their map in place (DirectConv): the same sums without patches. Of images, which files have channels first, the
// Transpose before the first convolution goes with them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "convert/program/channels_first.h"
#include "convert/program/least_value.h"
#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace conv = ert::params::conv;
namespace direct = ert::params::direct_conv;
namespace linear = ert::params::linear;
using ert::params::OpCode;

// More are fetched from far for every few outputs of a row, where a Conv has blocks of patches for them. Measured: 128 x 128 filters of 3 x 3 take .95 times
// as long, 128 x 256 take 1.15 times.
constexpr int64_t kMostWeights = 1 << 18;

// Products of padding are left out, which is the same only where they would be zeros.
bool all_finite(const Tensor& t) {
  const auto v = t.as<float>();
  return std::all_of(v.begin(), v.end(), [](float x) { return std::isfinite(x); });
}

bool is_fp32(const TargetProgram& p, const TargetOp& op) {
  if (op.code != OpCode::kConv || op.inputs.size() <= linear::kWeights || op.inputs[linear::kWeights] < 0) return false;
  const TargetValue& w = p.values[static_cast<size_t>(op.inputs[linear::kWeights])];
  if (!p.values[static_cast<size_t>(op.inputs[linear::kX])].shape.back().is_constant()) return false;
  return op.ints[conv::kPrecision] == linear::kF32 && w.storage == Storage::kConstant && w.data.elements() <= kMostWeights && all_finite(w.data);
}

// Of a grouped convolution not.
bool reads_all_channels(const TargetProgram& p, const TargetOp& op) {
  return p.values[static_cast<size_t>(op.inputs[linear::kX])].shape.back() == DimExpr(op.ints[conv::kChannels]);
}

// Where planes of an image are read as they are. Few filters have whole vectors of a row's outputs to themselves then (direct_planes.h), which is worth to
// walk through more planes.
bool reads_planes(const TargetProgram& p, const TargetOp& op) {
  constexpr int64_t kMostFilters = 8, kMostPlanesOfFew = 64;
  const auto filters = p.values[static_cast<size_t>(op.inputs[linear::kWeights])].data.dims()[1];
  return op.ints[conv::kChannels] <= (filters >= 4 && filters <= kMostFilters ? kMostPlanesOfFew : kMostPlanes);
}

}  // namespace

int pass_direct_conv(TargetProgram& p, const ProgramPassOptions&) {
  int taken = 0;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    TargetOp& op = p.ops[i];
    if (!is_fp32(p, op)) continue;
    const int image = reads_planes(p, op) ? channels_first(p, op.inputs[linear::kX]) : -1;
    std::vector<int32_t> ints(direct::kFirstWindowInt);
    ints[direct::kActivation] = op.ints[conv::kActivation];
    ints[direct::kChannelsFirst] = image >= 0 ? 1 : 0;
    ints.insert(ints.end(), op.ints.begin() + conv::kWindow, op.ints.end());
    if (!reads_all_channels(p, op)) ints.push_back(op.ints[conv::kFirstChannel]);
    op.inputs = {image >= 0 ? image : op.inputs[linear::kX], op.inputs[linear::kWeights], op.inputs[linear::kBias]};
    op.ints = ints;
    op.code = OpCode::kDirectConv;
    take_least(p, i);
    ++taken;
  }
  if (taken > 0) p.remove_dead();
  return taken;
}

}  // namespace edgeconv
