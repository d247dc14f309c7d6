// Recurrent layers that a loop was found to be, and how they are written in its place.
#pragma once

#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// A tensor that a loop takes a part of in each round: the t-th along `axis` in round t, or from the last one backward.
struct ScannedTensor {
  ValueId whole = kNone;
  int64_t axis = 0;
  bool backward = false;
};

struct RecurrentLayers {
  struct Input {  // the steps of an earlier layer, or [steps, batch, columns] in parts
    std::optional<size_t> layer;
    ScannedTensor scanned;
  };
  struct Layer {
    RnnAttrs attrs;
    Tensor w, r, b;                // as ONNX has them
    std::vector<Input> inputs;     // w multiplies them one behind the other
    ValueId h = kNone, c = kNone;  // initial states, [batch, hidden]; c of an LSTM only
  };
  // What an output of the loop holds.
  struct Result {
    enum What {
      kNotRead,
      kValue,   // of the graph
      kNumber,  // that it has counted to, in the type of `value`
      kLastH,   // of a layer
      kLastC,
      kLastOutput,   // of a layer; before the first step that is run: `value`
      kSteps,        // of a layer, as many as there are rounds. Those left out: as the one before, and before all `value`
      kStepsOrZero,  // those left out are zero
    } what = kNotRead;
    size_t layer = 0;
    ValueId value = kNone;
    DimExpr number;
  };

  DimExpr steps, batch;
  std::optional<ScannedTensor> mask;  // one bool for each step of each sequence: the steps that are run
  std::vector<Layer> layers;          // each behind those that it reads
  std::vector<Result> results;        // of each output
};

// Puts them in place of node n. The caller sorts the graph.
void write_recurrent_layers(Graph& g, NodeId n, const RecurrentLayers& of);

}  // namespace edgeconv
