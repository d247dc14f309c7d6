// Values in the body of a loop as rows, one for each sequence of the batch: what the equations of a recurrent cell are read from.
#pragma once

#include <optional>

#include "convert/ir/graph.h"

namespace edgeconv {

struct Rows {
  DimExpr rows, columns;
  bool operator==(const Rows&) const = default;
};

// The last axis are the columns; nothing of scalars, and where the shape is not known.
std::optional<Rows> rows_of(const Graph& g, ValueId v);

// Behind nodes that leave type, rows and columns as they are.
ValueId same_rows(const Graph& g, ValueId v);

// Of a float constant of one element.
std::optional<float> single_number(const Graph& g, ValueId v);

}  // namespace edgeconv
