// Gate arithmetic of the recurrent cells: every multiplication and addition rounded apart, activations by the canonical
// kernels. Cells in their usual form are one kernel; what follows here is the same arithmetic for all other forms. The order of operations is that of rt/ops/README.md.
#include "rt/ops/recurrent_cells.h"

#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {
namespace {

void add(int64_t n, float* gate, const float* projected) {
  for (int64_t i = 0; i < n; ++i) gate[i] = plus(gate[i], projected[i]);
}

void add_peephole(int64_t n, float* gate, const float* weights, const float* c) {
  for (int64_t i = 0; i < n; ++i) gate[i] = plus(gate[i], times(weights[i], c[i]));
}

void clip_gate(const RecurrentCell& cell, float* gate) {
  if (!less(0.0f, cell.clip)) return;
  for (int64_t i = 0; i < cell.hidden; ++i) {
    const float low = less(gate[i], -cell.clip) ? -cell.clip : gate[i];
    gate[i] = less(cell.clip, low) ? cell.clip : low;
  }
}

bool is_usual(const RecurrentCell& cell, kernels::Unary first, kernels::Unary second) {
  return equal(cell.clip, 0.0f) && cell.activations[0] == static_cast<int32_t>(first) &&
         cell.activations[1] == static_cast<int32_t>(second);
}

bool is_exact(const RecurrentCell& cell) { return is_usual(cell, kernels::Unary::kSigmoid, kernels::Unary::kTanh); }
bool is_coarse(const RecurrentCell& cell) { return is_usual(cell, kernels::Unary::kSigmoidCoarse, kernels::Unary::kTanhCoarse); }

// Cells that a kernel computes in one pass, given their activations.
bool is_usual_lstm(const RecurrentCell& cell) {
  return cell.activations[2] == cell.activations[1] && cell.peepholes == nullptr && !cell.input_forget;
}
bool gru_in_one_pass(const RecurrentCell& cell) { return cell.linear_before_reset && (is_exact(cell) || is_coarse(cell)); }

// Columns [0, n) of a gate, or of neighbouring gates with the padding between them.
void activate(const RecurrentCell& cell, int which, int64_t n, const float* src, float* dst) {
  cell.kernels->unary[cell.activations[which]](static_cast<size_t>(n), src, dst);
}

}  // namespace

void lstm_step(const RecurrentCell& cell, const float* projected, float* gates, float* h, float* c) {
  const int64_t n = cell.hidden, stride = cell.gate_stride;
  const size_t count = static_cast<size_t>(n), gate_stride = static_cast<size_t>(stride);
  if (is_usual_lstm(cell)) {
    if (is_exact(cell)) return cell.kernels->lstm_step(count, gates, gate_stride, projected, c, h);
    if (is_coarse(cell)) return cell.kernels->lstm_step_coarse(count, gates, gate_stride, projected, c, h);
  }
  float *const in = gates, *const out = gates + stride, *const forget = gates + 2 * stride, *const candidate = gates + 3 * stride;
  for (int64_t g = 0; g < 4; ++g) add(n, gates + g * stride, projected + g * n);
  if (cell.peepholes != nullptr) {
    add_peephole(n, in, cell.peepholes, c);
    add_peephole(n, forget, cell.peepholes + 2 * n, c);
  }
  clip_gate(cell, in);
  clip_gate(cell, forget);
  clip_gate(cell, candidate);
  activate(cell, 0, n, in, in);
  activate(cell, 1, n, candidate, candidate);
  if (cell.input_forget) {
    for (int64_t i = 0; i < n; ++i) forget[i] = minus(1.0f, in[i]);
  } else {
    activate(cell, 0, n, forget, forget);
  }
  for (int64_t i = 0; i < n; ++i) c[i] = plus(times(forget[i], c[i]), times(in[i], candidate[i]));
  if (cell.peepholes != nullptr) add_peephole(n, out, cell.peepholes + n, c);
  clip_gate(cell, out);
  activate(cell, 0, n, out, out);
  activate(cell, 2, n, c, candidate);
  for (int64_t i = 0; i < n; ++i) h[i] = times(out[i], candidate[i]);
}

void rnn_step(const RecurrentCell& cell, const float* projected, float* gates, float* h) {
  add(cell.hidden, gates, projected);
  clip_gate(cell, gates);
  activate(cell, 0, cell.hidden, gates, h);
}

void gru_gates(const RecurrentCell& cell, const float* projected, float* gates, const float* h) {
  if (gru_in_one_pass(cell)) return;  // all of it is in gru_step
  const int64_t n = cell.hidden, stride = cell.gate_stride;
  for (int64_t g = 0; g < 2; ++g) {
    float* gate = gates + g * stride;
    add(n, gate, projected + g * n);
    clip_gate(cell, gate);
    activate(cell, 0, n, gate, gate);
  }
  const float* reset = gates + stride;
  float* scaled = gates + 2 * stride;
  if (cell.linear_before_reset) {
    for (int64_t i = 0; i < n; ++i) scaled[i] = times(reset[i], scaled[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) scaled[i] = times(reset[i], h[i]);
  }
}

void gru_step(const RecurrentCell& cell, const float* projected, float* gates, float* h) {
  const int64_t n = cell.hidden;
  const size_t count = static_cast<size_t>(n), gate_stride = static_cast<size_t>(cell.gate_stride);
  if (gru_in_one_pass(cell)) {
    if (is_exact(cell)) return cell.kernels->gru_step(count, gates, gate_stride, projected, h);
    return cell.kernels->gru_step_coarse(count, gates, gate_stride, projected, h);
  }
  const float* update = gates;
  float* candidate = gates + 2 * cell.gate_stride;
  add(n, candidate, projected + 2 * n);
  clip_gate(cell, candidate);
  activate(cell, 1, n, candidate, candidate);
  for (int64_t i = 0; i < n; ++i) h[i] = plus(times(minus(1.0f, update[i]), candidate[i]), times(update[i], h[i]));
}

}  // namespace ert::ops
