// Changes of convolutions that stay whole: window, sizes, operands and their contents together, so that what is tried is how an op runs at the
// edges of its geometry, and not only what prepare refuses. See program_mutator.h.
#include "kernels_int8/contract/packed_layout.h"
#include "tests/fuzz/fitted_operands.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

using testing::BlobSpec;
namespace cnv = params::conv;
namespace direct = params::direct_conv;
namespace dw = params::depthwise_conv;
namespace lin = params::linear;
namespace wide = params::wide_conv;
namespace win = params::window;

// Any int16, and what pads runs of odd length is no zero: neither may count.
void set_wide_weights(BlobSpec* s, RandomNumbers* r, BlobSpec::Value* weights, int64_t n, int64_t depth) {
  weights->dtype = params::kPackedN16K2;
  set_shape(s, weights, {n, depth});
  fill_constant(s, r, weights, kernels::packed_bytes(kernels::Layout::kN16K2, static_cast<size_t>(n), static_cast<size_t>(depth)), false);
}

// Values of a column of WideConv's weights, from what op_params.h says of them.
int64_t wide_depth(const DrawnAxis* axes, size_t n_axes, int64_t channels) {
  const int32_t *rows = axes[0].ints, *columns = axes[n_axes - 1].ints;
  if (n_axes == 1) return rows[win::kKernel] * (channels + channels % 2);
  const int64_t values = columns[win::kKernel] * channels;
  if (columns[win::kDilation] == 1) return rows[win::kKernel] * (values + values % 2);
  return int64_t{rows[win::kKernel]} * columns[win::kKernel] * (channels + channels % 2);
}

void set_conv_operands(BlobSpec* s, RandomNumbers* r, BlobSpec::Op* op, int64_t n, int64_t k, bool two_axes) {
  int32_t* ints = op->ints.data();
  BlobSpec::Value* weights = operand(s, op->inputs, lin::kWeights);
  if (weights == nullptr) return;
  if (ints[cnv::kPrecision] == lin::kF32) {
    set_shape(s, weights, {k, n});
    fill_constant(s, r, weights, 4 * static_cast<size_t>(n * k), true);
  } else if (operand(s, op->inputs, lin::kColsum) == nullptr || r->integer(0, 3) == 0) {
    ints[cnv::kPrecision] = lin::kW12A13;
    if (op->inputs.size() > lin::kColsum) op->inputs[lin::kColsum] = -1;
    set_wide_weights(s, r, weights, n, k);
  } else {
    ints[cnv::kPrecision] = r->integer(0, 2) == 0 ? lin::kInt8A16 : lin::kInt8;
    weights->dtype = static_cast<uint8_t>(r->integer(params::kPackedN16K4, params::kPackedN2K16));
    set_shape(s, weights, {n, k});
    fill_constant(s, r, weights,
                  kernels::packed_bytes(params::kernel_layout(weights->dtype), static_cast<size_t>(n), static_cast<size_t>(k)),
                  false);
  }
  const bool shares = ints[cnv::kPrecision] == lin::kInt8 && two_axes && ints[cnv::kChannels] % 4 == 0;
  ints[cnv::kSharedColumns] = shares && r->integer(0, 2) != 0 ? r->integer(1, 9) : 0;
  if (shares && r->integer(0, 9) == 0) ints[cnv::kSharedColumns] = static_cast<int32_t>(odd_number(r, cnv::kMostSharedColumns));
  set_vector(s, r, *op, lin::kBias, n);
  set_vector(s, r, *op, lin::kScale, n);
  set_vector(s, r, *op, lin::kColsum, n);
  set_vector(s, r, *op, lin::kInvSmooth, ints[cnv::kSharedColumns] != 0 ? ints[cnv::kChannels] : k);
}

}  // namespace

bool change_window(BlobSpec* s, RandomNumbers* r) {
  for (BlobSpec::Op& op : s->ops) {
    const bool depthwise = op.code == params::OpCode::kDepthwiseConv;
    const bool in_place = op.code == params::OpCode::kDirectConv, is_wide = op.code == params::OpCode::kWideConv;
    if (!depthwise && !in_place && !is_wide && op.code != params::OpCode::kConv) continue;
    const size_t first = depthwise  ? static_cast<size_t>(dw::kFirstWindowInt)
                         : in_place ? static_cast<size_t>(direct::kFirstWindowInt)
                         : is_wide  ? static_cast<size_t>(wide::kFirstWindowInt)
                                    : static_cast<size_t>(cnv::kWindow);
    BlobSpec::Value *x = operand(s, op.inputs, 0), *out = operand(s, op.outputs, 0);
    DrawnAxis axes[win::kMostAxes];
    const size_t n_axes = static_cast<size_t>(r->integer(1, win::kMostAxes));
    if (x == nullptr || out == nullptr || op.ints.size() < first) continue;
    for (size_t i = 0; i < n_axes; ++i)
      if (!draw_axis(r, &axes[i])) return false;
    op.ints.resize(first);
    int64_t positions = 1;
    for (size_t i = 0; i < n_axes; ++i) {
      op.ints.insert(op.ints.end(), axes[i].ints, axes[i].ints + win::kAxisInts);
      positions *= axes[i].ints[win::kKernel];
    }
    const int64_t batch = r->integer(1, 2);
    const bool fours = r->integer(0, 1) != 0;
    int64_t channels = fours ? 4 * r->integer(1, 5) : r->integer(1, 35), outs = r->integer(1, 35);
    if (depthwise) {
      outs = channels;
      set_shape(s, operand(s, op.inputs, dw::kWeights), {positions, channels});
      fill_constant(s, r, operand(s, op.inputs, dw::kWeights), 4 * static_cast<size_t>(positions * channels), true);
      set_vector(s, r, op, dw::kBias, channels);
    } else if (in_place) {
      op.ints[direct::kChannelsFirst] = r->integer(0, 1);
      set_shape(s, operand(s, op.inputs, direct::kWeights), {positions * channels, outs});
      fill_constant(s, r, operand(s, op.inputs, direct::kWeights), 4 * static_cast<size_t>(positions * channels * outs), true);
      set_vector(s, r, op, direct::kBias, outs);
    } else if (is_wide) {
      BlobSpec::Value* weights = operand(s, op.inputs, wide::kWeights);
      if (weights == nullptr) continue;
      set_wide_weights(s, r, weights, outs, wide_depth(axes, n_axes, channels));
      set_vector(s, r, op, wide::kScale, outs);
      set_vector(s, r, op, wide::kBias, outs);
    } else {
      const bool all = r->integer(0, 1) != 0;
      const int32_t from = all ? 0 : r->integer(0, static_cast<int>(channels) - 1);
      const int32_t count = all ? static_cast<int32_t>(channels) : r->integer(1, static_cast<int>(channels) - from);
      op.ints[cnv::kFirstChannel] = from;
      op.ints[cnv::kChannels] = count;
      if (operand(s, op.inputs, lin::kWeights) == nullptr) outs = positions * count;
      set_conv_operands(s, r, &op, outs, positions * count, n_axes == 2);
    }
    const bool channels_first = in_place && op.ints[direct::kChannelsFirst] == 1;
    if (n_axes == 1) {
      if (channels_first) {
        set_shape(s, x, {batch, channels, axes[0].size});
      } else {
        set_shape(s, x, {batch, axes[0].size, channels});
      }
      set_shape(s, out, {batch, axes[0].out, outs});
    } else {
      if (channels_first) {
        set_shape(s, x, {batch, channels, axes[0].size, axes[1].size});
      } else {
        set_shape(s, x, {batch, axes[0].size, axes[1].size, channels});
      }
      set_shape(s, out, {batch, axes[0].out, axes[1].out, outs});
    }
    plan_anew(s);
    return true;
  }
  return false;
}

}  // namespace ert::fuzz
