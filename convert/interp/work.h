// What it costs to run a graph once on the host. An estimate from sizes alone, with fixed prices: it decides how much the
// conversion runs, so it must not depend on the machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

using DimSizes = std::map<std::string, int64_t>;

// Of the named dims, for these inputs.
DimSizes sizes_of(const Graph& g, const std::vector<Tensor>& inputs);

// Elements at these sizes, as a double: sizes of hostile models overflow any integer. Infinite in effect where a size is unknown.
double elements_at(const Shape& shape, const DimSizes& dims);

// Nanoseconds, about, of one core. What has no known size costs nothing; a loop without a known number of rounds costs infinity.
double node_work(const Graph& g, const Node& n, const DimSizes& dims);

// Of all nodes, and of making up the inputs.
double graph_work(const Graph& g, const DimSizes& dims);

// Elements of all constants; with those in bodies of If and Loop.
double parameters(const Graph& g);
double parameters_with_bodies(const Graph& g);

// What a run of a graph may take of something: as much as each of its parameters brings, and beside it what a small model takes, of which one with few
// parameters has a part.
struct Allowance {
  double small_model, few_parameters, each_of_few, each;
  double of(const Graph& g) const;
};

// What one run on made-up inputs may cost: a second, more for the parameters that a file brings, and a part of it where there are few. A BERT
// takes a tenth of its share for a thousand tokens, a model that uses its weights in every layer (ALBERT) all of it.
double allowed_work(const Graph& g);

}  // namespace edgeconv
