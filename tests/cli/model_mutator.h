// Damage to ONNX files, from a random number generator alone: the same on every machine. Bytes, fields within the rules of protobuf,
// and small models that put one operator over operands that it may not expect.
#pragma once

#include <string>

#include "tests/cli/odd_values.h"

namespace edgeconv::testing {

void mutate_bytes(std::string& bytes, Random& random);

// One change: attributes, operators, operands, results, nodes, initializers, inputs, outputs, names, operator sets.
void mutate_model(pb::ModelProto& m, Random& random);

// One or two operators of `edgeconv supported-ops` with attributes that some operator has, over inputs of all types and constants of
// odd sizes: empty, scalar, negative, large, not finite.
pb::ModelProto odd_operator(Random& random);

}  // namespace edgeconv::testing
