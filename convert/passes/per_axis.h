// Integer operands that name axes: of Slice, Pad and their like, as one number for each axis.
#pragma once

#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// The contents of an integer operand; nullopt where they are not known.
std::optional<std::vector<DimExpr>> integers(const Graph& g, ValueId v);

// The same, one number per axis, 0 where the node names none. part: which half of a list with two numbers per axis.
std::optional<std::vector<DimExpr>> per_axis(const Graph& g, ValueId numbers, ValueId axes, size_t rank, size_t part);

// A Slice that leaves nothing out between its starts and its ends.
bool steps_of_one(const Graph& g, const Node& slice);

// How much a Slice with steps of one cuts off each axis, in front and behind. nullopt where what it cuts in front is not a known
// number from 0 on.
struct Crop {
  std::vector<int64_t> front;
  std::vector<DimExpr> behind;
};
std::optional<Crop> crop_of(const Graph& g, const Node& slice);

}  // namespace edgeconv
