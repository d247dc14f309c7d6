// See candidate.h.
#include "convert/precision/candidate.h"

#include <algorithm>
#include <utility>

#include "convert/blob/blob.h"
#include "convert/blob/compress.h"
#include "convert/program/runtime_limits.h"
#include "convert/program/pack_rows.h"
#include "convert/program/slots.h"

namespace edgeconv {

TargetProgram lower_checked(const Graph& g, const LowerOptions& options, Diagnostics& d) {
  TargetProgram program = lower(g, options, d);
  d.check();
  check_runtime_limits(program);
  return program;
}

TargetProgram Candidates::planned(const PrecisionPlan& plan) {
  LowerOptions options = options_;
  options.plan = plan;
  TargetProgram program = lower_checked(g_, options, d_);
  if (options.skip_padding) pack_rows(program);
  plan_slots(program);
  return program;
}

const Candidate& Candidates::of(const PrecisionPlan& plan) {
  if (has(plan)) return *last_;
  last_.reset();
  TargetProgram program = planned(plan);
  Tensor blob = write_blob(program, {});
  Comparisons compared = validation_.compare(blob);
  last_.emplace(Candidate{plan, std::move(program), std::move(blob), std::move(compared)});
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
