// See cost.h.
#include "convert/precision/cost.h"

namespace edgeconv {

namespace linear = ert::params::linear;

double slowdown(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan) {
  double all = 0, work = 0;
  for (const LayerSensitivity& l : layers) {
    const Precision p = plan.of(l.node).precision;
    all += l.macs();
    work += l.macs() * (p == linear::kInt8 ? 1 : p == linear::kInt8A16 ? kInt8A16Work : kF32Work);
  }
  return all > 0 ? work / all : 1;
}

bool PlanCost::fits(const PrecisionPlan& plan) const {
  if (budget_.slowdown > 0 && slowdown(plan) > budget_.slowdown) return false;
  return bytes(plan) <= budget_.bytes;
}

}  // namespace edgeconv
