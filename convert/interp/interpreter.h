// Runs a graph on the host in fp32. Two backends: kCanonical uses ert's own kernels and scalar functions, so that whatever
// reaches the blob is the same on every host; kOracle uses OpenBLAS and libm, as the independent reference of validation.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

enum class Backend { kCanonical, kOracle };

struct InterpreterOptions {
  Backend backend = Backend::kOracle;
  // Called after each node with all values so far (constants included), for calibration and per-layer error.
  std::function<void(const Node&, const std::vector<Tensor>&)> observe;
};

// Inputs in the order of g.inputs; returns outputs in the order of g.outputs. Throws FatalError(kMalformed) naming the
// node when data does not fit (an index out of range, shapes that do not broadcast). Custom nodes cannot be computed: they
// and what depends on them are skipped, and such outputs have no type.
std::vector<Tensor> interpret(const Graph& g, const std::vector<Tensor>& inputs, const InterpreterOptions& options = {});

// Evaluates one node; inputs[i] empty (rank 0, undefined dtype) where absent. Constant folding uses it.
std::vector<Tensor> evaluate_node(const Graph& g, const Node& n, const std::vector<const Tensor*>& inputs, Backend backend);

// True if evaluate_node can run this kind.
bool can_evaluate(OpKind kind);

}  // namespace edgeconv
