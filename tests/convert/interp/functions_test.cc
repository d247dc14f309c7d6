// The two backends of the interpreter, libm and the canonical kernels, mean the same function by every kind of kernels::Unary.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/interp/eval.h"
#include "kernels_int8/contract/unary.h"

namespace edgeconv {
namespace {

// HardSigmoid had the slope of HardSwish in libm's form.
TEST(InterpreterFunctions, BothBackendsAgree) {
  for (int kind = 0; kind < static_cast<int>(ert::kernels::Unary::kCount); ++kind) {
    for (float x = -6.0f; x <= 6.0f; x += 0.0625f) {
      const float oracle = apply_unary_one(Backend::kOracle, kind, 0, x),
                  canonical = apply_unary_one(Backend::kCanonical, kind, 0, x);
      if (std::isnan(oracle) || std::isinf(oracle)) continue;  // log of what is not positive
      ASSERT_NEAR(oracle, canonical, 2e-4 * std::max(1.0f, std::fabs(oracle))) << "kind " << kind << " at " << x;
    }
  }
}

}  // namespace
}  // namespace edgeconv
