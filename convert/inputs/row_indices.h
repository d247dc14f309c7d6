// Whether the rows of recorded inputs may be cut apart.
#pragma once

#include <string>

#include "convert/ir/graph.h"

namespace edgeconv {

// Indices that are computed from inputs, along an axis that counts rows: cut into sets they would mean other rows, or none.
// GatherND with positions that are no input themselves usually numbers the rows of the batch by itself.
bool indices_cross_rows(const Graph& g, const std::string& rows);

}  // namespace edgeconv
