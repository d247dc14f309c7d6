// How often a Loop runs, or at most.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

constexpr int64_t kMaxNodes = 50000;  // of a graph into which a loop was unrolled: nested ones multiply

int64_t rounds_that_fit(const Graph& body);

// A count of one element, as an expression of dims.
std::optional<DimExpr> number_of(const Graph& g, ValueId v);

// How often a body runs whose condition follows from the iteration number, constants, and what it carries of these: it is tried out.
std::optional<int64_t> trips_by_condition(Graph& g, const Node& n, const Graph& body, size_t carried, std::optional<int64_t> most);

// The most rounds of a loop over a dim that the user gave a largest size, however the count is computed from it; nothing where that is not known.
std::optional<int64_t> most_trips(const Graph& g, ValueId count);

// The constant that a Min or Clip keeps a count of the data to.
std::optional<int64_t> bound_of_count(const Graph& g, ValueId count);

// Whether rounds behind the last may be computed and left out, of a body with these carried values, of which counters[i] are counters: whatever else is carried keeps its shape.
// `strictly`: all shapes must be known, and no index may come of it, which could leave its table.
bool may_run_on(const Graph& g, const Node& n, const Graph& body, const std::vector<std::optional<int64_t>>& counters, bool strictly);

// A Loop without a count, or with the largest number there is, whose condition compares a counter with a size: the count is made of it. True if it was.
bool count_rounds_by_condition(Graph& g, NodeId id);

}  // namespace edgeconv
