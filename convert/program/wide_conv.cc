// Convolutions in W12A13 that read their map in place (WideConv), instead of patches that are each quantized.
#include "convert/program/wide_conv.h"

#include <cstring>
#include <vector>

#include "convert/program/least_value.h"
#include "convert/program/program_pass.h"
#include "kernels_int8/contract/wide_kernels.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace conv = ert::params::conv;
namespace linear = ert::params::linear;
namespace wide = ert::params::wide_conv;
namespace window = ert::params::window;
using ert::params::OpCode;

// Rows of the kernel at the distance of its dilation are held in 16 bits: no more than so many, or patches take less memory.
constexpr int64_t kMostReach = 64;

// Values of a run: params::wide_conv.
int64_t run_of(const TargetOp& op, bool two_axes) {
  const int32_t* columns = op.ints.data() + conv::kWindow + window::kAxisInts;
  return two_axes && columns[window::kDilation] == 1 ? int64_t{columns[window::kKernel]} * op.ints[conv::kChannels]
                                                     : op.ints[conv::kChannels];
}

int64_t even(int64_t run) { return 2 * static_cast<int64_t>(ert::kernels::wide_pairs(static_cast<size_t>(run))); }

// The k values of each of n columns as runs, each padded with a zero to an even number.
Tensor by_runs(const Tensor& packed, int64_t n, int64_t k, int64_t run) {
  if (run % 2 == 0) return packed;
  const auto offset = [](int64_t column, int64_t at, int64_t depth) {
    return ert::kernels::packed_offset(ert::kernels::Layout::kN16K2, static_cast<size_t>(column), static_cast<size_t>(at), static_cast<size_t>(depth));
  };
  const int64_t depth = k / run * even(run);
  Tensor moved(DType::kUint8, {static_cast<int64_t>(ert::kernels::packed_bytes(ert::kernels::Layout::kN16K2, static_cast<size_t>(n), static_cast<size_t>(depth)))});
  const uint8_t* from = packed.as<uint8_t>().data();
  uint8_t* to = moved.mutable_data();
  for (int64_t column = 0; column < n; ++column)
    for (int64_t at = 0; at < k; ++at)
      std::memcpy(to + offset(column, at / run * even(run) + at % run, depth), from + offset(column, at, k), sizeof(int16_t));
  return moved;
}

bool in_place(const TargetProgram& p, const TargetOp& op) {
  if (op.code != OpCode::kConv || op.ints[conv::kPrecision] != linear::kW12A13 || op.ints[conv::kFirstChannel] != 0) return false;
  const Shape& x = p.values[static_cast<size_t>(op.inputs[linear::kX])].shape;
  const int32_t* rows = op.ints.data() + conv::kWindow;
  return x.back() == DimExpr(op.ints[conv::kChannels]) && run_of(op, x.size() == 4) >= kLeastWideRun &&
         int64_t{rows[window::kDilation]} * (rows[window::kKernel] - 1) < kMostReach;
}

}  // namespace

int pass_wide_conv(TargetProgram& p, const ProgramPassOptions&) {
  int taken = 0;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    if (!in_place(p, p.ops[i])) continue;
    const TargetValue w = p.values[static_cast<size_t>(p.ops[i].inputs[linear::kWeights])];
    const int64_t n = w.shape[0].evaluate({}).value(), k = w.shape[1].evaluate({}).value();
    const bool two_axes = p.values[static_cast<size_t>(p.ops[i].inputs[linear::kX])].shape.size() == 4;
    const int64_t run = run_of(p.ops[i], two_axes), depth = k / run * even(run);
    if (depth > ert::params::kMaxExactDepth) continue;
    const int weights = p.add_constant(ert::params::kPackedN16K2, {n, depth}, by_runs(w.data, n, k, run));
    TargetOp& op = p.ops[i];
    std::vector<int32_t> ints(wide::kFirstWindowInt, op.ints[conv::kActivation]);
    ints.insert(ints.end(), op.ints.begin() + conv::kWindow, op.ints.end());
    op.inputs = {op.inputs[linear::kX], weights, op.inputs[linear::kScale], op.inputs[linear::kBias]};
    op.ints = ints;
    op.code = OpCode::kWideConv;
    take_least(p, i);
    ++taken;
  }
  if (taken > 0) p.remove_dead();
  return taken;
}

}  // namespace edgeconv
