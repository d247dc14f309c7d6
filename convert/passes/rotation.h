// Rotary position embedding by what it computes: every column of the result as a signed sum of table entries times columns of
// x, found by following slices, concatenations, reshapes and products. All spellings (rotate_half, halves, interleaved pairs,
// part of the head) end in the same form.
#pragma once

#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// y[j] = x[j] * cos[j] - x[partner] * sin[j] for the first of a pair of columns, + for the second; columns from `rotated` on are x.
struct Rotation {
  ValueId x = kNone, cos = kNone, sin = kNone;
  int64_t rotated = 0;
  bool interleaved = false;                     // pairs are neighbours, otherwise half of `rotated` apart
  std::vector<int64_t> cos_column, sin_column;  // column of the table for every rotated column
};

std::optional<Rotation> match_rotation(const Graph& g, ValueId y);

}  // namespace edgeconv
