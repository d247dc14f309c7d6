// See memory_table.h.
#include "convert/report/memory_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert/files/json.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"

namespace edgeconv {

namespace {

using Setting = std::vector<int32_t>;

// All dims at their minimum; then the longest growing with the others at 1; then all maxima.
std::vector<Setting> usual_settings(const std::vector<NamedDim>& dims) {
  Setting least, most;
  for (const NamedDim& d : dims) {
    least.push_back(d.min);
    most.push_back(d.max);
  }
  std::vector<Setting> settings{least};
  const size_t longest = static_cast<size_t>(std::max_element(most.begin(), most.end()) - most.begin());
  for (int32_t about : {32, 128}) {
    if (dims.empty()) continue;
    const int32_t n = static_cast<int32_t>(size_at_most(dims[longest].name, about));
    if (n <= least[longest] || n >= most[longest]) continue;
    settings.push_back(least);
    settings.back()[longest] = n;
  }
  if (most != least) settings.push_back(most);
  return settings;
}

Setting asked_setting(const std::vector<NamedDim>& dims, const std::map<std::string, int64_t>& asked) {
  Setting s;
  std::string known;
  for (const NamedDim& d : dims) {
    const auto it = asked.find(d.name);
    if (it != asked.end() && (it->second < d.min || it->second > d.max))
      throw FatalError(
          ExitCode::kUsage,
          fmt::format("--dim {0}={1}: the blob allows {2} to {3}; give one of these, or convert the model with --dim {0}={1}",
                      printable(d.name), it->second, d.min, d.max));
    if (const int64_t m = multiple_of_dim(d.name); it != asked.end() && it->second % m != 0)
      throw FatalError(ExitCode::kUsage, fmt::format("--dim {}={}: every size of it is a multiple of {}; give {}", printable(d.name), it->second, m,
                                                     size_at_most(d.name, it->second)));
    s.push_back(it == asked.end() ? d.min : static_cast<int32_t>(it->second));
    known += (known.empty() ? "" : ", ") + printable(d.name);
  }
  for (const auto& [name, n] : asked)
    if (std::none_of(dims.begin(), dims.end(), [&name = name](const NamedDim& d) { return d.name == name; }))
      throw FatalError(ExitCode::kUsage, "--dim " + name + ": the blob has no such dim" +
                                             (known.empty() ? "; all its sizes are fixed" : "; it has " + known));
  return s;
}

}  // namespace

MemoryTable memory_table(const BlobRunner& runner, const std::map<std::string, int64_t>& asked) {
  MemoryTable table;
  const auto settings = asked.empty() ? usual_settings(runner.dims()) : std::vector<Setting>{asked_setting(runner.dims(), asked)};
  for (const Setting& s : settings) {
    MemoryTable::Row row;
    for (size_t i = 0; i < s.size(); ++i) row.dims.emplace_back(runner.dims()[i].name, s[i]);
    row.bytes = runner.memory(s, {}).bytes;
    ert_work work{};
    work.struct_size = sizeof work;
    ert_model_work(&runner.model(), s.data(), &work);
    row.macs = work.macs, row.steps = work.steps, row.largest_op_steps = work.largest_op_steps;
    table.rows.push_back(row);
  }
  return table;
}

MemoryTable memory_table(const Tensor& blob, const std::map<std::string, int64_t>& asked) {
  return memory_table(BlobRunner(blob.data(), blob.bytes()), asked);
}

std::vector<MemoryCurve> memory_curves(const BlobRunner& runner) {
  constexpr int32_t kMostPoints = 32;
  std::vector<MemoryCurve> curves;
  Setting most;
  for (const NamedDim& d : runner.dims()) most.push_back(d.max);
  for (size_t i = 0; i < most.size(); ++i) {
    const NamedDim& d = runner.dims()[i];
    if (d.min == d.max) continue;
    MemoryCurve curve{d.name, {}};
    const int64_t range = static_cast<int64_t>(d.max) - d.min, steps = std::min<int64_t>(range, kMostPoints);
    for (int64_t k = 0; k <= steps; ++k) {
      Setting s = most;
      s[i] = static_cast<int32_t>(size_at_most(d.name, d.min + range * k / steps));
      if (!curve.points.empty() && curve.points.back().first == s[i]) continue;
      curve.points.emplace_back(s[i], runner.memory(s, {}).bytes);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

Json curves_json(const std::vector<MemoryCurve>& curves) {
  Json list = Json::array();
  for (const MemoryCurve& c : curves) {
    Json points = Json::array();
    for (const auto& [value, bytes] : c.points) points.push_back({{"value", value}, {"arena_bytes", bytes}});
    list.push_back({{"dim", c.dim}, {"points", std::move(points)}});
  }
  return list;
}

std::string memory_text(const MemoryTable& table) {
  std::string s;
  for (const MemoryTable::Row& row : table.rows) {
    std::string dims;
    for (const auto& [dim, n] : row.dims) dims += fmt::format("{}{}={}", dims.empty() ? "" : " ", printable(dim), n);
    s += fmt::format("RAM       {:>10}, {:>10} at {}\n", human_bytes(static_cast<double>(row.bytes)),
                     human_macs(static_cast<double>(row.macs)), dims.empty() ? "fixed shapes" : dims);
  }
  return s;
}

Json memory_json(const MemoryTable& table) {
  Json rows = Json::array();
  for (const MemoryTable::Row& row : table.rows) {
    Json dims = Json::object();
    for (const auto& [dim, n] : row.dims) dims[dim] = n;
    rows.push_back({{"dims", dims},
                    {"arena_bytes", row.bytes},
                    {"macs", row.macs},
                    {"steps", row.steps},
                    {"largest_op_steps", row.largest_op_steps}});
  }
  return rows;
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

std::string human_macs(double macs) {
  constexpr const char* kUnits[] = {"MAC", "kMAC", "MMAC", "GMAC", "TMAC"};
  int unit = 0;
  while (macs >= 1000 && unit < 4) {
    macs /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", macs, kUnits[unit]);
}

}  // namespace edgeconv
