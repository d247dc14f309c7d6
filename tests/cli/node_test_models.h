// The models of ONNX's node tests as material for damage: each operator in forms that work, over its recorded inputs.
#pragma once

#include <filesystem>
#include <vector>

#include "tests/cli/odd_values.h"

namespace edgeconv::testing {

// Folders of the node tests (ERT_ONNX_TESTDATA, or Debian's libonnx-testdata), sorted; none where they are not installed.
std::vector<std::filesystem::path> node_test_folders();

// The folder's model with none, some or all of its inputs made constants, of recorded or of odd values, and now and then all of its nodes
// inside an If, a Loop or a function.
pb::ModelProto node_test_model(const std::filesystem::path& folder, Random& random);

}  // namespace edgeconv::testing
