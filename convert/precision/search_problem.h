// What a search for precisions is given: the plan that is asked for, a gate, and two functions of a plan. The strategies (climb.h,
// descent.h, budget_fill.h) are functions of this and of nothing else.
#pragma once

#include <functional>
#include <vector>

#include "convert/precision/cost.h"
#include "convert/precision/request.h"

namespace edgeconv {

constexpr int kMostTrials = 24;

struct SearchProblem {
  const std::vector<LayerSensitivity>& layers;  // the noisiest first
  AskedPlan asked;                              // of these layers; everything else is to be chosen
  PlanCost cost;
  std::function<double(const PrecisionPlan&)> loss;  // of the model with this plan: accuracy.h
  double max_loss = loss_of(kTargetCosine);
  // What one layer does to the outputs, for an order of layers only: remembered from search to search. Empty: the loss itself.
  std::function<double(const PrecisionPlan&)> effect = {};
  bool measured = false;        // every layer is, for the cheapest way to the gate, which takes more trials: descent.h
  bool users_gate = false;      // max_loss is one that the user gave
  bool gives_features = false;  // to another network: chain.h
  bool has_wide = true;         // the target has kernels for w12a13: wide_layers.h
  bool has_attention = true, has_tables = true;  // parts that may be exact: exact_parts.h
  int trials = kMostTrials;                      // plans that may be measured in each search for something cheaper

  bool passes(const PrecisionPlan& plan) const { return loss(plan) <= max_loss; }
  double effect_of(const PrecisionPlan& plan) const { return effect ? effect(plan) : loss(plan); }
  bool is_free(size_t layer) const { return !asked.fixed[layer]; }
  Precision precision(const PrecisionPlan& plan, size_t layer) const { return plan.of(layers[layer].node).precision; }
  // What a layer can be: depthwise convolutions are int8 or fp32.
  Precision possible(size_t layer, Precision p) const {
    return layers[layer].depthwise && p != ert::params::linear::kInt8 ? ert::params::linear::kF32 : p;
  }
  // More than which nobody needs: 12 bits where those are quicker.
  Precision finest(size_t layer) const {
    return has_wide && is_quicker_in_12_bits(layers[layer]) ? ert::params::linear::kW12A13 : ert::params::linear::kF32;
  }
  bool is(const PrecisionPlan& plan, size_t layer, Precision p) const { return precision(plan, layer) == possible(layer, p); }
  // Unless the layer is fixed. Whether that changed anything.
  bool set(PrecisionPlan& plan, size_t layer, Precision p) const {
    if (!is_free(layer) || is(plan, layer, p)) return false;
    plan.set(layers[layer].node, possible(layer, p));
    return true;
  }
  void set_all(PrecisionPlan& plan, Precision p) const {
    for (size_t i = 0; i < layers.size(); ++i) set(plan, i, p);
  }
};

}  // namespace edgeconv
