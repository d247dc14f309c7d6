// What `edgeconv inspect` says about a blob: boundary, ops, cost for given dims, and the certificate of its conversion.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace edgeconv {

struct StoredBlob {
  const void* data;  // expanded, as ert_model_open wants it
  size_t bytes;
  size_t stored_bytes;  // of the file
  bool compressed;
  bool has_signature;  // of whomever
};

// Schema version 1: {"version", "kind": "blob", "format", "producer", "source_sha256", "bytes", "stored_bytes", "compression",
// "weight_bytes", "constants": {dtype: elements}, "checksum", "signed", "security_counter", "ops", "operators": {runtime op: n}, "padding": "zero" | "compute",
// "mask" (of zero), "dims": [{"name", "min", "max"}], "inputs": [{"name", "dtype", "shape", "range" (integers), "state" (of states: the other side)}], "outputs": [...], "custom_ops": [name], "memory": [{"dims": {},
// "arena_bytes", "macs", "steps", "largest_op_steps"}], "most_memory": as fullest_step_json says, "golden_vectors", "golden_bytes", "certificate": as in result/certificate.h, or null}.
// asked: dims for "memory", as from --dim; empty: a few settings up to all maxima.
nlohmann::ordered_json blob_inspection(const StoredBlob& blob, const std::map<std::string, int64_t>& asked);

std::string blob_inspection_text(const nlohmann::ordered_json& inspection);

}  // namespace edgeconv
