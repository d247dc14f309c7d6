// The unit of spectra, where neither names nor operators tell it: most models normalize, some read logarithms of power as they are.
#pragma once

#include "convert/dims/dims.h"

namespace edgeconv {

// Spectra become InputScale::kLogarithms where the fp32 model is chaotic on all usual units, and calm on those: a network that was trained on
// inputs below zero answers others by chance. All other models keep what they have. Runs the model on a few rows.
void settle_units(const Graph& g, DimPlan& dims);

}  // namespace edgeconv
