// Rows that only the choice of precisions is judged by: more than a conversion can afford to compare every model on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/precision/layer_noise.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

// Channels a hundred times as large as the others make attention pick single tokens. Then errors are rare and large, and the usual
// inputs, nine samples, miss them in outputs with one row a sample. A tenth of that is enough. Ordinary models need no more: their errors
// are all of a kind.
bool needs_more_rows(const std::vector<LayerReport>& layers);

// A climb that tries many choices and keeps the first that passes finds one that passes these rows by luck. What it chose is therefore
// checked on draws of rows that it never saw.
class HeldOut {
 public:
  // Where padding is known its positions do not count. All three must outlive this.
  HeldOut(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding);

  // Comparison::worst_cosine of the blob, the least of all draws so far or the first below the gate; against ert's own kernels: the
  // same on every host.
  double worst_cosine(const Tensor& blob, double gate) const;

  // Whether the blob keeps to the gate on new draws, too, more of them where they take little. If not, the one that failed joins.
  bool confirms(const Tensor& blob, double gate);

 private:
  // Made-up inputs, and what the model as exported gives for them.
  struct Draw {
    std::vector<std::vector<Tensor>> inputs, reference;
    std::vector<std::optional<TokenMask>> masks;
  };
  Draw next_draw();
  double worst_cosine(const Tensor& blob, const Draw& draw) const;

  const Graph& original_;
  const DimPlan& dims_;
  const std::optional<PaddingMask>& padding_;
  std::vector<std::string> names_;
  std::vector<Draw> draws_;
  int drawn_ = 0;
};

}  // namespace edgeconv
