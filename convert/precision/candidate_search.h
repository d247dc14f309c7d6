// The search for the precisions of a real model: what plans lose is measured on its candidates.
#pragma once

#include <optional>

#include "convert/precision/candidate.h"
#include "convert/precision/search.h"
#include "convert/prepare/prepare.h"

namespace edgeconv {

// problem: but for its loss. On the validation set, a part of it at first: what is chosen must pass the whole, or the sets that fail join.
// Where it was made up and channels stand out, on a held-out set too, and what is chosen is confirmed on rows that are in neither.
Choice search_candidates(SearchProblem problem, const PreparedModel& original, const DimPlan& dims,
                         const std::optional<PaddingMask>& padding, ValidationSet& validation, Candidates& candidates);

}  // namespace edgeconv
