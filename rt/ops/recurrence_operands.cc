#include "rt/ops/recurrence_operands.h"

#include "rt/ops/linear_parts.h"
#include "rt/ops/operand_checks.h"

namespace ert::ops {
namespace {

namespace rec = params::recurrence;
namespace lin = params::linear;

constexpr int64_t kGateAlign = 16;   // columns of an N16K4 panel: every gate starts a panel
constexpr int kGates[] = {4, 3, 1};  // by Kind

bool parameters_ok(const OpContext& c) {
  if (c.ints[rec::kKind] < rec::kLstm || c.ints[rec::kKind] > rec::kRnn) return false;
  const int32_t precision = c.ints[rec::kPrecision], direction = c.ints[rec::kDirection];
  if (!precision_ok(precision)) return false;
  if (direction < rec::kForward || direction > rec::kBidirectional) return false;
  const uint32_t directions = direction == rec::kBidirectional ? 2 : 1;
  if (c.n_ints != rec::kFirstActivation + directions * rec::kActivationCount) return false;
  if (!is_flag(c.ints[rec::kLinearBeforeReset]) || !is_flag(c.ints[rec::kInputForget])) return false;
  for (uint32_t i = rec::kFirstActivation; i < c.n_ints; ++i) {
    if (c.ints[i] < 0 || c.ints[i] >= static_cast<int32_t>(kernels::Unary::kCount)) return false;
  }
  return is_finite(c.floats[rec::kClip]) && c.floats[rec::kClip] >= 0.0f;
}

bool is_f32_of(const Operand& o, int64_t a, int64_t b, int64_t d) {
  return is_f32(o) && o.rank == 3 && o.dims[0] == a && o.dims[1] == b && o.dims[2] == d;
}
bool is_f32_of(const Operand& o, int64_t a, int64_t b) { return is_f32(o) && o.rank == 2 && o.dims[0] == a && o.dims[1] == b; }

bool data_ok(const OpContext& c) {
  const Operand& last_h = output(c, 1);
  if (!is_f32(last_h) || last_h.rank != 3 || last_h.dims[2] < 1 || input(c, rec::kProjected).rank != 3) return false;
  const RecurrenceSizes s = recurrence_sizes(c);
  const bool lstm = c.ints[rec::kKind] == rec::kLstm;
  if (s.directions != (c.ints[rec::kDirection] == rec::kBidirectional ? 2 : 1) || last_h.dims[1] != s.batch) return false;
  if (s.hidden > params::kMaxExactDepth ||
      !is_f32_of(input(c, rec::kProjected), s.steps, s.batch, s.directions * s.gates * s.hidden))
    return false;
  if (!is_f32_of(output(c, 0), s.steps, s.batch, s.directions * s.hidden)) return false;
  if (c.n_outputs != (lstm ? 3u : 2u) || (lstm && !same_shape(output(c, 2), last_h)) || (lstm && !is_f32(output(c, 2))))
    return false;
  const Operand &lengths = input(c, rec::kLengths), &h = input(c, rec::kInitialH), &cell = input(c, rec::kInitialC);
  const Operand& peepholes = input(c, rec::kPeepholes);
  if (lengths.present() && (!is_i32(lengths) || !is_vector(lengths, s.batch))) return false;
  if (h.present() && (!is_f32(h) || !same_shape(h, last_h))) return false;
  if (cell.present() && (!lstm || !is_f32(cell) || !same_shape(cell, last_h))) return false;
  return !peepholes.present() || (lstm && is_f32_of(peepholes, s.directions, rec::kPeepholeCount * s.hidden));
}

bool weights_ok(const OpContext& c, const RecurrenceSizes& s, int64_t direction) {
  const Operand &w = recurrence_weight(c, direction, rec::kWeights), &bias = recurrence_weight(c, direction, rec::kBias);
  const Operand &scale = recurrence_weight(c, direction, rec::kScale), &colsum = recurrence_weight(c, direction, rec::kColsum);
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, s.columns()))) return false;
  if (c.ints[rec::kPrecision] == lin::kF32) return is_f32_of(w, s.hidden, s.columns()) && !scale.present() && !colsum.present();
  const int32_t precision = c.ints[rec::kPrecision];
  if (!lin::has_layout(precision, w.dtype) || w.dtype != recurrence_weight(c, 0, rec::kWeights).dtype || !w.constant ||
      reinterpret_cast<uintptr_t>(w.data) % ERT_BLOB_ALIGN != 0)
    return false;
  if (w.rank != 2 || w.dims[0] != s.columns() || w.dims[1] != s.hidden) return false;
  if (!is_f32(scale) || !is_vector(scale, s.columns())) return false;
  return lin::has_int8_weights(precision) ? is_i32(colsum) && is_vector(colsum, s.columns()) : !colsum.present();
}

}  // namespace

RecurrenceSizes recurrence_sizes(const OpContext& c) {
  const Operand &projected = input(c, rec::kProjected), &last_h = output(c, 1);
  const int64_t hidden = last_h.dims[2];
  return {projected.dims[0],
          projected.dims[1],
          last_h.dims[0],
          hidden,
          kGates[c.ints[rec::kKind]],
          (hidden + kGateAlign - 1) / kGateAlign * kGateAlign};
}

const Operand& recurrence_weight(const OpContext& c, int64_t direction, int which) {
  return input(c, static_cast<uint32_t>(rec::kFirstWeights + direction * rec::kWeightInputCount + which));
}

bool recurrence_operands_ok(const OpContext& c) {
  if (!parameters_ok(c) || !data_ok(c)) return false;
  const RecurrenceSizes s = recurrence_sizes(c);
  if (c.n_inputs > rec::kFirstWeights + static_cast<uint32_t>(s.directions) * rec::kWeightInputCount) return false;
  for (int64_t d = 0; d < s.directions; ++d) {
    if (!weights_ok(c, s, d)) return false;
  }
  return true;
}

}  // namespace ert::ops
