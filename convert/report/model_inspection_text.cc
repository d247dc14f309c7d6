// A model inspection as text and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "convert/ir/foreign_text.h"
#include "convert/report/model_inspection.h"
#include "convert/files/json.h"
#include "convert/result/certificate.h"

namespace edgeconv {

namespace {

std::string domain_name(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

uint64_t parameter_bytes(const ModelInfo& info) {
  uint64_t bytes = 0;
  for (const auto& [dtype, n] : info.parameters) bytes += static_cast<uint64_t>(n) * dtype_size(dtype);
  return bytes;
}

int total(const Counts& counts) {
  int n = 0;
  for (const auto& [name, count] : counts) n += count;
  return n;
}

// "MatMul 36, Add 20", the most frequent first.
std::string listed(const Counts& counts) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [name, n] : counts) sorted.emplace_back(-n, name);
  std::sort(sorted.begin(), sorted.end());
  std::string s;
  for (const auto& [n, name] : sorted) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", printable(name), -n);
  return s;
}

constexpr size_t kMostColumns = 110;

// "key       text", broken at ", " and indented where it is longer than a line.
std::string line(const char* key, std::string text) {
  if (text.empty()) return "";
  std::string s = fmt::format("{:<10}", key);
  while (text.size() + 10 > kMostColumns) {
    const size_t comma = text.rfind(", ", kMostColumns - 11);
    if (comma == std::string::npos) break;
    s += text.substr(0, comma + 1) + "\n          ";
    text.erase(0, comma + 2);
  }
  return s + text + "\n";
}

// Of the operators x.
std::string boundary_text(const BoundaryValue& v) {
  if (v.dtype == dtype_name(DType::kUndefined)) return printable(v.name) + " of unknown type";
  return fmt::format("{} {} {}", printable(v.name), v.dtype, v.shape == "unknown" ? "of unknown shape" : escaped(v.shape));
}

// What a conversion would say: all reasons, grouped by operator.
std::string refusal(const Diagnostics& d) {
  try {
    d.check();
  } catch (const FatalError& e) {
    return e.what();
  }
  return "";
}

std::string file_lines(const ModelInspection& m) {
  std::string opsets, types;
  for (const auto& [domain, version] : m.info.opsets)
    opsets += fmt::format("{}{} {}", opsets.empty() ? "" : ", ", printable(domain_name(domain)), version);
  for (const auto& [dtype, n] : m.info.parameters)
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", dtype_name(dtype), n);
  std::string s = line("model", fmt::format("IR version {}, opset {}, {}", m.info.ir_version, opsets,
                                            human_bytes(static_cast<double>(m.info.file_bytes + m.info.external_bytes))));
  s += line("producer", m.info.producer_name + " " + m.info.producer_version);
  s += line("nodes", fmt::format("{}: {}", m.info.node_count, listed(m.info.operators)));
  s += line("params", fmt::format("{} in {}: {}", m.info.parameter_count,
                                  human_bytes(static_cast<double>(parameter_bytes(m.info))), types.empty() ? "none" : types));
  for (const BoundaryValue& v : m.inputs) s += line("input", boundary_text(v));
  s += line("pinned", pinned_list(m.info.fixed_dims, m.info.pinned));
  s += cut_lines(m.info.chosen_outputs, m.info.cut);
  for (const BoundaryValue& v : m.outputs) s += line("output", boundary_text(v));
  return s;
}

std::string plan_lines(const ModelInspection& m) {
  std::string s;
  for (const auto& [name, range] : m.dims.range) {
    const auto limit = m.dims.table_limit.find(name);
    std::string others;
    if (const auto also = m.dims.also_called.find(name); also != m.dims.also_called.end())
      for (const std::string& other : also->second) others += (others.empty() ? ", also called " : ", ") + printable(other);
    s += line("dim", fmt::format("{}: {} to {} (--dim {}=MAX{}){}", printable(name), range.first, range.second, printable(name),
                                 limit == m.dims.table_limit.end() ? "" : fmt::format(", at most {}", limit->second), others));
  }
  if (!m.fused_nodes.empty() || !m.fused_ops.empty())
    s += line("fused", fmt::format("{} nodes into {} ops: {}", total(m.fused_nodes), total(m.fused_ops), listed(m.fused_ops)));
  if (!m.generic_nodes.empty() || !m.generic_ops.empty())
    s += line("generic", fmt::format("{} nodes one by one ({}) as {} ops: {}", total(m.generic_nodes),
                                     m.generic_nodes.empty() ? "none" : listed(m.generic_nodes), total(m.generic_ops),
                                     listed(m.generic_ops)));
  if (!m.folded_nodes.empty())
    s += line("folded", fmt::format("{} nodes computed now or not needed: {}", total(m.folded_nodes), listed(m.folded_nodes)));
  if (m.estimate) {
    s += line("flash", fmt::format("about {} in int8, and a few kB for the certificate",
                                   human_bytes(static_cast<double>(m.estimate->flash_bytes))));
    s += memory_text(m.estimate->memory);
    if (!m.estimate->mask.empty())
      s += line("padding", fmt::format("skipped by '{}': costs nothing, zero in outputs", printable(m.estimate->mask)));
  }
  return s;
}

}  // namespace

std::string inspection_text(const ModelInspection& m) {
  std::string s = file_lines(m) + plan_lines(m);
  if (const std::string reasons = refusal(m.diagnostics); !reasons.empty()) s += fmt::format("refused   {}\n", reasons);
  if (!m.stopped.empty()) s += fmt::format("stopped   {}\n", m.stopped);
  for (const std::string& w : m.diagnostics.warnings()) s += fmt::format("warning   {}\n", w);
  return s;
}

Json inspection_json(const ModelInspection& m) {
  Json j{{"version", 1}, {"kind", "onnx"}, {"ir_version", m.info.ir_version}};
  j["opsets"] = Json::object();
  for (const auto& [domain, version] : m.info.opsets) j["opsets"][domain_name(domain)] = version;
  j["producer"] = m.info.producer_name + " " + m.info.producer_version;
  j["nodes"] = m.info.node_count;
  j["operators"] = m.info.operators;
  j["parameters"] = m.info.parameter_count;
  j["parameter_bytes"] = parameter_bytes(m.info);
  j["parameter_types"] = Json::object();
  for (const auto& [dtype, n] : m.info.parameters) j["parameter_types"][std::string(dtype_name(dtype))] = n;
  j["bytes"] = m.info.file_bytes + m.info.external_bytes;
  j["source_sha256"] = m.info.sha256;
  j["dims"] = m.info.dims;
  j["fixed_dims"] = Json::object();
  for (const auto& [name, size] : m.info.fixed_dims) j["fixed_dims"][name] = size;
  j["pinned_inputs"] = pinned_inputs_json(m.info.pinned);
  j["chosen_outputs"] = m.info.chosen_outputs;
  j["cut_inputs"] = cut_inputs_json(m.info.cut);
  j["dim_ranges"] = Json::array();
  for (const auto& [name, range] : m.dims.range) {
    Json row{{"name", name}, {"min", range.first}, {"max", range.second}};
    if (const auto limit = m.dims.table_limit.find(name); limit != m.dims.table_limit.end()) row["limit"] = limit->second;
    if (const auto also = m.dims.also_called.find(name); also != m.dims.also_called.end()) row["also_called"] = also->second;
    j["dim_ranges"].push_back(row);
  }
  for (const bool in : {true, false}) {
    Json& list = j[in ? "inputs" : "outputs"] = Json::array();
    for (const BoundaryValue& v : in ? m.inputs : m.outputs)
      list.push_back({{"name", v.name}, {"dtype", v.dtype}, {"shape", v.shape}});
  }
  j["fused"] = {{"ops", m.fused_ops}, {"nodes", m.fused_nodes}};
  j["generic"] = {{"ops", m.generic_ops}, {"nodes", m.generic_nodes}};
  j["folded"] = {{"nodes", m.folded_nodes}};
  j["problems"] = Json::array();
  for (const Problem& p : m.diagnostics.problems())
    j["problems"].push_back({{"op", p.op}, {"where", p.where}, {"reason", p.reason}, {"hint", p.hint}});
  j["warnings"] = m.diagnostics.warnings();
  j["stopped"] = m.stopped.empty() ? Json(nullptr) : Json(m.stopped);
  j["estimate"] = nullptr;
  if (m.estimate) {
    const bool skips = !m.estimate->mask.empty();
    Json e{{"precision", "int8"}, {"flash_bytes", m.estimate->flash_bytes}, {"padding", skips ? "zero" : "compute"}};
    if (skips) e["mask"] = m.estimate->mask;
    e["memory"] = memory_json(m.estimate->memory);
    j["estimate"] = e;
  }
  return j;
}

}  // namespace edgeconv
