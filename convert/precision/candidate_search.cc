// See candidate_search.h.
#include "convert/precision/candidate_search.h"

#include <algorithm>

#include "convert/precision/held_out_set.h"

namespace edgeconv {

Choice search_candidates(SearchProblem problem, const PreparedModel& original, const DimPlan& dims,
                         const std::optional<PaddingMask>& padding, bool made_up, Candidates& candidates) {
  const auto on_validation_set = [&](const PrecisionPlan& plan) {
    return loss_of(candidates.of(plan).compared.canonical.worst_cosine());
  };
  problem.loss = on_validation_set;
  // Inputs of the user are what counts, however few.
  if (!made_up || !needs_more_rows(problem.layers) || only_sees_pictures(original.graph, dims)) return search(problem);

  std::optional<HeldOutSet> rows;  // made when the first plan passes
  const double most = problem.max_loss;
  problem.loss = [&](const PrecisionPlan& plan) {
    const double loss = on_validation_set(plan);
    if (loss > most) return loss;
    if (!rows) rows.emplace(original.graph, dims, padding);
    const double held_out = rows->loss(candidates.of(plan).blob, most);
    original.drop_pages();
    return std::max(loss, held_out);
  };
  return search(problem, [&](const PrecisionPlan& plan) {
    const bool confirmed = rows->confirms(candidates.of(plan).blob, most);
    original.drop_pages();
    return confirmed;
  });
}

}  // namespace edgeconv
