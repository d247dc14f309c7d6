// Lowering: every kind of graph node becomes runtime ops. One file per kind or group in lower/nodes/; ir/op_kinds.inc names the functions.
// Nodes of kinds with lower_none are refused, all at once, before anything is written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/program/target.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/lower/op_params_by_name.h"
#include "convert/quantize/map_layers.h"
#include "convert/quantize/precision_plan.h"
#include "convert/quantize/weight_store.h"

namespace edgeconv {

struct LowerOptions {
  PrecisionPlan plan;
  const SmoothingFactors* smoothing = nullptr;  // of the layers that the plan smooths; null: there are none
  WeightStore* weights = nullptr;               // packed weights shared by several lowerings; null: made for this one
  bool skip_padding = false;                    // after lowering: program/pack_rows.cc
  std::map<std::string, std::pair<int32_t, int32_t>> dim_range;  // name -> min, max
  std::map<ValueId, std::pair<int32_t, int32_t>> input_range;    // integer inputs
};

// Ranges of dims and inputs as planned, everything else by default.
LowerOptions lower_options(const DimPlan& dims);

// A map that ops read: program/join_maps.cc says who writes it in the end.
struct LoweredMap {
  int q, scales;
};

// Packed weights as operands: codes [n, k], f32 scales, i32 sums of columns or -1.
struct PackedConstants {
  int codes, scale, colsum;
};

// State of one lowering run, and the vocabulary of lower/nodes/*.cc.
class LowerContext {
 public:
  LowerContext(const Graph& g, const LowerOptions& o, WeightStore& w, TargetProgram& p, Diagnostics& d)
      : graph(g), options(o), weights(w), program(p), diagnostics(d) {}

  const Graph& graph;
  const LowerOptions& options;
  WeightStore& weights;
  TargetProgram& program;
  Diagnostics& diagnostics;
  NodeId node_id = kNone;  // the node being lowered
  MapLayers maps;          // that the graph could have; empty where the plan has none

  // The runtime value that holds v: constants and symbolic integers are materialised on first use. -1 for kNone.
  int operand(ValueId v);
  // The runtime value for a node's output, created in the arena.
  int result(ValueId v);
  void bind(ValueId v, int target) { targets_[v] = target; }
  // A nameless value between two ops of one node.
  int temporary(uint8_t dtype, Shape shape) { return program.add_value(dtype, std::move(shape)); }
  int constant_f32(Shape shape, const std::vector<float>& v);
  int constant_i32(Shape shape, const std::vector<int32_t>& v);
  PackedConstants constants(const PackedWeights& w);
  int expr(const DimExpr& e) { return program.exprs.add(e); }
  // Throws std::logic_error where inference has none: no such value may get here.
  const Shape& shape(ValueId v) const;
  // Of the node being lowered, as the plan has it; empty without.
  std::vector<float> smoothing() const;
  // What the layer being lowered reads, where the plan has it compute over maps; null elsewhere.
  const MapLayer* map_layer() const;
  // The map of an f32 value [N, H, W, C], quantized once for all that read it with the same inverse factors.
  LoweredMap quantized_map(const Node& n, int x, const std::vector<float>& inv_smooth);
  // Known contents of an integer operand as expressions, or nullopt.
  std::optional<std::vector<DimExpr>> elements(ValueId v) const;

  // Integers narrower than 32 bits are computed in 32: brings the value of n's output back into its type's range, by wrapping.
  void wrap_narrow(const Node& n, ValueId output);
  // The value as another runtime dtype; itself when it has it.
  int as_dtype(const Node& n, int value, uint8_t dtype, const Shape& shape);

  TargetOp& op(const Node& n, ert::params::OpCode code, std::vector<int> inputs, std::vector<int> outputs,
               std::vector<int32_t> ints = {}, std::vector<float> floats = {});
  void unsupported(const Node& n, const std::string& reason, const std::string& hint);

 private:
  std::map<ValueId, int> targets_;
  std::map<std::pair<int, std::vector<float>>, LoweredMap> quantized_maps_;
};

using LowerFunction = void (*)(LowerContext& c, const Node& n);
// Null when the runtime has nothing for this kind.
LowerFunction lower_function(OpKind k);

// The ints of a window, as params::window names them.
std::vector<int32_t> window_ints(const WindowAttrs& a);

// The layer being lowered as an op over maps; its result is f32.
void lower_map_layer(LowerContext& c, const Node& n, const MapLayer& layer, int32_t activation, float alpha);

// ert_dtype that the runtime computes in for a graph dtype; 0 if there is none.
uint8_t runtime_dtype(DType t);

// The whole graph. Problems go to d; the program is only complete when d.ok(), and only finished after the program passes:
// build_program.h.
TargetProgram lower(const Graph& g, const LowerOptions& o, Diagnostics& d);

}  // namespace edgeconv
