// Lowers a hand-made graph, opens the blob and runs it: what a test of lowering compares with the interpreter.
#pragma once

#include <vector>

#include "convert/blob/blob.h"
#include "convert/lower/build_program.h"
#include "convert/dims/dims.h"
#include "convert/run/blob_runner.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

inline std::vector<Tensor> run_lowered(const Graph& g, const std::vector<Tensor>& inputs, LowerOptions options = {}) {
  const DimPlan dims = plan_dims(g, {});
  options.dim_range = dims.range;
  Diagnostics d;
  const Tensor blob = write_blob(build_program(g, options, d), {"p", "s", "{}", 0, {}});
  return BlobRunner(blob.data(), blob.bytes()).run(inputs);
}

}  // namespace edgeconv::testing
