// The way up within a budget of work and bytes: every layer is measured alone, then the steps that gain most for what they cost are
// taken as long as they fit.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "convert/precision/ladder.h"

namespace edgeconv {

class BudgetClimb {
 public:
  static constexpr double kNothingFits = -2;

  // fixed: one entry a layer, 1 where its precision is the user's. evaluate: worst output cosine of the model lowered with `options`.
  // fits: whether that model keeps to the budget. All must outlive this.
  BudgetClimb(const SmoothingFactors& smooth, std::vector<LayerReport>& layers, const std::vector<char>& fixed,
              LowerOptions& options, const PrecisionRequest& request, std::function<double()> evaluate,
              std::function<bool()> fits);

  // Leaves the cheapest choice found that keeps to the gate, or the most accurate one that fits, and gives its cosine; everything in
  // int8, and kNothingFits, where even that is too much.
  double run();

 private:
  struct Step {
    size_t layer;
    Precision from, to;
    double gain, cost;
  };

  void apply();
  double evaluated();
  bool fitting();
  void set_all(Precision p);
  void measure();
  std::vector<Step> steps() const;
  std::vector<Step> fill(const std::vector<Step>& steps);
  double keep_least(const std::vector<Step>& taken);

  const SmoothingFactors& smooth_;
  std::vector<LayerReport>& layers_;
  const std::vector<char>& fixed_;
  LowerOptions& options_;
  const PrecisionRequest& request_;
  std::function<double()> evaluate_;
  std::function<bool()> fits_;
  std::vector<double> loss8_, loss16_;  // of each layer alone
};

}  // namespace edgeconv
