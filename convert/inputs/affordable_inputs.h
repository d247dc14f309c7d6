// How much of the made-up inputs a conversion can afford: a file may fix sizes, or combine them, so that the usual batch would take
// hours or more memory than there is.
#pragma once

#include <vector>

#include "convert/inputs/synthetic_inputs.h"

namespace edgeconv {

// spec with a smaller batch, then with fewer tokens, where a run would cost more than allowed_work(), or a value more memory than
// the interpreter may take. Throws FatalError(kLimit) where nothing is small enough: then the sizes that the file fixes are too
// large. patience: how many times as much the smallest may cost.
SyntheticSpec affordable(const Graph& g, const DimPlan& dims, SyntheticSpec spec, double patience = 1);

// Of what is run once, to compare: a conversion to fp32 does nothing else. Quantizing runs the model many times, and refuses earlier; where
// one run costs that much, few plans are tried (affordable_trials).
constexpr double kPatience = 30, kTrialPatience = 4;

// What layers are calibrated with when the user gives nothing: one set, or several where the file fixes the number of rows or has states.
std::vector<std::vector<Tensor>> calibration_inputs(const Graph& g, const DimPlan& dims);

// What the blob is compared on then: several sets, fewer where a run costs much, at least one. Where the model has states each set is a
// step that continues the one before, with the states that the model gave there.
std::vector<std::vector<Tensor>> comparison_inputs(const Graph& g, const DimPlan& dims);

// Whether inputs are what the outputs of the run before were.
bool has_states(const DimPlan& dims);

// Whether inputs are windows of features, of which nothing tells how large they are.
bool has_windows(const DimPlan& dims);

// More of them for models whose errors are rare and large: many short samples, because outputs may have one row each, and some long
// ones; fewer where a run costs much, or all of them more than most_work (at least one; 0: what a conversion can afford). Each draw gives others.
std::vector<std::vector<Tensor>> held_out_inputs(const Graph& g, const DimPlan& dims, int draw, double most_work = 0);

}  // namespace edgeconv
