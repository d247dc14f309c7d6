// LinearRegressor of ai.onnx.ml.
#include "convert/import/linear_scores.h"

namespace edgeconv {

void import_linear_regressor(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  const std::string transform = score_transform(n);
  const int64_t targets = n.integer("targets", 1);
  if (targets == 1 && transform != "NONE")
    refuse("a " + transform + " of one target, which ONNX Runtime leaves out", "write it as an operator of its own");
  c.bind(n, 0, transformed_scores(c, n, linear_scores(c, n, targets, n.numbers("intercepts")), transform));
}

}  // namespace edgeconv
