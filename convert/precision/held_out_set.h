// The held-out set: rows that only plans of precisions are judged by, more than a conversion can afford to compare every model on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/precision/sensitivity.h"
#include "convert/measure/accuracy.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

// Channels a hundred times as large as the others make attention pick single tokens. Then errors are rare and large, and the usual
// inputs, nine samples, miss them in outputs with one row a sample. A tenth of that is enough. Ordinary models need no more: their errors
// are all of a kind.
bool needs_more_rows(const std::vector<LayerSensitivity>& layers);

// Whether pictures are all that the model reads, and nothing inside of it picks by a Softmax: then large channels are those of edges and
// bright areas, in every picture, and more rows would cost many runs to tell the same.
bool only_sees_pictures(const Graph& original, const DimPlan& dims);

// A search that tries many plans and keeps the first that passes finds one that passes these rows by luck. What it chose is therefore
// checked on draws of rows that it never saw.
class HeldOutSet {
 public:
  // Where padding is known its positions do not count. All three must outlive this.
  HeldOutSet(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding);

  // Of the blob, judged by rows, however short (accuracy.h): the largest of all draws so far, or the first above max_loss. Against ert's
  // own kernels: the same on every host.
  double loss(const Tensor& blob, double max_loss) const;

  // Whether the blob loses no more on new draws, too, more of them where they take little. If not, the one that failed joins.
  bool confirms(const Tensor& blob, double max_loss);

 private:
  // Made-up inputs, and what the model as exported gives for them.
  struct Draw {
    std::vector<std::vector<Tensor>> inputs, reference;
    std::vector<std::optional<TokenMask>> masks;
  };
  Draw next_draw();
  double loss(const Tensor& blob, const Draw& draw) const;

  const Graph& original_;
  const DimPlan& dims_;
  const std::optional<PaddingMask>& padding_;
  std::vector<std::string> names_;
  std::vector<DecidedBy> decisions_;
  std::vector<Draw> draws_;
  int drawn_ = 0;
};

}  // namespace edgeconv
