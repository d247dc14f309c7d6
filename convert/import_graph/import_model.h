// The front door of the importer: from a path to a graph with all problems of the file in the diagnostics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/files/mapped_file.h"
#include "convert/import_graph/cut.h"
#include "convert/import_graph/pinning.h"

namespace edgeconv {

// What is said about the source file in reports and in the certificate of the blob.
struct ModelInfo {
  std::string path;
  std::string graph_name;
  int64_t ir_version = 0;
  std::map<std::string, int> opsets;  // domain ("" for ai.onnx) -> version
  std::string producer_name, producer_version;
  int64_t node_count = 0;                // of the main graph, functions expanded
  std::map<std::string, int> operators;  // nodes by type, with domain when it is not ai.onnx
  std::map<DType, int64_t> parameters;   // elements of initializers by type
  int64_t parameter_count = 0;           // elements of initializers of rank >= 1, and of float and 8-bit Constant nodes
  uint64_t file_bytes = 0, external_bytes = 0;
  std::vector<std::string> external_files;  // locations as in the file, sorted
  std::vector<std::string> dims;            // named dims of the inputs, in order of appearance
  std::vector<std::string> input_names, output_names;
  std::vector<DType> output_types;           // as declared; kUndefined where they are not
  std::vector<std::string> declared_inputs;  // as in the file; input_names lacks the pinned and the cut ones
  std::map<std::string, int64_t> fixed_dims;
  std::vector<PinnedInput> pinned;
  std::vector<std::string> chosen_outputs;  // --outputs; empty: those of the file
  std::vector<CutInput> cut;                // inputs that these do not need
  std::shared_ptr<const FileGraph> file;    // what is left of it
  std::string sha256;                       // of the model file, followed by its external files in order of their locations
};

struct ImportOptions {
  std::vector<std::string> custom_ops;  // "domain::Name": operators of these names are passed through
  Pinning pinning;
  std::map<std::string, int64_t> most_dims = {};  // Graph::most_dims
};

struct ImportedModel {
  Graph graph;
  ModelInfo info;
  std::vector<std::shared_ptr<const MappedFile>> files;  // that constants of the graph are views of
};

// Throws FatalError when the file cannot be read at all, kUsage when the pinning does not fit it. Otherwise problems are in d (d.check() throws them) and the graph
// must not be used unless d.ok().
ImportedModel import_model(const std::string& path, Diagnostics& d, const ImportOptions& o = {});

// The same for a file in memory; external data is looked up beside `path`.
ImportedModel import_model_bytes(const uint8_t* data, size_t bytes, const std::string& path, Diagnostics& d,
                                 const ImportOptions& o = {});

}  // namespace edgeconv
