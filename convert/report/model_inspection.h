// What `edgeconv inspect` says about an ONNX file: what is in it, what a conversion would make of every node, and what it would
// cost on the device. No weight is packed and nothing is run, so a large model takes seconds.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/import_graph/import_model.h"
#include "convert/dims/dims.h"
#include "convert/prepare/prepare.h"
#include "convert/report/memory_table.h"

namespace edgeconv {

struct BoundaryValue {
  std::string name, dtype, shape;
};

using Counts = std::map<std::string, int>;

struct ModelInspection {
  ModelInfo info;
  std::vector<BoundaryValue> inputs, outputs;
  Diagnostics diagnostics;
  std::string stopped;  // why there is no plan, where the diagnostics do not tell: a dim that has to be given, a limit

  // The plan with default options in int8; empty when the model is refused.
  DimPlan dims;
  Counts fused_ops, generic_ops;                    // runtime ops by kind
  Counts fused_nodes, generic_nodes, folded_nodes;  // operators of the file by type; folded: computed, or not needed
  struct Estimate {
    // Without the certificate and golden vectors: they add some kB of flash, and golden vectors RAM for their outputs.
    size_t flash_bytes;
    std::string mask;  // the input by which padded positions are skipped; empty: all positions are computed
    MemoryTable memory;
  };
  std::optional<Estimate> estimate;
};

// dims: maxima as from --dim; options: --custom-op, --fix and --const. Throws FatalError when the file cannot be read or is malformed.
ModelInspection inspect_model(const std::string& path, const std::map<std::string, int64_t>& dims, const PrepareOptions& options);

std::string inspection_text(const ModelInspection& m);

// Schema version 1: {"version", "kind": "onnx", "ir_version", "opsets": {domain: n}, "producer", "nodes", "operators": {type: n},
// "parameters", "parameter_bytes", "parameter_types": {dtype: n}, "bytes", "source_sha256", "dims": [name], "fixed_dims", "pinned_inputs", "chosen_outputs" and "cut_inputs" as in result/certificate.h, "dim_ranges": [{"name",
// "min", "max", "limit" (only where a table of the model sets one)}], "inputs": [{"name", "dtype", "shape"}], "outputs": [...],
// "fused": {"ops": {runtime op: n}, "nodes": {type: n}}, "generic": {same}, "folded": {"nodes": {type: n}}, "problems": [{"op",
// "where", "reason", "hint"}], "warnings": [], "stopped": null or text, "estimate": null or {"precision": "int8", "flash_bytes",
// "padding": "zero" | "compute", "mask" (of zero), "memory": [{"dims": {}, "arena_bytes", "macs"}]}}
nlohmann::ordered_json inspection_json(const ModelInspection& m);

}  // namespace edgeconv
