// How well a model and its blob do a labelled task: what a loss of cosine means for the application.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

// accuracy: share of labels that are the place of the largest element of the output's last axis (one number: of its sign).
// spearman: rank correlation of the labels with one number of each sample, or with the cosine of each pair of samples.
enum class TaskMetric { kAccuracy, kSpearman };

struct TaskResult {
  TaskMetric metric;
  std::string output;
  int64_t labels;  // that counted
  double reference, blob;
};

// FILE.npy: integers (classes) or floats (scores), [samples] or [samples, tokens]; or a text with one number per line, where # begins a
// comment. Throws FatalError: kIo, kMalformed.
Tensor read_labels(const std::string& path);

// Collects the outputs of all samples, in the order of the labels.
// - accuracy: labels [samples] with an output [samples, classes], or [samples] or [samples, 1], where above 0 means class 1;
//   labels [samples, tokens] with an output [samples, tokens, classes]: negative labels do not count, nor do columns beyond a
//   shorter set's tokens, which must be negative;
// - spearman: as many labels as samples with an output [samples] or [samples, 1]; or half as many: label i is of samples 2i and 2i + 1,
//   whose embeddings are rows of an output [samples, width], or means over the tokens of [samples, tokens, width].
// The output is the first that fits, or the named one.
class TaskScore {
 public:
  // names: of the outputs. where: names the file of the labels in messages. Without a metric integers are classes and floats scores.
  TaskScore(Tensor labels, std::string where, std::optional<TaskMetric> metric, const std::string& output,
            std::vector<std::string> names);
  // The outputs of one set of samples. mask: which tokens there are; without one all count.
  void add(const std::vector<Tensor>& reference, const std::vector<Tensor>& blob, const std::optional<TokenMask>& mask);
  // Throws FatalError(kMalformed) where labels and samples do not fit.
  TaskResult result() const;

 private:
  struct Side {
    std::vector<std::vector<int64_t>> classes;   // of each sample, or of its tokens
    std::vector<std::vector<float>> embeddings;  // of each sample; one number where that is the output
  };
  bool fits(const Tensor& output) const;
  void collect(const Tensor& output, const std::optional<TokenMask>& mask, Side& side) const;
  double accuracy(const Side& side, int64_t* counted) const;
  double spearman(const Side& side, int64_t* counted) const;
  [[noreturn]] void fail(const std::string& what) const;

  Tensor labels_;
  std::string where_;
  TaskMetric metric_;
  std::vector<std::string> names_;
  std::optional<size_t> output_;
  Side reference_, blob_;
};

}  // namespace edgeconv
