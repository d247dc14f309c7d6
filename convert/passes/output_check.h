// Whether a pass changed what a graph computes: its outputs on trial inputs before and after, by the interpreter. Debug builds and tests
// run every pass under it (PassOptions::checked). What another order of float sums explains is measured: the graph at the start is run
// by both backends of the interpreter, which add up in different orders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

class OutputCheck {
 public:
  explicit OutputCheck(const Graph& g) { start(g); }
  // Outputs are compared with those of this graph from now on.
  void start(const Graph& g);
  // Why nothing can be compared: no inputs were found on which the graph runs. Empty: it is compared.
  const std::string& reason() const { return reason_; }
  // The graph after a pass that changed something. Throws FatalError(kInternal) naming the pass and the output that is another one
  // than before.
  void compare(std::string_view pass, int round, const Graph& g);

 private:
  std::vector<Tensor> inputs_, outputs_;
  std::vector<double> allowed_;  // largest difference of each output's elements
  std::string reason_;
};

}  // namespace edgeconv
