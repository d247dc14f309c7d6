// A model as it would be written with one choice of precisions: what every step of a search lowers, plans and runs.
#pragma once

#include <cstdint>
#include <optional>

#include "convert/lower/lower.h"
#include "convert/program/target.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/tensor.h"
#include "convert/precision/validation.h"

namespace edgeconv {

struct Candidate {
  LowerOptions options;
  TargetProgram program;
  Tensor blob;  // without a certificate and golden vectors
  Comparisons compared;
};

// Makes candidates and keeps the last one. All that is given must outlive this.
class Candidates {
 public:
  Candidates(const Graph& fused, const Validation& validation, Diagnostics& d) : g_(fused), validation_(validation), d_(d) {}

  const Candidate& of(const LowerOptions& options);
  // Of the file, besides certificate and golden vectors; nothing is run.
  uint64_t bytes(const LowerOptions& options, bool compressed);
  // The same as of(), for the caller to change; nothing is kept.
  Candidate take(const LowerOptions& options);

 private:
  const Graph& g_;
  const Validation& validation_;
  Diagnostics& d_;
  std::optional<Candidate> last_;
};

}  // namespace edgeconv
