// Reads the verified blob through the public API, and its metadata where the API has no question for it.
#include "convert/report/blob_inspection.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "convert/files/json.h"
#include "convert/program/weight_layout.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"
#include "convert/report/blob_parts.h"
#include "convert/report/certificate_check.h"
#include "convert/report/certified_pinning.h"
#include "convert/report/memory_table.h"
#include "convert/report/memory_timeline.h"
#include "convert/report/ops_of_blob.h"
#include "rt/blob/header.h"
#include "rt/ops/op.h"
#include "rt/ops/op_params.h"
#include "rt/schema/program_generated.h"

namespace edgeconv {

namespace {

std::string shape_text(const BoundaryInfo& b, const std::vector<NamedDim>& dims) {
  std::string s = "[";
  for (size_t a = 0; a < b.shape.size(); ++a)
    s += (a ? ", " : "") + (b.dim[a] >= 0    ? dims[static_cast<size_t>(b.dim[a])].name
                            : b.shape[a] < 0 ? std::string("?")
                                             : std::to_string(b.shape[a]));
  return s + "]";
}

// others: the outputs of inputs and the inputs of outputs, by which states are named.
Json boundary_rows(const std::vector<BoundaryInfo>& values, const std::vector<BoundaryInfo>& others,
                   const std::vector<NamedDim>& dims) {
  Json rows = Json::array();
  for (const BoundaryInfo& b : values) {
    Json row{{"name", b.name}, {"dtype", dtype_name(b.dtype)}, {"shape", shape_text(b, dims)}};
    if (b.min != INT32_MIN) row["range"] = {b.min, b.max};
    if (b.state >= 0) row["state"] = others.at(static_cast<size_t>(b.state)).name;
    rows.push_back(row);
  }
  return rows;
}

// Elements of the constants by their type; packed weights are int8, or of 12 bits in int16.
Json constants(const ert::fb::Program& p) {
  std::map<std::string, int64_t> elements;
  for (const ert::fb::Value* v : *p.values()) {
    if (v->storage() != static_cast<uint8_t>(ert::Storage::kConstant)) continue;
    int64_t n = 1;
    for (uint32_t a = 0; a < v->rank(); ++a) n *= p.exprs()->Get(v->shape()->Get(a))->value();
    elements[std::string(ert::params::is_int8_layout(v->dtype()) ? "int8"
                         : ert::params::is_packed(v->dtype())    ? "int16"
                                                                 : dtype_name(dtype_of_ert(v->dtype())))] += n;
  }
  return elements;
}

uint64_t golden_bytes(const ert::fb::Program& p) {
  uint64_t n = 0;
  for (const ert::fb::Segment* s : *p.segments())
    if (s->kind() == static_cast<uint8_t>(ert::SegmentKind::kGolden)) n += s->raw_bytes();
  return n;
}

// Elements of packed weights by their layout.
Json weight_layouts(const ert::fb::Program& p) {
  std::map<std::string, int64_t> elements;
  for (const ert::fb::Value* v : *p.values())
    for (const WeightTarget& t : kWeightTargets)
      if (v->dtype() == t.dtype)
        elements[std::string(t.layout)] +=
            p.exprs()->Get(v->shape()->Get(0))->value() * p.exprs()->Get(v->shape()->Get(1))->value();
  return elements.empty() ? Json::object() : Json(elements);
}

std::string target_of(const std::string& layout) {
  for (const WeightTarget& t : kWeightTargets)
    if (t.layout == layout) return std::string(t.name);
  return "?";
}

Json operators(const ert::fb::Program& p) {
  std::map<std::string, int> counts;
  for (const OpOfBlob& op : ops_of_blob(p)) {
    const ert::OpDef* def = ert::find_op(op.code);
    ++counts[def ? def->name : "op " + std::to_string(op.code)];
  }
  return counts;
}

std::string joined(const Json& object) {
  std::string s;
  for (const auto& [key, value] : object.items())
    s += fmt::format("{}{} {}", s.empty() ? "" : ", ", printable(key), value.dump());
  return s;
}

// A certificate is text that came with the file: nothing about its structure is certain.
std::string shown_text(const Json& j, const char* key) {
  return j.is_object() && j.contains(key) && j.at(key).is_string() ? printable(j.at(key).get<std::string>()) : "?";
}
double shown_number(const Json& j, const char* key) {
  return j.is_object() && j.contains(key) && j.at(key).is_number() ? j.at(key).get<double>() : std::nan("");
}

// The layer that is furthest from fp32 in the blob.
std::string worst_layer(const Json& layers) {
  std::string name;
  double least = std::numeric_limits<double>::infinity();
  for (const Json& l : layers)
    if (const double db = shown_number(l, "accumulated_sqnr_db"); db < least) least = db, name = shown_text(l, "name");
  return name.empty() ? "" : fmt::format("worst     {}: {:.1f} dB to fp32, errors before it included\n", name, least);
}

// The sizes and inputs that the model was converted for.
std::string pinned_lines(const Json& c) {
  const CertifiedPinning pinning = certified_pinning(c);
  std::string s;
  for (const auto& [name, size] : pinning.dims) s += fmt::format("pinned    {} = {}\n", printable(name), size);
  for (const CertifiedConstant& i : pinning.inputs)
    s += fmt::format("pinned    {} = {}\n", printable(i.name),
                     i.value.empty() ? "an array, sha256 " + printable(i.sha256) : printable(i.value));
  for (const RawInput& raw : certified_raw_inputs(c))
    s += fmt::format("raw       {}: (raw - mean) / std\n", printable(raw_input_text(raw)));
  return s + cut_lines(pinning.outputs, pinning.cut);
}

std::string certificate_text(const Json& c) {
  if (!c.is_object() || !c.contains("layers") || !c.contains("outputs")) return "layers    no certificate\n";
  std::map<std::string, int> precisions;
  for (const Json& l : c.at("layers")) ++precisions[shown_text(l, "precision")];
  std::string s = fmt::format("layers    {}; attention {}; calibrated on {} inputs\n",
                              precisions.empty() ? "all fp32" : joined(Json(precisions)), shown_text(c, "attention"),
                              shown_text(c, "calibration"));
  s += worst_layer(c.at("layers"));
  for (const Json& o : c.at("outputs"))
    if (const bool of_scores = o.is_object() && o.contains("scores_before"); std::isnan(shown_number(o, "cosine")))
      s += fmt::format("accuracy  {}: not known (the reference: {}), largest error {:.3g}\n", shown_text(o, "name"),
                       shown_text(o, "evidence"), shown_number(o, "max_abs"));
    else
      s += fmt::format("accuracy  {}: {}cosine {:.6f}, largest error {:.3g}, same {} {:.1f} %\n", shown_text(o, "name"),
                       of_scores ? "as scores before " + shown_text(o, "scores_before") + ": " : "", shown_number(o, "cosine"), shown_number(o, "max_abs"),
                       of_scores ? "choices" : "argmax", 100 * shown_number(o, "argmax_agreement"));
  if (!c.contains("measured_on")) return s;
  const Json& on = c.at("measured_on");
  return s + fmt::format("certified against {}, on {:.0f} sets of {} inputs\n", shown_text(c, "reference"),
                         shown_number(on, "sets"), shown_text(on, "inputs"));
}

}  // namespace

Json blob_inspection(const StoredBlob& blob, const std::map<std::string, int64_t>& asked) {
  const BlobRunner runner(blob.data, blob.bytes);
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&runner.model(), &info);
  const auto& program = *flatbuffers::GetRoot<ert::fb::Program>(static_cast<const uint8_t*>(blob.data) + ert::kMetadataOffset);
  Json j{{"version", 1},
         {"kind", "blob"},
         {"format", fmt::format("{}.{}", info.format_major, info.format_minor)},
         {"producer", info.producer},
         {"source_sha256", info.source_sha256},
         {"bytes", info.blob_bytes},
         {"stored_bytes", blob.stored_bytes},
         {"compression", blob.compressed ? "zstd" : "none"},
         {"weight_bytes", info.weight_bytes},
         {"parts", parts_json(blob_parts(blob.data, info.blob_bytes))},
         {"constants", constants(program)},
         {"weight_layouts", weight_layouts(program)},
         {"checksum", fmt::format("{:08x}", info.content_crc)},
         {"signed", blob.has_signature},
         {"security_counter", info.security_counter},
         {"ops", info.ops},
         {"operators", operators(program)},
         {"padding", info.skips_padding ? "zero" : "compute"}};
  if (info.skips_padding) j["mask"] = runner.inputs().at(info.mask_input).name;
  j["dims"] = Json::array();
  for (const NamedDim& d : runner.dims()) j["dims"].push_back({{"name", d.name}, {"min", d.min}, {"max", d.max}});
  j["inputs"] = boundary_rows(runner.inputs(), runner.outputs(), runner.dims());
  j["outputs"] = boundary_rows(runner.outputs(), runner.inputs(), runner.dims());
  j["custom_ops"] = runner.custom_ops();
  j["memory"] = memory_json(memory_table(runner, asked));
  j["most_memory"] = fullest_step_json(memory_timeline(runner));
  j["golden_vectors"] = info.golden_vectors;
  j["golden_bytes"] = golden_bytes(program);
  j["certificate"] = certificate_of(runner);
  return j;
}

std::string blob_inspection_text(const Json& j) {
  const auto bytes = [](const Json& n) { return human_bytes(n.get<double>()); };
  const auto text = [](const Json& t) { return printable(t.get<std::string>()); };
  std::string s =
      fmt::format("blob      format {}, {}, checksum {}\n", text(j["format"]), text(j["producer"]), text(j["checksum"]));
  s += fmt::format("source    sha256 {}\n", text(j["source_sha256"]));
  s += fmt::format("security  {}; counter {}\n",
                   j["signed"].get<bool>() ? "signed (edgeconv verify --key says by whom)" : "not signed",
                   j["security_counter"].dump());
  s += fmt::format("flash     {} ({} weights){}\n", bytes(j["bytes"]), bytes(j["weight_bytes"]),
                   j["compression"] == "none" ? "" : fmt::format(", stored in {} with zstd", bytes(j["stored_bytes"])));
  std::vector<BlobPart> parts;
  for (const Json& part : j["parts"]) parts.push_back({part["kind"].get<std::string>(), part["bytes"].get<uint64_t>()});
  s += "parts     " + parts_text(parts) + "\n";
  s += fmt::format("constants {}\n", j["constants"].empty() ? "none" : joined(j["constants"]));
  for (const auto& [layout, elements] : j["weight_layouts"].items())
    s += fmt::format("layout    {} (--target {}): {} weights\n", printable(layout), target_of(layout), elements.dump());
  for (const char* side : {"inputs", "outputs"})
    for (const Json& v : j[side])
      s += fmt::format("{:<10}{} {} {}{}{}\n", side[0] == 'i' ? "input" : "output", text(v["name"]), text(v["dtype"]),
                       escaped(v["shape"].get<std::string>()),
                       v.contains("range") ? fmt::format(", {} to {}", v["range"][0].dump(), v["range"][1].dump()) : "",
                       v.contains("state")
                           ? fmt::format(", state: kept {} '{}'", side[0] == 'i' ? "from output" : "for input", text(v["state"]))
                           : "");
  s += pinned_lines(j["certificate"]);
  for (const Json& d : j["dims"]) s += fmt::format("dim       {}: {} to {}\n", text(d["name"]), d["min"].dump(), d["max"].dump());
  s += fmt::format("ops       {}: {}\n", j["ops"].dump(), joined(j["operators"]));
  for (const Json& name : j["custom_ops"]) s += fmt::format("custom    {}: the application registers it\n", text(name));
  if (j.contains("mask")) s += fmt::format("padding   skipped by '{}': costs nothing, zero in outputs\n", text(j["mask"]));
  MemoryTable table;
  for (const Json& row : j["memory"]) {
    table.rows.push_back({{},
                          row["arena_bytes"].get<size_t>(),
                          row["macs"].get<uint64_t>(),
                          row["steps"].get<uint64_t>(),
                          row["largest_op_steps"].get<uint64_t>()});
    for (const auto& [name, n] : row["dims"].items()) table.rows.back().dims.emplace_back(name, n.get<int32_t>());
  }
  s += memory_text(table) + fullest_step_text(j["most_memory"]);
  s += fmt::format("work      at most {} steps at the last of these, {} in one op (ert_model_work)\n", table.rows.back().steps,
                   table.rows.back().largest_op_steps);
  s += certificate_text(j["certificate"]);
  return s + fmt::format("golden    {} vector{} for ert_selftest, {}\n", j["golden_vectors"].dump(),
                         j["golden_vectors"] == 1 ? "" : "s", bytes(j["golden_bytes"]));
}

}  // namespace edgeconv
