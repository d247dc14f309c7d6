// See report_json.h.
#include "convert/report/report_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "convert/files/json.h"
#include "convert/measure/decision.h"
#include "convert/quantize/precision_plan.h"
#include "convert/report/blob_parts.h"
#include "convert/result/precision_reason.h"
#include "convert/blob/version.h"

namespace edgeconv {

namespace {

namespace linear = ert::params::linear;
Json finite(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json layer(const ConvertResult& r, const LayerReport& l) {
  return {{"name", l.name},
          {"k", l.k},
          {"n", l.n},
          {"precision", precision_name(r.plan.of(l.node).precision)},
          {"asked", asked_for(r.request, l.name)},
          {"why", reason_of(r, l)},
          {"local_sqnr_db", finite(l.local_sqnr_db)},
          {"accumulated_sqnr_db", finite(l.accumulated_sqnr_db)},
          {"weight_sqnr_db", finite(l.facts.weight_sqnr_db)},
          {"largest_input", finite(l.facts.largest_input)},
          {"outlier_index", finite(l.facts.outlier_index)},
          {"smoothed_outlier_index", finite(l.facts.smoothed_index)},
          {"smoothing_exponent", finite(l.facts.smoothing_exponent)}};
}

Json ladder(const ConvertResult& r) {
  Json steps = Json::array();
  for (const Trial& t : r.trials)
    steps.push_back({{"int8", t.plan.count(linear::kInt8)},
                     {"w8a16", t.plan.count(linear::kInt8A16)},
                     {"w12a13", t.plan.count(linear::kW12A13)},
                     {"fp32", t.plan.count(linear::kF32)},
                     {"attention", part_precision_name(t.plan.int8_attention)},
                     {"tables", t.plan.tables_name()},
                     {"slowdown", t.slowdown},
                     {"worst_cosine", t.worst_cosine()}});
  return steps;
}

// What leaving out the roundings of a statically quantized file changes in an output; null where there are none.
Json beside_source(const ConvertResult& r, const std::string& output) {
  for (const OutputError& e : r.source_rounding.errors)
    if (e.name == output && !e.unknown()) return {{"cosine", e.cosine}, {"decided_cosine", e.decided}, {"sqnr_db", finite(e.sqnr_db)}};
  return nullptr;
}

Json outputs(const ConvertResult& r) {
  Json list = Json::array();
  for (const OutputError& e : r.errors)
    list.push_back({{"name", e.name},
                    {"cosine", e.unknown() ? Json(nullptr) : Json(e.cosine)},
                    {"evidence", evidence_name(e.evidence)},
                    {"scores_before", e.scores_before.empty() ? Json(nullptr) : Json(e.scores_before)},
                    {"decided_by", decision_name(e.decision)},
                    {"decided_cosine", e.unknown() ? Json(nullptr) : Json(e.decided)},
                    {"max_abs", e.max_abs},
                    {"max_reference", e.max_ref},
                    {"sqnr_db", finite(e.sqnr_db)},
                    {"argmax_agreement", e.argmax_agreement},
                    {"beside_source", beside_source(r, e.name)}});
  return list;
}

Json cost(const ConversionCost& c) {
  Json stages = Json::array(), validation = Json::array();
  for (const StageCost& s : c.stages) stages.push_back({{"stage", s.stage}, {"cpu_seconds", s.cpu_seconds}});
  for (const SetShapes& s : c.validation) {
    Json inputs = Json::object();
    for (const auto& [name, shape] : s.inputs) inputs[name] = shape;
    validation.push_back({{"sets", s.sets}, {"inputs", std::move(inputs)}});
  }
  return {{"cpu_seconds", c.cpu_seconds},
          {"peak_bytes", c.peak_bytes ? Json(c.peak_bytes) : Json(nullptr)},
          {"machine", machine_text()},
          {"stages", std::move(stages)},
          {"validation", std::move(validation)}};
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  return gmtime_r(&now, &parts) && std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts) ? text : "";
}

}  // namespace

Json report_json(const ConvertResult& r, const MemoryTable& memory, const MemoryTimeline& timeline,
                 const std::vector<MemoryCurve>& curves, const ReportContext& context) {
  Json j{{"version", 1},
         {"converter", std::string("edgeconv ") + kVersion},
         {"command", context.command},
         {"date", date_now()},
         {"output", context.output},
         {"source_sha256", r.model.sha256},
         {"source_bytes", r.model.file_bytes + r.model.external_bytes},
         {"blob_bytes", r.blob.bytes()},
         {"stored_bytes", r.stored().bytes()},
         {"parts", parts_json(blob_parts(r.blob.data(), r.blob.bytes()))},
         {"parameters", r.model.parameter_count},
         {"nodes", r.model.node_count},
         {"exporter", r.model.producer_name + (r.model.producer_version.empty() ? "" : " " + r.model.producer_version)},
         {"compression", r.packed.bytes() ? "zstd" : "none"},
         {"opset", r.model.opsets.count("") ? r.model.opsets.at("") : 0}};
  j["dims"] = Json::array();
  for (const DimReport& d : r.dims) j["dims"].push_back({{"name", d.name}, {"min", d.min}, {"max", d.max}});
  j["fixed_dims"] = Json::object();
  for (const auto& [name, size] : r.model.fixed_dims) j["fixed_dims"][name] = size;
  j["pinned_inputs"] = pinned_inputs_json(r.model.pinned);
  j["chosen_outputs"] = r.model.chosen_outputs;
  j["cut_inputs"] = cut_inputs_json(r.model.cut);
  j["fusions"] = Json::object();
  for (const auto& [pass, n] : r.fusions) j["fusions"][pass] = n;
  j["ops"] = r.ops;
  j["padding"] = {{"skipped", r.skips_padding}, {"mask", r.skips_padding ? Json(r.mask) : Json(nullptr)}};
  j["layers"] = {
      {"int8", r.plan.count(linear::kInt8)}, {"w8a16", r.plan.count(linear::kInt8A16)}, {"w12a13", r.plan.count(linear::kW12A13)}, {"fp32", r.plan.count(linear::kF32)}};
  j["attention"] = part_precision_name(r.plan.int8_attention);
  j["attention_why"] = reason_of_attention(r);
  j["tables"] = r.plan.tables_name();
  j["tables_why"] = reason_of_tables(r);
  j["slowdown"] = r.slowdown;
  j["target_cosine"] = r.request.target_cosine;
  j["layer_table"] = Json::array();
  for (const LayerReport& l : r.layers) j["layer_table"].push_back(layer(r, l));
  j["ladder"] = ladder(r);
  j["memory"] = memory_json(memory);
  j["memory_curves"] = curves_json(curves);
  j["memory_timeline"] = timeline_json(timeline);
  j["reference"] = r.reference;
  j["outputs"] = outputs(r);
  j["not_compared"] = r.not_compared;
  j["compared_on"] = r.error_inputs;
  j["cost"] = cost(r.cost);
  j["warnings"] = r.warnings;
  j["passed"] = !r.refusal;
  j["refusal"] = r.refusal ? Json{{"what", r.refusal->what}, {"advice", r.refusal->advice}} : Json(nullptr);
  return j;
}

}  // namespace edgeconv
