// Rows that only the choice of precisions is judged by: more than a conversion can afford to compare every model on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/plan/dims.h"
#include "convert/quantize/layer_noise.h"
#include "convert/report/token_mask.h"

namespace edgeconv {

// Channels a hundred times as large as the others make attention pick single tokens. Then errors are rare and large, and the usual
// inputs, nine samples, miss them in outputs with one row a sample. Ordinary models need no more: their errors are all of a kind.
bool needs_more_rows(const std::vector<LayerReport>& layers);

class HeldOut {
 public:
  // Runs the model on made-up inputs of its own. Where padding is known its positions do not count.
  HeldOut(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding);

  // Comparison::worst_cosine of the blob on these inputs, against ert's own kernels: the same on every host.
  double worst_cosine(const Tensor& blob) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<Tensor>> inputs_, reference_;
  std::vector<std::optional<TokenMask>> masks_;
};

}  // namespace edgeconv
