// See golden.h.
#include "convert/emit/golden.h"

#include "convert/quantize/synthetic_inputs.h"

namespace edgeconv {

std::vector<GoldenVector> golden_vectors(BlobRunner& runner, const Graph& g, const DimPlan& dims, int count) {
  std::vector<GoldenVector> golden;
  for (int i = 0; i < count; ++i) {
    GoldenVector v;
    v.inputs = synthetic_inputs(g, dims, {1, 8, false, 900 + static_cast<uint64_t>(i), true});
    for (const Tensor& t : v.inputs)
      if (t.elements() == 0) return {};
    v.dims = runner.dims_of(v.inputs);
    v.outputs = runner.run(v.inputs);
    golden.push_back(std::move(v));
  }
  return golden;
}

}  // namespace edgeconv
