// From a file to the graph that everything else works on: imported, inferred, with the boundary that the user asked for, and
// freed from quantization nodes. Conversion and validation share it, so that they mean the same model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/prepare/boundary.h"
#include "convert/prepare/raw_inputs.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/pass_trace.h"
#include "convert/import_graph/import_model.h"
#include "convert/task/task_output.h"

namespace edgeconv {

struct PrepareOptions {
  std::vector<Join> joins;                        // --concat
  std::vector<std::string> custom_ops;            // --custom-op DOMAIN::NAME
  Pinning pinning;                                // --fix NAME=N, --const INPUT=VALUE|FILE.npy
  std::vector<RawInput> raw_inputs;               // --input-scale NAME=mean,std
  std::map<std::string, int64_t> most_dims = {};  // --dim NAME=MAX
  std::optional<TaskSettings> task = {};          // --task: what the outputs are made for; nothing: those of the file
  PassTrace* trace = nullptr;                     // what the passes do is written down here
};

struct PreparedModel {
  Graph graph;
  ModelInfo info;
  std::vector<std::pair<std::string, int>> fusions;  // pass -> matches
  std::vector<RawInput> raw_inputs;                  // with their types
  TaskSettings task;                                 // with what was left open; kind is empty without one
  TextInputs text_inputs;                            // of a task
  std::vector<std::shared_ptr<const MappedFile>> files;

  // Between the steps of a conversion: weights are read again when the next step needs them.
  void drop_pages() const {
    for (const auto& f : files) f->drop_pages();
  }
};

// Throws FatalError; warnings are left in d.
PreparedModel prepare_model(const std::string& path, const PrepareOptions& o, Diagnostics& d);
PreparedModel prepare_model(ImportedModel imported, const PrepareOptions& o, Diagnostics& d);

// Throws FatalError(kUsage) when the text is not DOMAIN::NAME.
std::string parse_custom_op(const std::string& text);

}  // namespace edgeconv
