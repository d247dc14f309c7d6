// `edgeconv inspect`: an ONNX model before conversion, or a blob after it.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/infer/infer.h"
#include "convert/onnx/import_model.h"
#include "convert/report/diagnosis.h"
#include "convert/report/summary.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

namespace {

using Json = nlohmann::ordered_json;

// Schema version 1: {"version", "kind": "onnx", "ir_version", "opsets": {}, "producer", "nodes", "parameters", "bytes", "dims": [],
// "inputs": [{"name","dtype","shape"}], "outputs": [...], "operators": {"MatMul": 16, ...}, "problems": [{"op","where","reason","hint"}]}
Json inspect_model(const std::string& path) {
  Diagnostics d;
  const ImportedModel m = import_model(path, d);
  Graph g = m.graph;
  if (d.ok()) {
    diagnose_file(g, d);
    infer(g, d);
  }
  if (d.ok()) diagnose_graph(g, d);
  Json j{{"version", 1}, {"kind", "onnx"}, {"ir_version", m.info.ir_version}};
  for (const auto& [domain, version] : m.info.opsets) j["opsets"][domain.empty() ? "ai.onnx" : domain] = version;
  j["producer"] = m.info.producer_name + " " + m.info.producer_version;
  j["nodes"] = m.info.node_count;
  j["parameters"] = m.info.parameter_count;
  j["bytes"] = m.info.file_bytes + m.info.external_bytes;
  j["dims"] = m.info.dims;
  for (const char* side : {"inputs", "outputs"}) {
    j[side] = Json::array();
    for (ValueId v : side[0] == 'i' ? g.inputs : g.outputs) {
      const Value& value = g.value(v);
      j[side].push_back({{"name", value.name},
                         {"dtype", dtype_name(value.dtype)},
                         {"shape", value.shape ? shape_str(*value.shape) : "unknown"}});
    }
  }
  std::map<std::string, int> operators;
  for (const Node& n : m.graph.nodes) ++operators[n.origin.op_type];
  j["operators"] = operators;
  j["problems"] = Json::array();
  for (const Problem& p : d.problems())
    j["problems"].push_back({{"op", p.op}, {"where", p.where}, {"reason", p.reason}, {"hint", p.hint}});
  j["warnings"] = d.warnings();
  return j;
}

std::string shape_text(const BoundaryInfo& b, const std::vector<NamedDim>& dims) {
  std::string s = "[";
  for (size_t a = 0; a < b.shape.size(); ++a)
    s += (a ? ", " : "") + (b.dim[a] >= 0    ? dims[static_cast<size_t>(b.dim[a])].name
                            : b.shape[a] < 0 ? std::string("?")
                                             : std::to_string(b.shape[a]));
  return s + "]";
}

// Schema version 1: {"version", "kind": "blob", "format", "producer", "source_sha256", "bytes", "stored_bytes", "compression", "weight_bytes", "checksum", "ops", "padding": "zero" | "compute", "mask" (of zero), "dims":
// [{"name","min","max"}], "inputs": [...], "outputs": [...], "memory": [{"dims","arena_bytes","macs"}], "golden_vectors"}
Json inspect_blob(const BlobFile& file) {
  BlobRunner runner(file.data(), file.bytes());
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&runner.model(), &info);
  Json j{{"version", 1},
         {"kind", "blob"},
         {"format", fmt::format("{}.{}", info.format_major, info.format_minor)},
         {"producer", info.producer},
         {"source_sha256", info.source_sha256},
         {"bytes", info.blob_bytes},
         {"stored_bytes", file.stored_bytes()},
         {"compression", file.compressed() ? "zstd" : "none"},
         {"weight_bytes", info.weight_bytes},
         {"checksum", fmt::format("{:08x}", info.content_crc)},
         {"ops", info.ops},
         {"padding", info.skips_padding ? "zero" : "compute"}};
  if (info.skips_padding) j["mask"] = runner.inputs().at(info.mask_input).name;
  j["dims"] = Json::array();
  for (const NamedDim& d : runner.dims()) j["dims"].push_back({{"name", d.name}, {"min", d.min}, {"max", d.max}});
  for (const bool in : {true, false}) {
    Json& list = j[in ? "inputs" : "outputs"] = Json::array();
    for (const BoundaryInfo& b : in ? runner.inputs() : runner.outputs()) {
      Json row{{"name", b.name}, {"dtype", dtype_name(b.dtype)}, {"shape", shape_text(b, runner.dims())}};
      if (in && b.min != INT32_MIN) row["range"] = {b.min, b.max};
      list.push_back(row);
    }
  }
  Tensor copy(DType::kUint8, {static_cast<int64_t>(file.bytes())});
  std::memcpy(copy.mutable_data(), file.data(), file.bytes());
  j["memory"] = Json::array();
  for (const auto& row : memory_table(copy).rows) {
    Json dims = Json::object();
    for (const auto& [name, n] : row.dims) dims[name] = n;
    j["memory"].push_back({{"dims", dims}, {"arena_bytes", row.bytes}, {"macs", row.macs}});
  }
  j["golden_vectors"] = info.golden_vectors;
  return j;
}

// The same as indented "key  value" lines.
void print_text(const Json& j) {
  for (const auto& [key, value] : j.items()) {
    if (key == "version") continue;
    if (!value.is_array() && !value.is_object()) {
      std::printf("%-16s %s\n", key.c_str(), value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
      continue;
    }
    std::printf("%s%s\n", key.c_str(), value.empty() ? "  none" : "");
    for (const auto& [name, item] : value.items()) {
      std::string line = value.is_object() ? name + "  " : "";
      if (item.is_object())
        for (const auto& [k, v] : item.items()) line += k + "=" + (v.is_string() ? v.get<std::string>() : v.dump()) + "  ";
      else
        line += item.is_string() ? item.get<std::string>() : item.dump();
      std::printf("  %s\n", line.c_str());
    }
  }
}

int inspect(const std::string& path, bool json) {
  Json j;
  {
    const BlobFile file(path);
    j = file.looks_like_blob() ? inspect_blob(file) : inspect_model(path);
  }
  if (json)
    std::printf("%s\n", j.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  else
    print_text(j);
  return 0;
}

}  // namespace

Action add_inspect(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  app.add_option("file", *path, "ONNX model or blob")->required();
  app.add_flag("--json", *json, "as JSON");
  return [path, json] { return inspect(*path, *json); };
}

}  // namespace edgeconv::cli
