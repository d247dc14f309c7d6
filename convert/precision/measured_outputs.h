// What of a model is measured: its outputs, each with where it is decided, and the scores of those that are numbers of classes.
#pragma once

#include <string>
#include <vector>

#include "convert/dims/dims.h"
#include "convert/interp/interpreter.h"
#include "convert/ir/graph.h"
#include "convert/measure/class_scores.h"
#include "convert/measure/compare.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

class MeasuredOutputs {
 public:
  // Of g. made_up: the dims that inputs are made up by, if they are.
  explicit MeasuredOutputs(const Graph& g, const DimPlan* made_up = nullptr);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<DecidedBy>& decisions() const { return decisions_; }
  Comparison comparison() const { return Comparison(names_, decisions_); }

  // The outputs, and behind them the scores: where any has some, a tensor for each output, without a type where it has none. g: the same graph.
  std::vector<Tensor> of_model(const Graph& g, const std::vector<Tensor>& inputs, const InterpreterOptions& options) const;
  // Likewise of a blob, on which custom operators give zeros. Scores are as it holds them.
  std::vector<Tensor> of_blob(BlobRunner& runner, const std::vector<Tensor>& inputs) const;
  // Runs that follow each other in one context.
  std::vector<std::vector<Tensor>> of_stream(BlobRunner& runner, const std::vector<Frame>& frames) const;

 private:
  std::vector<std::string> names_;
  std::vector<DecidedBy> decisions_;
  struct Scored {
    size_t output;
    ClassScores by;
  };
  std::vector<Scored> scored_;
};

}  // namespace edgeconv
