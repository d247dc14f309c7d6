// LinearClassifier of ai.onnx.ml: labels and scores, as ONNX Runtime gives them. One row of coefficients for two labels is the score of the second.
#include "convert/import/linear_scores.h"

namespace edgeconv {

void import_linear_classifier(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  const std::string transform = score_transform(n);
  const std::vector<float> intercepts = n.numbers("intercepts");
  if (intercepts.empty()) refuse("without intercepts", "ONNX Runtime refuses it, too: export it with intercepts, if of zeros");
  const std::vector<int64_t> labels = n.integers("classlabels_ints");
  if (labels.empty())
    refuse("labels that are no integers",
           "train with numbers of classes; strings stay outside of the model, as a list by these numbers");
  const auto count = static_cast<int64_t>(intercepts.size());
  const bool of_two = count == 1 && labels.size() == 2;
  if (!of_two && static_cast<int64_t>(labels.size()) != count)
    throw NodeError("it has another number of labels than of intercepts");
  if (count == 1 && !of_two) throw NodeError("it has one label only");
  const ValueId scores = linear_scores(c, n, count, intercepts);
  if (!of_two) {
    const ValueId best = c.inner(n, OpKind::kArgMinMax, {scores}, ArgAttrs{1, false, true, false});
    c.bind(n, 0, c.inner(n, OpKind::kGather, {ints(c, n, labels), best}, AxisAttrs{0}));
    c.bind(n, 1, transformed_scores(c, n, scores, transform));
    return;
  }
  const ValueId positive = reshape(c, n, binary(c, n, BinaryKind::kGreater, scores, scalar(c, n, 0)), {-1});
  c.bind(n, 0, c.inner(n, OpKind::kWhere, {positive, int_scalar(c, n, labels[1]), int_scalar(c, n, labels[0])}));
  const ValueId other = transform == "LOGISTIC" ? unary(c, n, UnaryKind::kNeg, scores) : sub(c, n, scalar(c, n, 1), scores);
  // ONNX Runtime takes no softmax of one score.
  c.bind(n, 1, transformed_scores(c, n, concat(c, n, {other, scores}, 1), transform == "SOFTMAX" ? "NONE" : transform));
}

}  // namespace edgeconv
