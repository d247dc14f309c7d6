// Damage to ONNX files: by the rules of tests/cli/model_mutator.h and nested_mutator.h, from the fuzzer's random numbers.
#pragma once

#include "tests/fuzz/target.h"

namespace ert::fuzz {

bool mutate_onnx(Bytes* bytes, RandomNumbers* random);

}  // namespace ert::fuzz
