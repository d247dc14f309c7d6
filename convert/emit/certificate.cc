// Certificate as JSON with fixed key order and rounded figures.
#include "convert/emit/certificate.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "convert/convert.h"
#include "convert/version.h"

namespace edgeconv {

namespace {

using Json = nlohmann::ordered_json;

// Six decimals: enough to compare, and free of the last bits of a host's libm.
Json rounded(double v) { return std::isfinite(v) ? Json(std::round(v * 1e6) / 1e6) : Json(nullptr); }

const char* precision_name(ert::params::linear::Precision p) {
  switch (p) {
    case ert::params::linear::kInt8: return "int8";
    case ert::params::linear::kInt8A16: return "w8a16";
    default: return "fp32";
  }
}

}  // namespace

std::string certificate_json(const ConvertResult& r, const ConvertOptions& o, const std::vector<OutputError>& errors) {
  Json j;
  j["version"] = 1;
  j["producer"] = std::string("edgeconv ") + kVersion;
  j["source_sha256"] = r.model.sha256;
  static constexpr const char* kModes[] = {"auto", "int8", "w8a16", "fp32"};
  j["precision"] = kModes[static_cast<int>(o.precision.mode)];
  j["calibration"] = o.calibration.empty() ? "synthetic" : "user";
  j["attention"] = r.int8_attention ? "int8" : "fp32";
  j["padding"] = r.skips_padding ? "zero" : "compute";
  j["fusions"] = Json::object();
  for (const auto& [name, count] : r.fusions)
    if (count) j["fusions"][name] = count;
  j["layers"] = Json::array();
  for (const LayerReport& l : r.layers)
    j["layers"].push_back({{"name", l.name},
                           {"k", l.k},
                           {"n", l.n},
                           {"precision", precision_name(l.precision)},
                           {"local_sqnr_db", rounded(std::round(l.local_sqnr_db * 100) / 100)}});
  j["outputs"] = Json::array();
  for (const OutputError& e : errors)
    j["outputs"].push_back({{"name", e.name},
                            {"cosine", rounded(e.cosine)},
                            {"max_abs", rounded(e.max_abs)},
                            {"sqnr_db", rounded(std::round(e.sqnr_db * 100) / 100)},
                            {"argmax_agreement", rounded(e.argmax_agreement)}});
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace edgeconv
