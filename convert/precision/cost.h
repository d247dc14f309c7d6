// What a plan costs: work, and bytes of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "convert/precision/sensitivity.h"
#include "convert/quantize/precision_plan.h"

namespace edgeconv {

// Multiplications count by precision: twice as many with 16-bit activations; one in fp32 takes as long as four in int8.
constexpr double kInt8A16Work = 2, kF32Work = 4;

// Work of the layers, relative to all of them in int8; 1 without layers.
double slowdown(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan);

// Zero: no limit.
struct Budget {
  double slowdown = 0;
  uint64_t bytes = 0;
};

class PlanCost {
 public:
  // bytes: of the file with this plan, besides certificate and golden vectors. It takes a lowering, and is asked only where bytes are
  // limited. The layers must outlive this.
  explicit PlanCost(const std::vector<LayerSensitivity>& layers, Budget budget = {},
                    std::function<uint64_t(const PrecisionPlan&)> bytes = {})
      : layers_(&layers), budget_(budget), bytes_(std::move(bytes)) {}

  const Budget& budget() const { return budget_; }
  bool limited() const { return budget_.slowdown > 0 || budget_.bytes > 0; }
  double slowdown(const PrecisionPlan& plan) const { return edgeconv::slowdown(*layers_, plan); }
  uint64_t bytes(const PrecisionPlan& plan) const { return budget_.bytes ? bytes_(plan) : 0; }  // 0: not limited
  bool fits(const PrecisionPlan& plan) const;

 private:
  const std::vector<LayerSensitivity>* layers_;
  Budget budget_;
  std::function<uint64_t(const PrecisionPlan&)> bytes_;
};

}  // namespace edgeconv
