// See exact_parts.h.
#include "convert/precision/exact_parts.h"

namespace edgeconv {

namespace {

constexpr double kHelps = 0.1;  // share of the loss that exact parts must take away

}  // namespace

std::vector<ExactParts> exact_parts(const SearchProblem& problem) {
  std::vector<ExactParts> parts;
  for (const ExactParts p : kExactParts)
    if ((!p.attention || problem.has_attention) && (p.tables == TableBits::k8 || problem.has_tables)) parts.push_back(p);
  // All of it, where that was left out for the part that the model does not have.
  if (problem.has_tables && !problem.has_attention) parts.push_back({false, TableBits::k32});
  return parts;
}

void set_exact(PrecisionPlan& plan, ExactParts parts) {
  plan.int8_attention = !parts.attention;
  plan.int8_tables = parts.tables == TableBits::k8;
  plan.int16_tables = parts.tables == TableBits::k16;
}

PrecisionPlan exact_where_it_helps(const SearchProblem& problem) {
  PrecisionPlan plan = problem.asked.plan;
  problem.set_all(plan, ert::params::linear::kF32);
  double least = 2;  // the loss of outputs that are the wrong way round
  ExactParts chosen{};
  for (const ExactParts parts : exact_parts(problem)) {
    set_exact(plan, parts);
    const double loss = problem.loss(plan);
    if (loss < (1 - kHelps) * least) least = loss, chosen = parts;
  }
  set_exact(plan, chosen);
  return plan;
}

}  // namespace edgeconv
