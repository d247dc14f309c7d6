// See candidate.h.
#include "convert/precision/candidate.h"

#include <algorithm>
#include <utility>

#include "convert/blob/blob.h"
#include "convert/blob/compress.h"
#include "convert/lower/build_program.h"

namespace edgeconv {

TargetProgram Candidates::planned(const PrecisionPlan& plan) {
  LowerOptions options = options_;
  options.plan = plan;
  return build_program(g_, options, d_);
}

const Candidate& Candidates::built(const PrecisionPlan& plan) {
  if (has(plan)) return *last_;
  last_.reset();
  TargetProgram program = planned(plan);
  Tensor blob = write_blob(program, {});
  last_.emplace(Candidate{plan, std::move(program), std::move(blob), {}, {}});
  return *last_;
}

const Candidate& Candidates::of(const PrecisionPlan& plan) {
  built(plan);
  if (!last_->measured) {
    if (last_->results.empty()) last_->results = validation_.results(*open_own(last_->blob));
    last_->measured = validation_.compare(last_->results);
  }
  return *last_;
}

uint64_t Candidates::bytes(const PrecisionPlan& plan, bool compressed) {
  const Tensor own = has(plan) ? Tensor() : write_blob(planned(plan), {});
  const Tensor& blob = has(plan) ? last_->blob : own;
  return compressed ? std::min<uint64_t>(compress_blob(blob).bytes(), blob.bytes()) : blob.bytes();
}

Candidate Candidates::take(const PrecisionPlan& plan) {
  of(plan);
  Candidate c = std::move(*last_);
  last_.reset();
  return c;
}

}  // namespace edgeconv
