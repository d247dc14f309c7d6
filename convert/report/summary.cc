// The summary after a conversion.
#include "convert/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/run/blob_runner.h"

namespace edgeconv {

namespace linear = ert::params::linear;

MemoryTable memory_table(const Tensor& blob) {
  BlobRunner runner(blob.data(), blob.bytes());
  std::vector<std::vector<int32_t>> settings;
  // All dims at 1; then the last dim growing with the others at 1; then all maxima.
  std::vector<int32_t> ones, most;
  for (const NamedDim& d : runner.dims()) {
    ones.push_back(d.min);
    most.push_back(d.max);
  }
  settings.push_back(ones);
  if (!ones.empty())
    for (int32_t n : {32, 128}) {
      std::vector<int32_t> s = ones;
      const size_t longest = static_cast<size_t>(std::max_element(most.begin(), most.end()) - most.begin());
      if (n > s[longest] && n < most[longest]) {
        s[longest] = n;
        settings.push_back(s);
      }
    }
  if (most != ones) settings.push_back(most);
  MemoryTable table;
  for (const auto& s : settings) {
    MemoryTable::Row row;
    for (size_t i = 0; i < s.size(); ++i) row.dims.emplace_back(runner.dims()[i].name, s[i]);
    row.bytes = runner.memory(s, {}).bytes;
    row.macs = 0;
    ert_model_macs(&runner.model(), s.data(), &row.macs);
    table.rows.push_back(row);
  }
  return table;
}

std::string human_bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 3) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, kUnits[unit]);
}

namespace {

double source_bytes(const ModelInfo& m) { return static_cast<double>(m.file_bytes + m.external_bytes); }
int main_opset(const ModelInfo& m) { return m.opsets.count("") ? m.opsets.at("") : 0; }

int count(const ConvertResult& r, linear::Precision p) {
  return static_cast<int>(
      std::count_if(r.layers.begin(), r.layers.end(), [&](const LayerReport& l) { return l.precision == p; }));
}

const char* name(linear::Precision p) { return p == linear::kInt8 ? "int8" : p == linear::kInt8A16 ? "w8a16" : "fp32"; }

std::string dims_text(const MemoryTable::Row& row) {
  std::string s;
  for (const auto& [dim, n] : row.dims) s += fmt::format("{}{}={}", s.empty() ? "" : " ", dim, n);
  return s.empty() ? "fixed shapes" : s;
}

// What a reader wants to see of the passes: the fused structures, not the cleanup.
constexpr std::pair<const char*, const char*> kFusionNames[] = {{"fuse_attention", "attention"},
                                                                {"merge_qkv", "merged QKV"},
                                                                {"make_linear", "linear"},
                                                                {"fuse_layer_norm", "norm"},
                                                                {"fuse_residual_norm", "residual+norm"},
                                                                {"fuse_activation", "activation"},
                                                                {"fuse_embedding", "embedding"},
                                                                {"fuse_mean_pool", "mean pool"},
                                                                {"fuse_l2_normalize", "L2 norm"}};

}  // namespace

std::string summary_text(const ConvertResult& r, const MemoryTable& memory, const std::string& output, bool verbose) {
  std::string s = fmt::format("model     opset {}, {} nodes, {} parameters, {}\n", main_opset(r.model), r.model.node_count,
                              r.model.parameter_count, human_bytes(source_bytes(r.model)));
  std::string fused;
  for (const auto& [pass, label] : kFusionNames)
    for (const auto& [which, n] : r.fusions)
      if (which == pass && n > 0 && which != "make_linear") fused += fmt::format("{}{} {}", fused.empty() ? "" : ", ", label, n);
  s += fmt::format("fused     {} ops; {}\n", r.ops, fused.empty() ? "nothing to fuse" : fused);
  if (!r.layers.empty())
    s += fmt::format("layers    {} linear: {} int8, {} w8a16, {} fp32; attention {}\n", r.layers.size(), count(r, linear::kInt8),
                     count(r, linear::kInt8A16), count(r, linear::kF32), r.int8_attention ? "int8" : "fp32");
  if (r.skips_padding)
    s += fmt::format("padding   skipped by '{}': costs nothing, zero in outputs (--padding compute: computed)\n", r.mask);
  s += fmt::format("size      {} -> {} ({:.1f} %)\n", human_bytes(source_bytes(r.model)),
                   human_bytes(static_cast<double>(r.blob.bytes())),
                   100.0 * static_cast<double>(r.blob.bytes()) / std::max(1.0, source_bytes(r.model)));
  if (r.packed.bytes())
    s += fmt::format("stored    {} -> {} ({:.1f} %) with zstd; ert_unpack expands it\n",
                     human_bytes(static_cast<double>(r.blob.bytes())), human_bytes(static_cast<double>(r.packed.bytes())),
                     100.0 * static_cast<double>(r.packed.bytes()) / static_cast<double>(r.blob.bytes()));
  for (const auto& row : memory.rows)
    s += fmt::format("RAM       {:>10} at {} ({:.3g} MMAC)\n", human_bytes(static_cast<double>(row.bytes)), dims_text(row),
                     static_cast<double>(row.macs) / 1e6);
  for (const OutputError& e : r.errors)
    s += fmt::format("accuracy  {}: cosine {:.6f}, largest error {:.3g} of {:.3g}, same argmax {:.1f} % (against fp32, {})\n",
                     e.name, e.cosine, e.max_abs, e.max_ref, 100 * e.argmax_agreement, r.error_inputs);
  for (const std::string& n : r.not_compared)
    s += fmt::format("accuracy  {}: not compared, it depends on a custom operator\n", n);
  if (verbose)
    for (const LayerReport& l : r.layers)
      s += fmt::format("layer     {:<8} {:>6.1f} dB  {}x{}  {}\n", name(l.precision), l.local_sqnr_db, l.k, l.n, l.name);
  return s + fmt::format("written   {}\n", output);
}

nlohmann::ordered_json summary_json(const ConvertResult& r, const MemoryTable& memory, const std::string& output) {
  using Json = nlohmann::ordered_json;
  Json j{{"version", 1},
         {"output", output},
         {"source_bytes", r.model.file_bytes + r.model.external_bytes},
         {"blob_bytes", r.blob.bytes()},
         {"stored_bytes", r.packed.bytes() ? r.packed.bytes() : r.blob.bytes()},
         {"compression", r.packed.bytes() ? "zstd" : "none"},
         {"opset", main_opset(r.model)}};
  j["dims"] = Json::array();
  for (const DimReport& d : r.dims) j["dims"].push_back({{"name", d.name}, {"min", d.min}, {"max", d.max}});
  j["fusions"] = Json::object();
  for (const auto& [pass, n] : r.fusions) j["fusions"][pass] = n;
  j["ops"] = r.ops;
  j["padding"] = {{"skipped", r.skips_padding}, {"mask", r.skips_padding ? Json(r.mask) : Json(nullptr)}};
  j["layers"] = {{"int8", count(r, linear::kInt8)}, {"w8a16", count(r, linear::kInt8A16)}, {"fp32", count(r, linear::kF32)}};
  j["layer_table"] = Json::array();
  for (const LayerReport& l : r.layers)
    j["layer_table"].push_back({{"name", l.name},
                                {"k", l.k},
                                {"n", l.n},
                                {"precision", name(l.precision)},
                                {"local_sqnr_db", std::isfinite(l.local_sqnr_db) ? Json(l.local_sqnr_db) : Json(nullptr)}});
  j["memory"] = Json::array();
  for (const auto& row : memory.rows) {
    Json dims = Json::object();
    for (const auto& [dim, n] : row.dims) dims[dim] = n;
    j["memory"].push_back({{"dims", dims}, {"arena_bytes", row.bytes}, {"macs", row.macs}});
  }
  j["outputs"] = Json::array();
  for (const OutputError& e : r.errors)
    j["outputs"].push_back({{"name", e.name},
                            {"cosine", e.cosine},
                            {"max_abs", e.max_abs},
                            {"sqnr_db", std::isfinite(e.sqnr_db) ? Json(e.sqnr_db) : Json(nullptr)},
                            {"argmax_agreement", e.argmax_agreement}});
  j["not_compared"] = r.not_compared;
  j["compared_on"] = r.error_inputs;
  j["warnings"] = r.warnings;
  return j;
}

}  // namespace edgeconv
