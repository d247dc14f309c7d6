// Conditions of loops over a dim that compare a counter with the number of rounds, as tf2onnx writes the while of a Keras layer.
#pragma once

#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// Whether the condition that a Loop is given lets its first round run, wherever there are rounds: none, a true constant, or one that compares numbers as
// far apart as there are rounds, where these are an expression of dims.
bool lets_first_round_run(const Graph& g, ValueId condition, const std::optional<DimExpr>& rounds);

struct CountedRounds {
  std::vector<std::optional<int64_t>>
      counters;          // of the scalars that are carried: the number in round 0 of one that grows by one each round
  bool condition_holds;  // the one that the body computes, in every round but the last
};

// Of a Loop in g with these inputs, of which `carried` are handed from round to round behind the count and the condition.
CountedRounds counted_rounds(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body, size_t carried,
                             const DimExpr& count);

// How often a body runs that only its condition ends: tf2onnx writes a while without a count, and TensorFlow Lite hands on the largest number there
// is. Where the condition compares counters with constants, or one of them with a size.
std::optional<DimExpr> rounds_by_condition(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body, size_t carried);

// The number of a round, as an expression.
DimExpr this_round();

// The body in that round: counters and whole numbers that are handed on as they came are known. Not inferred yet.
Graph body_in_round(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body,
                    const std::vector<std::optional<int64_t>>& counters);

}  // namespace edgeconv
