// Changes to what ONNX models nest: functions and graphs in attributes, which tests/cli/model_mutator.h leaves alone, and tensors that are stored another way.
#pragma once

#include "tests/cli/odd_values.h"

namespace ert::fuzz {

// One change, which may be none where the model has nothing of the kind. The model has a graph.
void mutate_nested(edgeconv::pb::ModelProto* model, edgeconv::testing::Random& random);

}  // namespace ert::fuzz
