// Certificate as JSON with fixed key order and rounded figures.
#include "convert/result/certificate.h"

#include <cmath>

#include "convert/files/json.h"
#include "convert/result/convert_options.h"
#include "convert/result/convert_result.h"
#include "convert/files/sha256.h"
#include "convert/measure/decision.h"
#include "convert/quantize/precision_plan.h"
#include "convert/blob/version.h"

namespace edgeconv {

namespace {

Json figure(double v) {
  const std::optional<double> f = certified_figure(v);
  return f ? Json(*f) : Json(nullptr);
}

Json decibels(double db) {
  const std::optional<double> f = certified_decibels(db);
  return f ? Json(*f) : Json(nullptr);
}

}  // namespace

Json pinned_inputs_json(const std::vector<PinnedInput>& pinned) {
  Json list = Json::array();
  for (const PinnedInput& p : pinned) {
    const std::optional<std::string> value = uniform_text(p.contents);
    list.push_back({{"name", p.name},
                    {"position", p.position},
                    {"dtype", dtype_name(p.contents.dtype())},
                    {"shape", p.contents.dims()},
                    {"value", value ? Json(*value) : Json(nullptr)},
                    {"sha256", contents_sha256(p.contents)}});
  }
  return list;
}

Json cut_inputs_json(const std::vector<CutInput>& cut) {
  Json list = Json::array();
  for (const CutInput& c : cut) list.push_back({{"name", c.name}, {"position", c.position}});
  return list;
}

std::string inputs_sha256(const std::vector<std::vector<Tensor>>& sets) {
  Sha256 sum;
  const auto number = [&](int64_t n) {
    uint8_t bytes[8];  // little-endian on every host
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(n) >> (8 * i));
    sum.update(bytes, sizeof bytes);
  };
  for (const std::vector<Tensor>& set : sets) {
    number(static_cast<int64_t>(set.size()));
    for (const Tensor& t : set) {
      number(static_cast<int64_t>(t.dtype()));
      number(t.rank());
      for (int64_t d : t.dims()) number(d);
      sum.update(t.data(), t.bytes());
    }
  }
  return Sha256::hex(sum.finish());
}

// Few enough decimals to be free of the last bits of a host's libm.
std::optional<double> certified_decibels(double db) {
  return std::isfinite(db) ? std::optional(std::round(db * 100) / 100) : std::nullopt;
}
std::optional<double> certified_figure(double v) {
  return std::isfinite(v) ? std::optional(std::round(v * 1e6) / 1e6) : std::nullopt;
}

std::string certificate_json(const ConvertResult& r, const ConvertOptions& o, const std::vector<OutputError>& errors) {
  Json j = Json::object();  // the library crashes where memory for the object of an empty value is not there
  j["version"] = 1;
  j["producer"] = std::string("edgeconv ") + kVersion;
  j["source_sha256"] = r.model.sha256;
  j["reference"] = r.reference;
  j["precision"] = mode_name(o.precision.mode);
  j["overrides"] = Json::array();
  for (const auto& [pattern, mode] : o.precision.overrides) j["overrides"].push_back(pattern + "=" + mode_name(mode));
  j["target_cosine"] = figure(r.request.target_cosine);
  j["calibration"] = o.calibration.empty() ? "synthetic" : "user";
  j["attention"] = part_precision_name(r.plan.int8_attention);
  j["tables"] = r.plan.tables_name();
  j["padding"] = r.skips_padding ? "zero" : "compute";
  if (!r.model.fixed_dims.empty()) j["fixed_dims"] = r.model.fixed_dims;
  if (!r.model.pinned.empty()) j["pinned_inputs"] = pinned_inputs_json(r.model.pinned);
  for (const RawInput& raw : r.raw_inputs) j["raw_inputs"].push_back(raw_input_text(raw));
  if (r.task.kind) {
    j["task"]["kind"] = task_name(*r.task.kind);
    if (r.task.pooling) j["task"]["pooling"] = pooling_name(*r.task.pooling);
    if (r.task.normalize) j["task"]["normalize"] = *r.task.normalize;
  }
  if (!r.model.chosen_outputs.empty()) j["chosen_outputs"] = r.model.chosen_outputs;
  if (!r.model.cut.empty()) j["cut_inputs"] = cut_inputs_json(r.model.cut);
  const MeasuredOn& on = r.measured_on;
  j["measured_on"] = {{"inputs", on.user ? "user" : "synthetic"},
                      {"sets", on.sets},
                      {"sha256", on.sha256},
                      {"uncounted", on.mask.empty() ? Json(nullptr) : Json{{"mask", on.mask}, {"padding", on.padding}}}};
  if (on.chaotic) j["measured_on"]["chaotic"] = true;
  j["fusions"] = Json::object();
  for (const auto& [name, count] : r.fusions)
    if (count) j["fusions"][name] = count;
  j["layers"] = Json::array();
  for (const LayerReport& l : r.layers)
    j["layers"].push_back({{"name", l.name},
                           {"k", l.k},
                           {"n", l.n},
                           {"precision", precision_name(r.plan.of(l.node).precision)},
                           {"local_sqnr_db", decibels(l.local_sqnr_db)},
                           {"accumulated_sqnr_db", decibels(l.accumulated_sqnr_db)}});
  j["outputs"] = Json::array();
  for (const OutputError& e : errors) {
    Json entry{{"name", e.name},
               {"cosine", e.unknown() ? Json(nullptr) : figure(e.cosine)},
               {"max_abs", figure(e.max_abs)},
               {"sqnr_db", decibels(e.sqnr_db)},
               {"argmax_agreement", figure(e.argmax_agreement)}};
    // Most outputs move, and are decided by their values.
    if (e.chaotic) entry["chaotic_samples"] = e.chaotic;
    if (e.evidence != Evidence::kMoves) entry["evidence"] = evidence_name(e.evidence);
    if (!e.scores_before.empty()) entry["scores_before"] = e.scores_before;
    if (e.decision != Decision::kValue) {
      entry["decided_by"] = decision_name(e.decision);
      entry["decided_cosine"] = e.unknown() ? Json(nullptr) : figure(e.decided);
    }
    j["outputs"].push_back(std::move(entry));
  }
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace edgeconv
