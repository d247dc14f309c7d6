// Files that are no good ONNX, made by code, each with the exit code that it must have; good ones beside them show that the rule does
// not refuse too much.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/cli/model_writer.h"

namespace edgeconv::testing {

struct CorpusFile {
  std::string name;
  int exit_code;  // 0, 3 malformed, 4 unsupported, 5 limit
  std::string bytes;
};

using Corpus = std::vector<CorpusFile>;

void add_wire_damage(Corpus& c);      // malformed_wire.cc: protobuf itself
void add_tensor_damage(Corpus& c);    // malformed_tensors.cc: types, sizes and contents of constants
void add_graph_damage(Corpus& c);     // malformed_graphs.cc: names, order, inputs, outputs, versions, functions
void add_operator_damage(Corpus& c);  // malformed_operators.cc: operands, results and attributes of every operator, and the next:
void add_operand_damage(Corpus& c);   // malformed_operands.cc: operands that an operator does not take

// x float [n, 4], k int64 [n, 4], q uint8 [n, 4], b bool [n, 4] -> y float [n, 4].
ModelWriter corpus_model();

// Adds corpus_model() with a change.
void add_model(Corpus& c, const std::string& name, int exit_code, const std::function<void(ModelWriter&)>& change);

}  // namespace edgeconv::testing
