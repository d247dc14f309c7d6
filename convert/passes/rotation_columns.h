// The last axis of a value, column by column, as signed sums of columns of another value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv::rotation {

constexpr int kMaxDepth = 16;          // nodes followed from a value back
constexpr int64_t kMaxColumns = 4096;  // of a value; wider ones are not followed

// sign * x[index], times table[column] if there is a table.
struct Term {
  int sign = 1;
  ValueId table = kNone;
  int64_t column = 0, index = 0;
};
using Column = std::vector<Term>;

// The axes behind the leading ones that x has too, of static sizes, and their elements in order.
struct Columns {
  std::vector<int64_t> dims;
  std::vector<Column> each;
};

// The columns of v in terms of x, whose last axis is of static size; nullopt if v is computed in any other way.
std::optional<Columns> columns(const Graph& g, ValueId x, ValueId v);

}  // namespace edgeconv::rotation
