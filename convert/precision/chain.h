// Networks that are one link of a chain: errors of a front end are read by the network behind it, whose decision they may change.
#pragma once

#include "convert/dims/dims.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Probabilities out of windows of features: what the networks before erred stands beside this one's own error, which must be small. 0.00025 is
// an error of 0.022 of the logit, and of 0.0056 of a probability of 0.5: three times that is less than the 0.02 that the chain of a wake word may err. Of seven
// such networks one is not all fp32 then; on synthesised speech it errs by 0.0065 at most. Where all layers are w8a16 four err by up to 0.008 to 0.023.
constexpr double kChainLoss = 2.5e-4;

// Whether g decides by windows of features that other networks give, as the head of a wake word does.
bool reads_features(const Graph& g, const DimPlan& dims);

// Whether g makes features of sound that another network reads: convolutions without a classifier behind them. No gate on cosines tells what
// the network behind makes of an error: one of 36 dB moved the score of a wake word by .29.
bool gives_features(const Graph& g, const DimPlan& dims);

}  // namespace edgeconv
