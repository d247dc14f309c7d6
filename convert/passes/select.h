// Choices between two values, as frameworks write them.
#pragma once

#include <optional>

#include "convert/ir/graph.h"

namespace edgeconv {

struct Select {
  ValueId condition = kNone, yes = kNone, no = kNone;
};

// Where(condition, yes, no), or what tf2onnx writes of tf.where: condition * yes + !condition * no with the condition as a number, which
// is the same where both are finite.
std::optional<Select> match_select(const Graph& g, ValueId v);

// The ids that `v` counts from the end of `rows` rows where they are below zero, Where(ids < 0, ids + rows, ids), as Gather of ONNX does by
// itself; kNone where v is anything else.
ValueId ids_before_wrap(const Graph& g, ValueId v, int64_t rows);

}  // namespace edgeconv
