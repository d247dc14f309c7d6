// The activations of LSTM, GRU and RNN, as attributes name them.
#pragma once

#include <string>
#include <vector>

#include "convert/interp/eval.h"

namespace edgeconv {

struct Activation {
  std::string name;
  float alpha, beta;
};

// Of all gates of all directions, with the defaults where the file gives none.
std::vector<Activation> activations_of(const RnnAttrs& a, size_t directions);

// dst[i] = f(src[i]); in place if the two are one. By rows, as the kernels have the usual ones.
void activate(const NodeInputs& c, const Activation& f, int64_t count, const float* src, float* dst);

}  // namespace edgeconv
