// What a report says about a quantized layer besides its error: how well its weights are kept, how uneven its inputs are, and
// what smoothing made of that. The search asks whether errors may be rare (held_out_set.h).
#pragma once

#include <limits>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/quantize/layer_samples.h"
#include "convert/quantize/weight_store.h"

namespace edgeconv {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// An outlier_index beyond this means channels of another kind. A real MiniLM has up to 22; models whose LayerNorms were given channels
// a hundred times as large have 80 and more.
constexpr double kStandsOut = 50;

struct LayerFacts {
  double weight_sqnr_db = kNotKnown;      // of the stored weights, factors taken out, against those of the model; +inf: equal
  double largest_input = kNotKnown;       // magnitude, over all channels and calibration inputs
  double outlier_index = kNotKnown;       // largest input / median of the channels' largest ones; about 1 to 5 without outliers
  double smoothed_index = kNotKnown;      // the same behind the smoothing factors
  double smoothing_exponent = kNotKnown;  // a of the rule amax^a / wmax^(1 - a) that comes closest to the factors (least squares)
};

// Of a Linear with this weight [k, n], f32. Without factors smooth is empty.
LayerFacts layer_facts(const LayerSample& sample, const Tensor& weight, const PackedWeights& stored,
                       const std::vector<float>& smooth);
// Of the recurrent product of a Recurrence, whose states are all that is known.
LayerFacts state_facts(const LayerSample& sample);

}  // namespace edgeconv
