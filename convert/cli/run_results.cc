// See run_results.h.
#include "convert/cli/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "convert/files/json.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

constexpr size_t kFirstValues = 6, kShownRows = 4, kTopClasses = 5, kMostClasses = 100000;

std::string shape_of(const Tensor& t) {
  std::string s;
  for (const int64_t n : t.dims()) s += (s.empty() ? "" : ", ") + std::to_string(n);
  return "[" + s + "]";
}

std::string value_of(double v, bool whole) {
  return whole ? fmt::format("{:.0f}", v) : std::isfinite(v) ? fmt::format("{:.6g}", v) : fmt::format("{}", v);
}

// The largest values of a row with their places: what a classifier says. Not numbers come last.
std::string top_of(const float* row, size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(n, kTopClasses);
  const auto key = [&](size_t i) { return std::isnan(row[i]) ? -INFINITY : row[i]; };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](size_t a, size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  std::string s;
  for (size_t i = 0; i < shown; ++i) s += fmt::format("{}{}: {}", i ? ", " : "", order[i], value_of(row[order[i]], false));
  return s;
}

}  // namespace

std::string results_text(const std::vector<NamedResult>& results) {
  std::string s;
  for (const NamedResult& r : results) {
    const Tensor& t = r.value;
    const bool real = is_float(t.dtype());
    s += fmt::format("{}  {} {}\n", printable(r.name), dtype_name(t.dtype()), shape_of(t));
    const size_t all = static_cast<size_t>(t.elements());
    const size_t columns = t.rank() > 0 ? static_cast<size_t>(t.dims().back()) : 1, rows = columns ? all / columns : 0;
    const std::vector<float> values = real ? t.to_float() : std::vector<float>();
    const std::vector<int64_t> whole = real ? std::vector<int64_t>() : t.to_int64();
    for (size_t row = 0; row < std::min(rows, kShownRows); ++row) {
      std::string line;
      for (size_t i = 0; i < std::min(columns, kFirstValues); ++i) {
        const size_t at = row * columns + i;
        line += (i ? ", " : "") + (real ? value_of(values[at], false) : std::to_string(whole[at]));
      }
      s += fmt::format("  {}{}{}\n", rows > 1 ? fmt::format("{}: ", row) : "", line, columns > kFirstValues ? ", .." : "");
      if (real && columns > 1 && columns <= kMostClasses)
        s += fmt::format("  largest (place: value)  {}\n", top_of(&values[row * columns], columns));
    }
    if (rows > kShownRows) s += fmt::format("  and {} more rows\n", rows - kShownRows);
  }
  return s;
}

nlohmann::ordered_json results_json(const std::vector<NamedResult>& results) {
  Json outputs = Json::array();
  for (const NamedResult& r : results) {
    Json one{{"name", r.name}, {"dtype", dtype_name(r.value.dtype())}, {"shape", r.value.dims()}};
    if (!r.files.empty()) {
      one["file"] = r.files.back();
    } else if (is_float(r.value.dtype())) {
      one["data"] = Json::array();
      // JSON has no infinities, and no values that are not numbers.
      for (const float v : r.value.to_float()) one["data"].push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
    } else {
      one["data"] = r.value.to_int64();
    }
    outputs.push_back(std::move(one));
  }
  return {{"version", 1}, {"outputs", std::move(outputs)}};
}

Tensor stacked(const std::vector<std::vector<Tensor>>& frames, size_t output, const std::string& name) {
  const Tensor& first = frames.front()[output];
  std::vector<int64_t> dims = first.dims();
  dims.insert(dims.begin(), static_cast<int64_t>(frames.size()));
  Tensor all(first.dtype(), dims);
  for (size_t k = 0; k < frames.size(); ++k) {
    const Tensor& t = frames[k][output];
    if (t.dims() != first.dims())
      throw FatalError(ExitCode::kUsage, "output '" + printable(name) + "' has another shape in frame " + std::to_string(k) +
                                             " than in the first; run such frames from folders (--data)");
    std::memcpy(all.mutable_data() + k * t.bytes(), t.data(), t.bytes());
  }
  return all;
}

}  // namespace edgeconv::cli
