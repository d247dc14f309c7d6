// One step of an LSTM or GRU cell with its usual activations, exact or coarse, after the products with the recurrent weights.
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/elementary.h"

namespace ert::kernels {
namespace {

template <F32 (*sigmoid_of)(F32), F32 (*tanh_of)(F32)>
void lstm_row(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h) {
  for (size_t i = 0; i < n; ++i) {
    const auto gate = [&](size_t g) { return F32(gates[g * gate_stride + i]) + F32(projected[g * n + i]); };
    const F32 in = sigmoid_of(gate(0)), out = sigmoid_of(gate(1)), forget = sigmoid_of(gate(2)), candidate = tanh_of(gate(3));
    const F32 kept = forget * F32(c[i]), added = in * candidate;
    const F32 state = kept + added;
    c[i] = to_float(state);
    h[i] = to_float(out * tanh_of(state));
  }
}

template <F32 (*sigmoid_of)(F32), F32 (*tanh_of)(F32)>
void gru_row(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h) {
  for (size_t i = 0; i < n; ++i) {
    const auto gate = [&](size_t g) { return F32(gates[g * gate_stride + i]) + F32(projected[g * n + i]); };
    const F32 update = sigmoid_of(gate(0)), reset = sigmoid_of(gate(1));
    const F32 scaled = reset * F32(gates[2 * gate_stride + i]);
    const F32 candidate = tanh_of(scaled + F32(projected[2 * n + i]));
    const F32 fresh = (F32(1.0f) - update) * candidate, kept = update * F32(h[i]);
    h[i] = to_float(fresh + kept);
  }
}

}  // namespace

void lstm_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h) {
  lstm_row<sigmoid, tanh>(n, gates, gate_stride, projected, c, h);
}
void gru_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h) {
  gru_row<sigmoid, tanh>(n, gates, gate_stride, projected, h);
}
void lstmcoarse_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h) {
  lstm_row<sigmoid_coarse, tanh_coarse>(n, gates, gate_stride, projected, c, h);
}
void grucoarse_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h) {
  gru_row<sigmoid_coarse, tanh_coarse>(n, gates, gate_stride, projected, h);
}

}  // namespace ert::kernels
