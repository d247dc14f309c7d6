// See candidate.h.
#include "convert/precision/candidate.h"

#include <algorithm>
#include <utility>

#include "convert/blob/blob.h"
#include "convert/blob/compress.h"
#include "convert/lower/build_program.h"

namespace edgeconv {

const Candidate& Candidates::of(const LowerOptions& options) {
  if (last_ && same_precisions(last_->options, options)) return *last_;
  last_.reset();
  TargetProgram program = build_program(g_, options, d_);
  Tensor blob = write_blob(program, {});
  Comparisons compared = validation_.compare(blob);
  last_.emplace(Candidate{options, std::move(program), std::move(blob), std::move(compared)});
  return *last_;
}

uint64_t Candidates::bytes(const LowerOptions& options, bool compressed) {
  Tensor own;
  const Tensor* blob = &own;
  if (last_ && same_precisions(last_->options, options))
    blob = &last_->blob;
  else
    own = write_blob(build_program(g_, options, d_), {});
  return compressed ? std::min<uint64_t>(compress_blob(*blob).bytes(), blob->bytes()) : blob->bytes();
}

Candidate Candidates::take(const LowerOptions& options) {
  of(options);
  Candidate c = std::move(*last_);
  last_.reset();
  return c;
}

}  // namespace edgeconv
