// What a conversion decides about precisions, as one value: how each layer, attention and tables are stored and computed. Lowering does
// what it says, the search for precisions looks for the best one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "convert/ir/graph.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

using Precision = ert::params::linear::Precision;

// As options, reports, certificates and JSON spell it.
const char* precision_name(int32_t precision);
// Of attention, which has no third way.
inline const char* part_precision_name(bool int8) {
  return precision_name(int8 ? ert::params::linear::kInt8 : ert::params::linear::kF32);
}

// Of every Linear that is smoothed (smoothing.h), one a channel: stored weights are w[k][n] * factor[k], activations are divided by it.
// Calibrated once for a conversion; plans only say where they are used.
using SmoothingFactors = std::map<NodeId, std::vector<float>>;

struct LayerPlan {
  Precision precision = ert::params::linear::kF32;
  bool smoothed = false;  // with its SmoothingFactors, unless it is fp32 or w12a13
  bool operator==(const LayerPlan&) const = default;
};

// Embedding tables of more rows are int8 by default; the few rows of a type table stay fp32 in every plan.
constexpr int64_t kMostExactRows = 64;

class PrecisionPlan {
 public:
  bool int8_attention = true, int8_tables = true;  // false: fp32
  bool int16_tables = false;                       // instead of fp32, where they are not int8
  bool maps = false;                               // int8 convolutions read 8-bit maps where they can (map_layers.h)

  // "int8", "int16" or "fp32"
  const char* tables_name() const { return int8_tables ? "int8" : int16_tables ? "int16" : "fp32"; }

  // Layers are Linears and Recurrences, and depthwise convolutions over maps, which are int8 or fp32. What the plan says nothing about is fp32.
  LayerPlan of(NodeId layer) const;
  void set(NodeId layer, LayerPlan how);
  void set(NodeId layer, Precision p) { set(layer, {p, of(layer).smoothed}); }
  int count(Precision p) const;
  const std::vector<std::pair<NodeId, LayerPlan>>& layers() const { return layers_; }  // by id

  bool operator==(const PrecisionPlan&) const = default;
  size_t hash() const;
  // "attention int8, tables fp32, layers 3 int8 smoothed, 7 fp32"
  std::string str() const;

 private:
  std::vector<std::pair<NodeId, LayerPlan>>::const_iterator find(NodeId layer) const;
  std::vector<std::pair<NodeId, LayerPlan>> layers_;
};

// Everything in int8 that can be, without factors: for estimates, before any calibration.
PrecisionPlan int8_plan(const Graph& g);

}  // namespace edgeconv

template <>
struct std::hash<edgeconv::PrecisionPlan> {
  size_t operator()(const edgeconv::PrecisionPlan& plan) const { return plan.hash(); }
};
