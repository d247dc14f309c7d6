// What figures were measured on, in words: the same in summaries, reports and `validate`.
#pragma once

#include <string>
#include <vector>

#include "convert/dims/dims.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// "made-up inputs", with what they are made up as where that is more than ids, masks and features: "made-up inputs ('x': sound)".
std::string made_up_text(const Graph& g, const DimPlan& dims, size_t sets);

// "recorded inputs of 'speech.npz'". frames: of streams, where the model keeps states; otherwise 0.
std::string recorded_text(const std::vector<std::string>& files, size_t frames = 0);

}  // namespace edgeconv
