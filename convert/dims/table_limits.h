// How large dims and ids may be for every slice and lookup to stay inside its table.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "convert/ir/graph.h"

namespace edgeconv {

using TableLimits = std::map<std::string, int64_t>;  // the largest value of a dim

// Of dims that are the size of a part of a table.
void limit_by_slices(const Graph& g, TableLimits& limits);

// Of dims that are the number of ids which the graph itself counts up (positions); and the rows of the tables that inputs index. Ids that are
// a part of an input, such as one coordinate of boxes, say nothing of its other parts: they go to `rows_of_part`.
void limit_by_lookups(const Graph& g, TableLimits& limits, std::map<ValueId, int64_t>& rows_of_input, std::map<ValueId, int64_t>& rows_of_part);

}  // namespace edgeconv
