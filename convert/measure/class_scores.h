// Outputs whose values are numbers of classes: which of two wrong numbers is nearer to the right one says nothing, and one that is right does not
// say by how much. They are measured by the scores that they are chosen by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/ir/tensor.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

// What ArgMax, ArgMin or TopK gives and reads.
struct ClassScores {
  ValueId chosen, scores;
  int64_t axis;           // from the front
  std::string operation;  // "ArgMax, axis -1", with the axis of the file
};

// Of the output v of g, through views, casts and a constant list of labels. Nothing where it holds something else.
std::optional<ClassScores> class_scores(const Graph& g, ValueId v);

// As they are compared: floats, the scores of one choice in a row. less_mean: less the mean of each row, which chooses nothing; squared distances, say,
// have much of it.
Tensor rows_of_scores(const Tensor& scores, int64_t axis, bool less_mean);

// Scores that a blob holds, in the shape that the model has: rows that it skips, because they are padding, are zero. No type where they do not fit.
Tensor scores_in_shape(const Tensor& held, const std::vector<int64_t>& dims, const std::optional<TokenMask>& mask);

}  // namespace edgeconv
