// One step of an LSTM or GRU cell with its usual activations, after the products with the recurrent weights.
#include "kernels_int8/kernel_table.h"
#include "kernels_int8/ref/elementary.h"

namespace ert::kernels {

void lstm_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h) {
  for (size_t i = 0; i < n; ++i) {
    const auto gate = [&](size_t g) { return F32(gates[g * gate_stride + i]) + F32(projected[g * n + i]); };
    const F32 in = sigmoid(gate(0)), out = sigmoid(gate(1)), forget = sigmoid(gate(2)), candidate = tanh(gate(3));
    const F32 kept = forget * F32(c[i]), added = in * candidate;
    const F32 state = kept + added;
    c[i] = to_float(state);
    h[i] = to_float(out * tanh(state));
  }
}

void gru_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h) {
  for (size_t i = 0; i < n; ++i) {
    const auto gate = [&](size_t g) { return F32(gates[g * gate_stride + i]) + F32(projected[g * n + i]); };
    const F32 update = sigmoid(gate(0)), reset = sigmoid(gate(1));
    const F32 scaled = reset * F32(gates[2 * gate_stride + i]);
    const F32 candidate = tanh(scaled + F32(projected[2 * n + i]));
    const F32 fresh = (F32(1.0f) - update) * candidate, kept = update * F32(h[i]);
    h[i] = to_float(fresh + kept);
  }
}

}  // namespace ert::kernels
