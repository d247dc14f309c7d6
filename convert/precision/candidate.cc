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

TargetProgram Candidates::planned(const LowerOptions& options) {
  TargetProgram program = lower_checked(g_, options, d_);
  if (options.skip_padding) pack_rows(program);
  plan_slots(program);
  return program;
}

const Candidate& Candidates::of(const LowerOptions& options) {
  if (last_ && last_->options.plan == options.plan) return *last_;
  last_.reset();
  TargetProgram program = planned(options);
  Tensor blob = write_blob(program, {});
  Comparisons compared = validation_.compare(blob);
  last_.emplace(Candidate{options, std::move(program), std::move(blob), std::move(compared)});
  return *last_;
}

uint64_t Candidates::bytes(const LowerOptions& options, bool compressed) {
  Tensor own;
  const Tensor* blob = &own;
  if (last_ && last_->options.plan == options.plan)
    blob = &last_->blob;
  else
    own = write_blob(planned(options), {});
  return compressed ? std::min<uint64_t>(compress_blob(*blob).bytes(), blob->bytes()) : blob->bytes();
}

Candidate Candidates::take(const LowerOptions& options) {
  of(options);
  Candidate c = std::move(*last_);
  last_.reset();
  return c;
}

}  // namespace edgeconv
