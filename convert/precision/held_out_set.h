// The held-out set: rows that only plans of precisions are judged by, more than a conversion can afford to compare every model on.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/precision/measured_outputs.h"
#include "convert/precision/sensitivity.h"
#include "convert/measure/chaos.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

// Channels a hundred times as large as the others make attention pick single tokens. Then errors are rare and large, and the usual
// inputs, nine samples, miss them in outputs with one row a sample. A tenth of that is enough. Ordinary models need no more: their errors
// are all of a kind.
bool needs_more_rows(const std::vector<LayerSensitivity>& layers);

// A search that tries many plans and keeps the first that passes finds one that passes these rows by luck. What it chose is therefore
// checked on draws of rows that it never saw.
class HeldOutSet {
 public:
  // Where padding is known its positions do not count. All three must outlive this. work (of interp/work.h): what confirming may take in
  // all; then plans are judged by the sets only that a choice failed on. 0: as usual, for texts. chaos: samples on which the model is chaotic
  // are looked for, and do not count.
  HeldOutSet(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding, double work = 0, bool chaos = false);

  // Of the blob, judged by rows, however short (accuracy.h): the largest of all draws so far, or the first above max_loss. Against ert's
  // own kernels: the same on every host. known: what this blob lost on the first draws, which grows by what is measured here; blob is called
  // only where that is needed.
  double loss(const std::function<const Tensor&()>& blob, double max_loss, std::vector<double>& known) const;

  // Whether the blob loses no more on new draws, too, more of them where they take little. If not, the one that failed joins; where work is
  // limited, its worst set does.
  bool confirms(const Tensor& blob, double max_loss);

 private:
  // Made-up inputs, and what the model as exported gives for them.
  struct Draw {
    std::vector<std::vector<Tensor>> inputs, reference;
    std::vector<std::optional<TokenMask>> masks;
    std::vector<ChaoticSamples> chaotic;
  };
  Draw next_draw();
  double loss(const Tensor& blob, const Draw& draw) const;
  Draw worst_set(const Tensor& blob, const Draw& draw) const;

  const Graph& original_;
  const DimPlan& dims_;
  const std::optional<PaddingMask>& padding_;
  MeasuredOutputs outputs_;
  double work_;
  bool chaos_;
  std::vector<Draw> draws_;
  int drawn_ = 0;
};

}  // namespace edgeconv
