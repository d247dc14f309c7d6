// What LinearClassifier and LinearRegressor of ai.onnx.ml share.
#pragma once

#include <string>
#include <vector>

#include "convert/import/building_blocks.h"

namespace edgeconv {

// x times the transposed `coefficients`, of which there are `count` rows, plus one intercept for each, if any: [N, count].
ValueId linear_scores(ImportContext& c, const OnnxNode& n, int64_t count, const std::vector<float>& intercepts);

// The node's post_transform, of which those that are no SOFTMAX, LOGISTIC or NONE are refused.
std::string score_transform(const OnnxNode& n);

// SOFTMAX, LOGISTIC or NONE of [N, count].
ValueId transformed_scores(ImportContext& c, const OnnxNode& n, ValueId scores, const std::string& transform);

}  // namespace edgeconv
