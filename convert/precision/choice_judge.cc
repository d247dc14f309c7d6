// See choice_judge.h.
#include "convert/precision/choice_judge.h"

namespace edgeconv {

HeldOut& CandidateJudge::rows() {
  if (!held_out_) held_out_.emplace(original_.graph, dims_, padding_);
  return *held_out_;
}

double CandidateJudge::compared(const LowerOptions& options) { return candidates_.of(options).compared.canonical.worst_cosine(); }

double CandidateJudge::held_out(const LowerOptions& options, double gate) {
  const double cosine = rows().worst_cosine(candidates_.of(options).blob, gate);
  original_.drop_pages();
  return cosine;
}

bool CandidateJudge::confirms(const LowerOptions& options, double gate) {
  const bool confirmed = rows().confirms(candidates_.of(options).blob, gate);
  original_.drop_pages();
  return confirmed;
}

}  // namespace edgeconv
