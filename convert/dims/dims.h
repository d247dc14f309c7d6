// What is known of the inputs: the range of every named dim (what --dim says, what the graph's tables allow, and defaults), and what
// the inputs hold.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "convert/dims/input_kinds.h"
#include "convert/dims/kept_states.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct DimPlan {
  std::map<std::string, std::pair<int32_t, int32_t>> range;    // name -> min, max
  std::map<std::string, std::vector<std::string>> also_called;  // other names of the file, which --dim takes too
  std::map<ValueId, std::pair<int32_t, int32_t>> input_range;  // allowed contents of integer inputs
  std::map<std::string, int32_t> least;                        // dims whose smallest size follows from an equality of sizes
  std::map<std::string, int64_t> table_limit;  // dims that a table of the model limits, or the rounds of an unrolled loop
  std::set<ValueId> ones_are_padding;          // masks with the unusual meaning; known once the program is lowered
  std::map<ValueId, InputNature> kinds;        // of float inputs that are not plain features, and of kept states
  std::vector<KeptState> kept_states;          // of --state
  std::map<ValueId, float> levels;                        // hidden states whose rows are not about 1 (hidden_states.h)
  std::map<ValueId, std::pair<float, float>> rounded_to;  // ranges of float inputs of a quantized file (inputs/quantized_ranges.h)
  std::map<ValueId, int64_t> part_rows;        // inputs of which parts (coordinates) index tables of this size
  std::map<ValueId, std::vector<DimExpr>> indexed_sizes;  // inputs that index axes of these sizes
  std::map<ValueId, std::vector<DimExpr>> counted_sizes;  // inputs that say how much of axes of these sizes counts
};

// requested: name -> max, from --dim. states: of --state, for what the inputs are. Leading axes default to 8 (64 where nothing else is dynamic) unless layers go along them, as along
// frames (frame_axes.h): those are token axes. These default to the position table's limit, else to 512; not so beside axes that must be given, such as audio samples, because a mask's axis may be one of those.
// Throws FatalError: kUsage for a dim without a sensible default, an unknown dim, or one beyond the table; kMalformed where no value
// of a dim keeps lookups inside their table.
DimPlan plan_dims(const Graph& g, const std::map<std::string, int64_t>& requested, const std::vector<KeptState>& states = {});

}  // namespace edgeconv
