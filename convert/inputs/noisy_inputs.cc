// See noisy_inputs.h.
#include "convert/inputs/noisy_inputs.h"

#include "convert/inputs/random.h"

namespace edgeconv {

namespace {

constexpr float kNoise = 1e-4f;  // a tenth of a step of 12 bits
constexpr uint64_t kNoiseSeed = 9001;

}  // namespace

std::vector<Tensor> noisy_inputs(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> noisy = inputs;
  for (size_t i = 0; i < noisy.size(); ++i) {
    if (!is_float(noisy[i].dtype())) continue;
    const Tensor exact = noisy[i].cast(DType::kFloat);
    Tensor moved(DType::kFloat, exact.dims());
    Random random(kNoiseSeed + i);
    const auto from = exact.as<float>();
    const auto to = moved.mut<float>();
    for (size_t k = 0; k < to.size(); ++k) to[k] = from[k] * (1 + kNoise * random.normal());
    noisy[i] = moved.cast(noisy[i].dtype());
  }
  return noisy;
}

}  // namespace edgeconv
