// Changes of 8-bit maps that stay whole: one op's window, sizes or operands, then every map op behind it is made to fit again, with weights, sums and
// residuals. See program_mutator.h.
#include <algorithm>

#include "kernels_int8/contract/map_kernels.h"
#include "rt/blob/kinds.h"
#include "tests/fuzz/fitted_operands.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

using params::OpCode;
using testing::BlobSpec;
namespace mcv = params::map_conv;
namespace win = params::window;

constexpr int64_t kMostWeights = 16384;  // bytes that fill_constant fills

bool is_map_conv(const BlobSpec::Op& op) { return op.code == OpCode::kMapConv || op.code == OpCode::kMapDepthwiseConv; }
bool is_map_op(const BlobSpec::Op& op) {
  return is_map_conv(op) || op.code == OpCode::kQuantizeMap || op.code == OpCode::kMapToFloat || op.code == OpCode::kMapMaxPool ||
         op.code == OpCode::kMapMean;
}

// A value's sizes as expressions, of which a size that is no constant stays what it is.
using Axes = std::vector<uint32_t>;

struct Fitting {
  BlobSpec* s;
  RandomNumbers* r;
  const BlobSpec::Op* chosen;                     // whose window and weights are drawn anew, null: none
  std::vector<std::pair<int32_t, int32_t>> maps;  // q and scales that ops before have written

  bool one_in(int n) { return r->integer(0, n - 1) == 0; }
  bool is_constant(uint32_t e) { return e < s->exprs.size() && s->exprs[e].kind() == static_cast<uint32_t>(ExprKind::kConstant); }
  int64_t size(uint32_t e) { return std::clamp<int64_t>(s->exprs[e].value(), 0, INT32_MAX); }  // of axes: others are refused
  uint32_t expr_of(int64_t size) { return constant_of(s, size); }
  void give_floats(const std::vector<int32_t>& list, const Axes& axes) {
    if (BlobSpec::Value* v = operand(s, list, 0)) v->shape = axes;
  }
  void give_map(const std::vector<int32_t>& list, size_t at, const Axes& axes) {
    if (list.size() < at + 2 || operand(s, list, at) == nullptr || operand(s, list, at + 1) == nullptr) return;
    operand(s, list, at)->shape = axes;
    operand(s, list, at + 1)->shape = {axes[0], axes[1], expr_of(2)};
    maps.emplace_back(list[at], list[at + 1]);
  }
};

// Whether the window has outputs, few of them, and what the op asks besides. One in ten is left to the op to refuse.
bool suits(Fitting* f, const BlobSpec::Op& op, bool columns, const DrawnAxis& a) {
  if (f->one_in(10)) return true;
  const int32_t kernel = a.ints[win::kKernel], dilation = a.ints[win::kDilation];
  if (a.out > 12 && !f->one_in(8)) return false;
  if (is_map_conv(op)) {
    if (!columns && kernel > static_cast<int32_t>(kernels::kMostMapRows)) return false;
    if (columns && op.code == OpCode::kMapConv && dilation != 1) return false;
    return !columns || op.code == OpCode::kMapConv || kernel <= mcv::kMostTaps;
  }
  for (int64_t o = 0; o < a.out; ++o) {  // of MapMaxPool, one by one: not the rule that the op knows
    bool inside = false;
    for (int64_t i = 0; i < kernel; ++i) {
      const int64_t at = o * a.ints[win::kStride] - a.ints[win::kBegin] + i * dilation;
      inside = inside || (at >= 0 && at < a.size);
    }
    if (!inside) return false;
  }
  return true;
}

// Writes the axis' window to ints and gives the expression of its outputs. A size that varies gets a window that keeps it.
uint32_t fit_axis(Fitting* f, const BlobSpec::Op& op, bool columns, uint32_t size, int32_t* ints) {
  if (!f->is_constant(size)) {
    const int32_t kernel = f->r->integer(1, 4), dilation = columns && op.code == OpCode::kMapConv ? 1 : f->r->integer(1, 3);
    const int32_t reach = dilation * (kernel - 1), begin = f->r->integer(0, reach);
    if (&op == f->chosen) std::copy_n(std::begin({kernel, 1, dilation, begin, reach - begin}), win::kAxisInts, ints);
    return size;
  }
  DrawnAxis a;
  a.size = f->size(size);
  std::copy(ints, ints + win::kAxisInts, a.ints);
  bool good = &op != f->chosen && a.has_outputs() && suits(f, op, columns, a);
  for (int tries = 0; tries < 20 && !good; ++tries) {
    good = f->size(size) > 0 && draw_axis(f->r, &a, f->size(size)) && suits(f, op, columns, a);
  }
  if (!good) {
    a = DrawnAxis();
    a.out = f->size(size);
  }
  std::copy(a.ints, a.ints + win::kAxisInts, ints);
  return f->expr_of(a.out);
}

// A map of that shape that was written before, or none.
void fit_residual(Fitting* f, BlobSpec::Op* op, const Axes& axes, int64_t n) {
  if (op->inputs.size() < mcv::kInputCount) return;
  int32_t* residual = op->inputs.data() + mcv::kResidual;
  std::vector<std::pair<int32_t, int32_t>> fitting;
  for (const auto& map : f->maps)
    if (f->s->values[static_cast<size_t>(map.first)].shape == axes) fitting.push_back(map);
  if (fitting.empty() || f->one_in(6)) {
    std::fill(residual, residual + 3, -1);
    return;
  }
  const auto& map = fitting[f->r->bits() % fitting.size()];
  residual[0] = map.first;
  residual[1] = map.second;
  set_vector(f->s, f->r, *op, mcv::kResidualFactors, n);
}

void fit_conv(Fitting* f, BlobSpec::Op* op, const Axes& x) {
  const bool depthwise = op->code == OpCode::kMapDepthwiseConv;
  if (op->inputs.size() <= mcv::kColsum || op->ints.size() < mcv::kIntCount || !f->is_constant(x[3])) return;
  int32_t* ints = op->ints.data() + mcv::kFirstWindowInt;
  Axes out = {x[0], fit_axis(f, *op, false, x[1], ints), fit_axis(f, *op, true, x[2], ints + win::kAxisInts), x[3]};
  const int64_t channels = std::min(f->size(x[3]), kMostWeights), rows = ints[win::kKernel],
                columns = ints[win::kAxisInts + win::kKernel];
  const int64_t depth = depthwise ? columns : columns * channels;
  BlobSpec::Value *weights = operand(f->s, op->inputs, mcv::kWeights), *scale = operand(f->s, op->inputs, mcv::kScale);
  if (weights == nullptr || scale == nullptr || rows < 1 || rows > 100 || depth < 1 || depth > kMostWeights) return;
  int64_t n = depthwise ? channels : scale->shape.size() == 1 && f->is_constant(scale->shape[0]) ? f->size(scale->shape[0]) : 1;
  if (!depthwise && op == f->chosen) n = f->r->integer(1, f->one_in(4) ? 70 : 20);
  const auto padded = [&] { return rows * static_cast<int64_t>(kernels::map_columns(static_cast<size_t>(n))); };
  if (!depthwise && padded() * (depth + 16) > kMostWeights) n = f->r->integer(1, 16);
  if (n < 1 || padded() * (depth + 16) > kMostWeights) return;
  if (op == f->chosen && !depthwise)
    weights->dtype = static_cast<uint8_t>(f->r->integer(params::kPackedN16K4, params::kPackedN2K16));
  set_shape(f->s, weights, {padded(), depth});
  if (params::is_known_layout(weights->dtype)) {
    fill_constant(
        f->s, f->r, weights,
        kernels::packed_bytes(params::kernel_layout(weights->dtype), static_cast<size_t>(padded()), static_cast<size_t>(depth)),
        false);
  }
  set_vector(f->s, f->r, *op, mcv::kScale, n);
  set_vector(f->s, f->r, *op, mcv::kColsum, padded());
  for (const size_t vector : {mcv::kBias, mcv::kFactors}) {
    if (op == f->chosen && vector < op->inputs.size() && op->outputs.size() == 2 && f->one_in(4)) op->inputs[vector] = -1;
    set_vector(f->s, f->r, *op, vector, n);
  }
  if (op == f->chosen) {
    const bool leaky = f->one_in(8);
    op->ints[mcv::kActivation] =
        leaky ? static_cast<int32_t>(params::unary::kLeakyRelu) : f->r->integer(-1, static_cast<int>(kernels::Unary::kCount) - 1);
    op->floats.assign(leaky ? 1 : 0, odd_float(f->r));
  }
  out[3] = f->expr_of(n);
  fit_residual(f, op, out, n);
  if (op->outputs.size() == 2) {
    f->give_map(op->outputs, 0, out);
  } else {
    f->give_floats(op->outputs, out);
  }
}

void fit_op(Fitting* f, BlobSpec::Op* op) {
  BlobSpec::Value* first = operand(f->s, op->inputs, 0);
  if (first == nullptr || first->shape.size() != 4) return;
  if (op == f->chosen && op->code == OpCode::kQuantizeMap) {
    const bool stays = f->one_in(2);
    first->shape = {stays ? first->shape[0] : f->expr_of(f->r->integer(1, 3)),
                    stays ? first->shape[1] : f->expr_of(f->r->integer(f->one_in(20) ? 0 : 1, 9)),
                    f->expr_of(f->r->integer(f->one_in(20) ? 0 : 1, 9)), f->expr_of(f->r->integer(1, f->one_in(4) ? 35 : 9))};
  }
  const Axes x = first->shape;
  for (const uint32_t e : x)
    if (e >= f->s->exprs.size()) return;
  const auto factors = [&](size_t at) {
    if (f->is_constant(x[3])) set_vector(f->s, f->r, *op, at, f->size(x[3]));
  };
  switch (op->code) {
    case OpCode::kQuantizeMap: f->give_map(op->outputs, 0, x); return factors(params::quantize_map::kFactors);
    case OpCode::kMapToFloat: f->give_floats(op->outputs, x); return factors(params::map_to_float::kFactors);
    case OpCode::kMapMean:
      f->give_floats(op->outputs, f->one_in(2) ? Axes{x[0], x[3]} : Axes{x[0], f->expr_of(1), f->expr_of(1), x[3]});
      return factors(params::map_mean::kFactors);
    case OpCode::kMapMaxPool: {
      if (op->ints.size() < params::map_max_pool::kIntCount) return;
      const uint32_t rows = fit_axis(f, *op, false, x[1], op->ints.data());
      return f->give_map(op->outputs, 0, {x[0], rows, fit_axis(f, *op, true, x[2], op->ints.data() + win::kAxisInts), x[3]});
    }
    default: fit_conv(f, op, x);
  }
}

}  // namespace

bool change_maps(BlobSpec* s, RandomNumbers* r) {
  std::vector<size_t> ops;
  for (size_t i = 0; i < s->ops.size(); ++i)
    if (is_map_op(s->ops[i])) ops.push_back(i);
  if (ops.empty()) return false;
  Fitting f{s, r, &s->ops[ops[r->bits() % ops.size()]], {}};
  for (const size_t i : ops) fit_op(&f, &s->ops[i]);
  plan_anew(s);
  return true;
}

}  // namespace ert::fuzz
