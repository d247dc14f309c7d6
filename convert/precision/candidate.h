// A model as it would be written with one plan of precisions: lowered, planned, and run on the validation set.
#pragma once

#include <cstdint>
#include <optional>

#include "convert/ir/diagnostics.h"
#include "convert/ir/tensor.h"
#include "convert/lower/lower.h"
#include "convert/precision/validation_set.h"
#include "convert/program/target.h"

namespace edgeconv {

struct Candidate {
  PrecisionPlan plan;
  TargetProgram program;
  Tensor blob;  // without a certificate and golden vectors
  // On the whole validation set; nothing before of() or take().
  std::vector<std::vector<Tensor>> results;
  std::optional<Comparison> measured;  // canonical
  const Comparison& compared() const { return *measured; }
};

// Makes candidates and keeps the last one. All that is given must outlive this.
class Candidates {
 public:
  // options: but for the plan.
  Candidates(const Graph& fused, const LowerOptions& options, const ValidationSet& validation, Diagnostics& d)
      : g_(fused), options_(options), validation_(validation), d_(d) {}

  const Candidate& of(const PrecisionPlan& plan);
  // Not measured yet, unless it was the last one.
  const Candidate& built(const PrecisionPlan& plan);
  // Of the file, besides certificate and golden vectors; nothing is run.
  uint64_t bytes(const PrecisionPlan& plan, bool compressed);
  // What counts of the validation set has changed.
  void measure_again() {
    if (last_) last_->measured.reset();
  }
  // The same as of(), for the caller to change; nothing is kept.
  Candidate take(const PrecisionPlan& plan);

 private:
  bool has(const PrecisionPlan& plan) const { return last_ && last_->plan == plan; }
  TargetProgram planned(const PrecisionPlan& plan);

  const Graph& g_;
  const LowerOptions& options_;
  const ValidationSet& validation_;
  Diagnostics& d_;
  std::optional<Candidate> last_;
};

}  // namespace edgeconv
