// An observer of the canonical interpreter.
#include "convert/quantize/layer_samples.h"

#include <algorithm>
#include <cmath>

#include "convert/interp/interpreter.h"

namespace edgeconv {

namespace {

constexpr int64_t kRows = 64;  // enough to rank layers

void widen(std::vector<float>& amax, const Tensor& x) {
  const size_t k = static_cast<size_t>(x.dims().back());
  amax.resize(k, 0.0f);
  const auto data = x.as<float>();
  for (size_t i = 0; i < data.size(); i += k)
    for (size_t j = 0; j < k; ++j) amax[j] = std::max(amax[j], std::fabs(data[i + j]));
}

// The first rows of one block of `width` columns, where a row of x holds `blocks` of them.
Tensor first_rows(const Tensor& x, int64_t width, int64_t blocks, int64_t block) {
  const int64_t rows = std::min(kRows, x.elements() / (width * blocks));
  Tensor part(DType::kFloat, {rows, width});
  const auto to = part.mut<float>();
  for (int64_t i = 0; i < rows; ++i)
    std::copy_n(x.as<float>().begin() + (i * blocks + block) * width, width, to.begin() + i * width);
  return part;
}

}  // namespace

LayerSamples sample_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration) {
  LayerSamples samples;
  InterpreterOptions options;
  options.backend = Backend::kCanonical;
  options.observe = [&](const Node& n, const std::vector<Tensor>& values) {
    const bool recurrent = n.kind == OpKind::kRecurrence;
    if (n.kind != OpKind::kLinear && !recurrent) return;
    LayerSample& sample = samples[static_cast<NodeId>(&n - g.nodes.data())];
    // fp16 models compute in fp16 here.
    const Tensor x = values[static_cast<size_t>(recurrent ? n.outputs[0] : n.in(0))].cast(DType::kFloat).aligned();
    if (!recurrent) widen(sample.amax, x);
    if (!sample.rows.empty()) return;
    const auto& weights = g.value(n.in(1)).constant->dims();
    const int64_t width = recurrent ? weights[2] : x.dims().back(), blocks = recurrent ? weights[0] : 1;
    for (int64_t block = 0; block < blocks; ++block) sample.rows.push_back(first_rows(x, width, blocks, block));
  };
  for (const std::vector<Tensor>& inputs : calibration) interpret(g, inputs, options);
  return samples;
}

}  // namespace edgeconv
