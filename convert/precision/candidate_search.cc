// See candidate_search.h.
#include "convert/precision/candidate_search.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "convert/precision/held_out_set.h"
#include "convert/precision/one_picture.h"
#include "convert/precision/screen.h"

namespace edgeconv {

namespace {

// Of the work of the validation set: what new rows may take that confirm a choice for signals. Their validation set has many rows
// already, and convolutions take long.
constexpr double kConfirmingShare = 2;

}  // namespace

Choice search_candidates(SearchProblem problem, const PreparedModel& original, const DimPlan& dims,
                         const std::optional<PaddingMask>& padding, ValidationSet& validation, Candidates& candidates) {
  const double most = problem.max_loss;
  // What the user limits is reported with what it would take, so each plan is measured on all.
  const bool users_limits = problem.users_gate || problem.cost.limited();
  Screen screen(validation, users_limits ? Screen::kWhole : Screen::kPart);
  // A search that starts again asks for the same plans: of each, what is known of it.
  struct Known {
    size_t sets = 0;  // of the screen
    double screened = 0;
    std::vector<double> held_out;  // by draw
  };
  std::unordered_map<PrecisionPlan, Known> known;
  const auto screened = [&](const PrecisionPlan& plan) {
    Known& k = known[plan];
    const auto measured = [&] {
      return screen.is_whole() ? loss_of(candidates.of(plan).compared().worst_cosine()) : screen.loss(candidates.built(plan).blob);
    };
    if (k.sets != screen.sets().size()) {
      k.screened = measured();
      k.sets = screen.sets().size();
      // Before layers are lifted: is it the samples?
      if (k.screened > most && validation.leave_out_chaos(original.graph)) {
        candidates.measure_again();
        k.screened = measured();
      }
    }
    return k.screened;
  };
  const auto passes_whole = [&](const PrecisionPlan& plan) {
    if (screen.is_whole()) return true;
    if (loss_of(candidates.of(plan).compared().worst_cosine()) <= most) return true;
    screen.grow(candidates.of(plan).blob);
    return false;
  };
  problem.loss = screened;
  // Of signals each set has samples enough to tell which layer matters more, and convolutions take long: always the first ones.
  const Screen first(validation, Screen::kPart);
  const bool one_suffices = !validation.recorded() && OnePicture::suffices(original.graph, dims, validation.inputs()[0]);
  std::optional<OnePicture> picture;  // made when the first layer is measured
  if (!dims.kinds.empty() && !users_limits)
    problem.effect = [&](const PrecisionPlan& plan) {
      if (one_suffices && !picture) picture.emplace(original.graph, dims);
      const Tensor& blob = candidates.built(plan).blob;
      return picture ? picture->loss(blob) : first.loss(blob);
    };
  // Inputs of the user are what counts, however few.
  if (validation.recorded() || !needs_more_rows(problem.layers))
    return screen.is_whole() ? search(problem) : search(problem, passes_whole);

  // Local noise says little of layers that feed an attention which picks single tokens: each is measured by what it does to the outputs.
  problem.measured = true;
  std::optional<HeldOutSet> rows;  // made when the first plan passes
  const auto held_out = [&]() -> HeldOutSet& {
    if (!rows) rows.emplace(original.graph, dims, padding, dims.kinds.empty() ? 0 : kConfirmingShare * validation.work(),
                              validation.leaves_out_chaos());
    return *rows;
  };
  problem.loss = [&](const PrecisionPlan& plan) {
    const double loss = screened(plan);
    if (loss > most) return loss;
    const double more = held_out().loss([&]() -> const Tensor& { return candidates.built(plan).blob; }, most, known[plan].held_out);
    original.drop_pages();
    return std::max(loss, more);
  };
  return search(problem, [&](const PrecisionPlan& plan) {
    if (!passes_whole(plan)) return false;
    const bool confirmed = held_out().confirms(candidates.built(plan).blob, most);
    original.drop_pages();
    return confirmed;
  });
}

}  // namespace edgeconv
