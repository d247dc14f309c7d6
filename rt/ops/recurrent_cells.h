// One step of one row through an LSTM, GRU or simple RNN cell, after the products with the recurrent weights. All fp32.
#pragma once

#include <stdint.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::ops {

// Gate g of a row starts at gates + g * gate_stride (products of the state, with bias) and projected + g * hidden (products
// of the input). gates is overwritten.
struct RecurrentCell {
  const kernels::KernelTable* kernels;
  int64_t hidden, gate_stride;
  const int32_t* activations;  // three kernels::Unary: f, g, h of ONNX
  float clip;                  // 0 = none
  const float* peepholes;      // LSTM: [3 * hidden] for i, o, f; or null
  bool linear_before_reset;    // GRU
  bool input_forget;           // LSTM: the forget gate is 1 - input gate
};

void lstm_step(const RecurrentCell& cell, const float* projected, float* gates, float* h, float* c);
void rnn_step(const RecurrentCell& cell, const float* projected, float* gates, float* h);

// A GRU without linear_before_reset multiplies the reset state by weights in between: gru_gates leaves update and reset in
// gates 0 and 1, and then reset * h in gate 2; its product replaces it before gru_step.
void gru_gates(const RecurrentCell& cell, const float* projected, float* gates, const float* h);
void gru_step(const RecurrentCell& cell, const float* projected, float* gates, float* h);

}  // namespace ert::ops
