// See exact_parts.h.
#include "convert/precision/exact_parts.h"

namespace edgeconv {

namespace {

constexpr double kHelps = 0.1;  // share of the loss that exact parts must take away

}  // namespace

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
  for (const ExactParts parts : kExactParts) {
    set_exact(plan, parts);
    const double loss = problem.loss(plan);
    if (loss < (1 - kHelps) * least) least = loss, chosen = parts;
  }
  set_exact(plan, chosen);
  return plan;
}

}  // namespace edgeconv
