// Changes of convolutions that stay whole: window, sizes, operands and their contents together, so that what is tried is how an op runs at the
// edges of its geometry, and not only what prepare refuses. See program_mutator.h.
#include <cstring>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/blob/kinds.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

using testing::BlobSpec;
namespace cnv = params::conv;
namespace direct = params::direct_conv;
namespace dw = params::depthwise_conv;
namespace lin = params::linear;
namespace win = params::window;

struct Axis {
  int64_t size, out;
  int32_t ints[win::kAxisInts];
};

// Small for the most part, else as large as the format allows.
int32_t step(RandomNumbers* r) {
  if (r->integer(0, 5) != 0) return r->integer(1, 3);
  return static_cast<int32_t>(odd_number(r, INT32_MAX) & INT32_MAX);
}
int32_t padding(RandomNumbers* r) {
  if (r->integer(0, 5) != 0) return r->integer(-2, 4);
  const int32_t odd = static_cast<int32_t>(odd_number(r, 1 << 30));
  return odd > -(1 << 30) && odd < 1 << 30 ? odd : (1 << 30) - 1;
}

bool draw(RandomNumbers* r, Axis* axis) {
  for (int tries = 0; tries < 30; ++tries) {
    const int32_t kernel = r->integer(0, 7) == 0 ? r->integer(1, 70) : r->integer(1, 4);
    *axis = {r->integer(1, 9), 0, {kernel, step(r), step(r), padding(r), padding(r)}};
    const int64_t reach = int64_t{axis->ints[win::kDilation]} * (kernel - 1) + 1;
    const int64_t span = axis->size + axis->ints[win::kBegin] + axis->ints[win::kEnd] - reach;
    if (axis->ints[win::kStride] < 1 || axis->ints[win::kDilation] < 1 || span < 0) continue;
    axis->out = span / axis->ints[win::kStride] + 1;
    if (axis->out <= 40) return true;
  }
  return false;
}

BlobSpec::Value* operand(BlobSpec* s, const std::vector<int32_t>& list, size_t i) {
  if (i >= list.size() || list[i] < 0 || static_cast<size_t>(list[i]) >= s->values.size()) return nullptr;
  return &s->values[static_cast<size_t>(list[i])];
}

uint32_t constant_of(BlobSpec* s, int64_t size) {
  for (uint32_t i = 0; i < s->exprs.size(); ++i)
    if (s->exprs[i].kind() == static_cast<uint32_t>(ExprKind::kConstant) && s->exprs[i].value() == size) return i;
  return s->constant(size);
}

void set_shape(BlobSpec* s, BlobSpec::Value* v, std::initializer_list<int64_t> sizes) {
  if (v == nullptr) return;
  std::vector<uint32_t> shape;
  for (const int64_t size : sizes) shape.push_back(constant_of(s, size));
  v->shape = shape;
}

// A constant of its own, with contents that are neither 0 nor alike.
void fill(BlobSpec* s, RandomNumbers* r, BlobSpec::Value* v, size_t bytes, bool floats) {
  if (v == nullptr || v->storage != 1 || bytes > 16384) return;
  std::vector<uint8_t> contents(bytes);
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    const float x = r->integer(0, 30) == 0 ? odd_float(r) : r->normal();
    const uint32_t word = static_cast<uint32_t>(r->bits());
    std::memcpy(&contents[i], floats ? static_cast<const void*>(&x) : &word, 4);
  }
  v->index = static_cast<uint32_t>(s->segments.size());
  v->offset = 0;
  s->segments.push_back({contents});
}

void set_vector(BlobSpec* s, RandomNumbers* r, const BlobSpec::Op& op, size_t input, int64_t n) {
  BlobSpec::Value* v = operand(s, op.inputs, input);
  set_shape(s, v, {n});
  fill(s, r, v, 4 * static_cast<size_t>(n), true);
}

void set_conv_operands(BlobSpec* s, RandomNumbers* r, BlobSpec::Op* op, int64_t n, int64_t k, bool two_axes) {
  int32_t* ints = op->ints.data();
  BlobSpec::Value* weights = operand(s, op->inputs, lin::kWeights);
  if (weights == nullptr) return;
  if (ints[cnv::kPrecision] == lin::kF32) {
    set_shape(s, weights, {k, n});
    fill(s, r, weights, 4 * static_cast<size_t>(n * k), true);
  } else {
    ints[cnv::kPrecision] = r->integer(0, 2) == 0 ? lin::kInt8A16 : lin::kInt8;
    weights->dtype = static_cast<uint8_t>(r->integer(params::kPackedN16K4, params::kPackedN2K16));
    set_shape(s, weights, {n, k});
    fill(s, r, weights,
         kernels::packed_bytes(params::kernel_layout(weights->dtype), static_cast<size_t>(n), static_cast<size_t>(k)), false);
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
    const bool in_place = op.code == params::OpCode::kDirectConv;
    if (!depthwise && !in_place && op.code != params::OpCode::kConv) continue;
    const size_t first = depthwise  ? static_cast<size_t>(dw::kFirstWindowInt)
                         : in_place ? static_cast<size_t>(direct::kFirstWindowInt)
                                    : static_cast<size_t>(cnv::kWindow);
    BlobSpec::Value *x = operand(s, op.inputs, 0), *out = operand(s, op.outputs, 0);
    Axis axes[win::kMostAxes];
    const size_t n_axes = static_cast<size_t>(r->integer(1, win::kMostAxes));
    if (x == nullptr || out == nullptr || op.ints.size() < first) continue;
    for (size_t i = 0; i < n_axes; ++i)
      if (!draw(r, &axes[i])) return false;
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
      fill(s, r, operand(s, op.inputs, dw::kWeights), 4 * static_cast<size_t>(positions * channels), true);
      set_vector(s, r, op, dw::kBias, channels);
    } else if (in_place) {
      op.ints[direct::kChannelsFirst] = r->integer(0, 1);
      set_shape(s, operand(s, op.inputs, direct::kWeights), {positions * channels, outs});
      fill(s, r, operand(s, op.inputs, direct::kWeights), 4 * static_cast<size_t>(positions * channels * outs), true);
      set_vector(s, r, op, direct::kBias, outs);
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
