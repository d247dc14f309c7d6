// The validation set of a conversion: the inputs that plans, gates and reports are judged on, and what the model as exported gives for them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/measure/compare.h"
#include "convert/measure/token_mask.h"
#include "convert/precision/measured_outputs.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

constexpr size_t kMostSets = 32;    // that a conversion compares on
constexpr size_t kMostFrames = 128;  // of a recorded stream, each of which is a set

class ValidationSet {
 public:
  // Runs the model on the calibration inputs that fit the maximum dims, or on made-up ones where there are none. Where the runtime keeps states, the
  // former are frames that follow each other.
  // Where padding is known its positions do not count, whether the blob computes them or not.
  ValidationSet(const Graph& original, const DimPlan& dims, const std::vector<std::vector<Tensor>>& calibration,
                const std::optional<PaddingMask>& padding);

  const std::vector<std::vector<Tensor>>& inputs() const { return inputs_; }
  const MeasuredOutputs& outputs() const { return outputs_; }

  // What a blob gives for the inputs, as of MeasuredOutputs. Steps of a model with states are run as on a device: each with the states that the blob itself gave.
  std::vector<std::vector<Tensor>> results(BlobRunner& runner) const;
  bool has_states() const { return !states_.empty(); }
  const std::vector<std::optional<TokenMask>>& masks() const { return masks_; }

  // Of one comparison: interp/work.h.
  double work() const { return work_; }
  // Of one set.
  double work_of(size_t set) const { return set_work_[set]; }
  // Outputs in which the fp32 model gives NaN or infinity for these inputs.
  std::vector<std::string> not_finite_outputs() const;

  // Canonical: against ert's own kernels, for whatever reaches the blob (decisions, certificate), which must not depend on the
  // host. Oracle: against OpenBLAS and libm, for the gates and the report.
  Comparison compare(const std::vector<std::vector<Tensor>>& results) const { return compare(canonical_, results); }
  Comparison compare_with_oracle(const std::vector<std::vector<Tensor>>& results) const { return compare(oracle_, results); }
  // Canonical, on some of the sets, in ascending order; with states those from the first on.
  Comparison compare(const Tensor& blob, const std::vector<size_t>& sets) const;
  // Whether the inputs are the user's.
  bool recorded() const { return recorded_; }
  // Leaves out, once, samples of made-up inputs on which the model itself is chaotic (measure/chaos.h); true if there are any. It takes a run of
  // the model on each set, so it is asked for where figures are bad. Never of sound and images alone, which are made like those that people have.
  bool leave_out_chaos(const Graph& original);
  // Those of one set; empty where all count.
  const ChaoticSamples& chaotic(size_t set) const { return chaotic_[set]; }
  bool leaves_out_chaos() const;
  // Whether no output of the model moves on them (accuracy.h): then agreement is no evidence.
  bool tells_nothing() const;
  // Whether no output depends on them by more than rounding, though pictures and sound are all that the model takes: then its weights are random, and
  // one precision is as right as another.
  bool has_random_weights(const Graph& original, const DimPlan& dims) const;
  // Branches of the model that no input takes, in words: untaken_branches.h.
  std::vector<std::string> untaken_branches() const { return untaken_; }
  // Outputs that depend on custom operators: nothing is known about them.
  const std::vector<std::string>& unknown_outputs() const { return unknown_; }

 private:
  Comparison compare(const std::vector<std::vector<Tensor>>& reference, const std::vector<std::vector<Tensor>>& results) const;
  std::vector<OutputError> reference_itself() const;
  std::vector<Tensor> run(BlobRunner& runner, size_t set, const std::vector<Tensor>* before) const;

  MeasuredOutputs outputs_;
  std::vector<std::string> unknown_;
  std::map<size_t, size_t> states_;  // input -> output that it takes in the next step; empty where sets are samples of their own
  std::vector<std::vector<Tensor>> inputs_, canonical_, oracle_;
  std::vector<std::optional<TokenMask>> masks_;
  std::vector<ChaoticSamples> chaotic_;  // of each set
  bool knows_chaos_ = true;
  std::vector<std::string> untaken_;
  bool recorded_ = false;
  double work_ = 0;
  std::vector<double> set_work_;
};

// Our own blob must open; when it does not, the fault is ours and not the file's.
std::unique_ptr<BlobRunner> open_own(const Tensor& blob);

// Runs f; a model that cannot take the made-up inputs is told how to give real ones.
void with_made_up_inputs(bool made_up, const std::function<void()>& f);

}  // namespace edgeconv
