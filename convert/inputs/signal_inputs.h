// Tensors of made-up sound, spectra and images, laid out as an input has them.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/dims/input_kinds.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

// Rows of up to this many samples that belong together are one stream.
constexpr int64_t kShortWaveform = 2048;

struct SignalLayout {
  uint64_t seed = 1;
  size_t steps = 1;            // tensors that continue each other
  bool rows_continue = false;  // each row continues the one before, not the same row of the tensor before
};

// `steps` tensors of fp32 with these dims. Rows (the leading axis) differ in level, and in units where the graph does not tell them.
std::vector<Tensor> signal_tensors(const InputNature& nature, const std::vector<int64_t>& dims, const SignalLayout& layout);

}  // namespace edgeconv
