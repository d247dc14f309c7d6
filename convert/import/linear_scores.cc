// See linear_scores.h.
#include "convert/import/linear_scores.h"

namespace edgeconv {

ValueId linear_scores(ImportContext& c, const OnnxNode& n, int64_t count, const std::vector<float>& intercepts) {
  ValueId x = cast(c, n, required_input(c, n, 0), DType::kFloat);
  const int rank = rank_hint(c.graph(), x);
  if (rank > 2 || rank == 0) throw NodeError("its input has rank " + std::to_string(rank) + ", not 1 or 2");
  if (rank == 1) x = reshape(c, n, x, {1, -1});
  const std::vector<float> rows = n.numbers("coefficients");
  const auto size = static_cast<int64_t>(rows.size());
  if (count < 1 || size == 0 || size % count != 0)
    throw NodeError(std::to_string(size) + " coefficients do not make " + std::to_string(count) + " equal rows");
  const int64_t features = size / count;
  Tensor w(DType::kFloat, {features, count});
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < features; ++k)
      w.mut<float>()[static_cast<size_t>(k * count + i)] = rows[static_cast<size_t>(i * features + k)];
  const ValueId y = matmul(c, n, x, c.constant(n, w));
  if (intercepts.empty()) return y;
  if (static_cast<int64_t>(intercepts.size()) != count) throw NodeError("it has another number of intercepts than of rows");
  return add(c, n, y, c.constant(n, Tensor::of<float>(DType::kFloat, {count}, intercepts)));
}

std::string score_transform(const OnnxNode& n) {
  const std::string transform = n.text("post_transform", "NONE");
  if (transform != "NONE" && transform != "SOFTMAX" && transform != "LOGISTIC")
    refuse("the post_transform " + transform, "NONE, SOFTMAX and LOGISTIC are supported");
  return transform;
}

ValueId transformed_scores(ImportContext& c, const OnnxNode& n, ValueId scores, const std::string& transform) {
  if (transform == "SOFTMAX") return c.inner(n, OpKind::kSoftmax, {scores}, AxisAttrs{1});
  return transform == "LOGISTIC" ? unary(c, n, ActivationKind::kSigmoid, scores) : scores;
}

}  // namespace edgeconv
