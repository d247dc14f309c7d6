// A Linear that reads a channel 100 times as large as the others.
#pragma once

#include <vector>

#include "convert/dims/dims.h"
#include "convert/inputs/synthetic_inputs.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

struct OutlierGraph {
  OutlierGraph() {
    const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8});
    const Tensor gain = Tensor::of<float>(DType::kFloat, {8}, {1, 1, 1, 100, 1, 1, 1, 1});
    b.output(b.node(OpKind::kLinear, {b.mul(x, b.constant(gain)), b.weights({8, 6}), kNone}, LinearAttrs{}));
    finish(b.g);
    plan = plan_dims(b.g, {});
    inputs = {synthetic_inputs(b.g, plan, {})};
  }
  GraphBuilder b;
  DimPlan plan;
  std::vector<std::vector<Tensor>> inputs;
};

}  // namespace edgeconv::testing
