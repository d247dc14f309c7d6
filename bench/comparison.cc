// See comparison.h.
#include "bench/comparison.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ert::bench {
namespace {

using Json = nlohmann::ordered_json;

// Where a file does not say (one repetition, or an ert-bench of before), and the least that anybody should believe.
constexpr double kUnknownSpread = 0.03, kLeastNoise = 0.02;

struct OldRow {
  std::string blob, crc;
  std::map<std::string, int32_t> dims;
  uint32_t threads;
  double p50_us, spread;
  bool used = false;
};

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Json read_json(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Failure{6, "--compare " + path + ": " + std::strerror(errno)};
  Json j = Json::parse(in, nullptr, false);
  if (in.bad()) throw Failure{6, "--compare " + path + ": reading failed"};
  if (j.is_discarded() || !j.is_object() || j.value("schema", Json()) != "ert-bench" || j.value("schema_version", Json()) != 1)
    throw Failure{3,
                  "--compare " + path + ": not a file that ert-bench wrote; make one with: ert-bench BLOB.ert --json > OLD.json"};
  return j;
}

std::vector<OldRow> rows_of(const Json& j) {
  std::vector<OldRow> rows;
  for (const Json& r : j.at("results")) {
    const double p50 = r.at("p50_us").get<double>();
    const bool repeated = r.contains("repetition_p50_us") && r.at("repetition_p50_us").size() > 1;
    rows.push_back({file_name(r.value("blob", j.at("blob").get<std::string>())), r.at("output_crc").get<std::string>(),
                    r.at("dims").get<std::map<std::string, int32_t>>(), r.at("threads").get<uint32_t>(), p50,
                    repeated ? r.at("spread").get<double>() : kUnknownSpread});
    if (!(p50 > 0)) rows.pop_back();  // below the clock's resolution: no ratio can be made of it
  }
  return rows;
}

std::string crc_text(uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(crc));
  return text;
}

void note_other_machine(const Json& old, const std::string& cpu, const std::string& compiler, double clock_us, Comparison* c) {
  const std::string old_cpu = old.at("cpu").get<std::string>(), old_compiler = old.at("compiler").get<std::string>();
  if (old_cpu != cpu) c->warnings.push_back(c->old_path + " was measured on another CPU: " + old_cpu);
  if (old_compiler != compiler) c->warnings.push_back(c->old_path + " was measured with another compiler: " + old_compiler);
  if (!old.contains("clock_loop_us")) return;
  const double then = old.at("clock_loop_us").at(0).get<double>();
  if (then <= 0 || (clock_us < 1.1 * then && then < 1.1 * clock_us)) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "the clock is not what it was: a loop of arithmetic takes %.0f us, it took %.0f then; times differ by that alone",
                clock_us, then);
  c->warnings.push_back(text);
}

std::vector<OldRow> before_rows(const Json& old, const std::string& cpu, const std::string& compiler, double clock_us,
                                Comparison* c) {
  try {
    note_other_machine(old, cpu, compiler, clock_us, c);
    return rows_of(old);
  } catch (const Json::exception& e) {
    throw Failure{3, "--compare " + c->old_path + ": not a whole file of ert-bench --json: " + e.what() + "; make it again"};
  }
}

}  // namespace

double Comparison::mean_change() const {
  double sum = 0;
  for (const ComparedRow& r : rows) sum += std::log(r.new_us / r.old_us);
  return rows.empty() ? 0 : std::exp(sum / static_cast<double>(rows.size())) - 1;
}

std::string Comparison::verdict() const {
  size_t faster = 0, slower = 0;
  for (const ComparedRow& r : rows) faster += r.change()<-r.noise, slower += r.change()> r.noise;
  const char* word = faster != 0 && slower != 0 ? "mixed" : faster != 0 ? "faster" : slower != 0 ? "slower" : "same";
  char text[300];
  std::snprintf(text, sizeof text,
                "%s: %zu faster, %zu slower, %zu the same within the noise; geometric mean of the times %+.1f %%", word, faster,
                slower, rows.size() - faster - slower, 100 * mean_change());
  std::string s = text;
  const auto rows_are = [](size_t n) { return std::to_string(n) + (n == 1 ? " row is " : " rows are "); };
  if (only_old != 0) s += "; " + rows_are(only_old) + "in " + old_path + " only";
  if (only_new != 0) s += "; " + rows_are(only_new) + "new";
  return s;
}

void check_old(const std::string& old_path) {
  const Json old = read_json(old_path);
  Comparison unused;
  unused.old_path = old_path;
  before_rows(old, "", "", 0, &unused);
}

Comparison compare(const std::string& old_path, const std::vector<std::string>& blobs, const std::vector<Result>& results,
                   const std::string& cpu, const std::string& compiler, double clock_us) {
  const Json old = read_json(old_path);
  Comparison c;
  c.old_path = old_path;
  std::vector<OldRow> before = before_rows(old, cpu, compiler, clock_us, &c);
  // One blob against one: whatever their names are, as two builds of one model have two.
  const bool one_blob = blobs.size() == 1 &&
                        std::all_of(before.begin(), before.end(), [&](const OldRow& r) { return r.blob == before.front().blob; });
  for (const Result& r : results) {
    const std::string name = file_name(blobs[r.blob]);
    const auto match = std::find_if(before.begin(), before.end(), [&](const OldRow& o) {
      return !o.used && (one_blob || o.blob == name) && o.dims == r.dims && o.threads == r.threads;
    });
    if (match == before.end() || !(r.p50_us > 0)) {
      ++c.only_new;
      continue;
    }
    match->used = true;
    const double spread = r.repetition_p50_us.size() > 1 ? r.spread : kUnknownSpread;
    c.rows.push_back({name, r.dims, r.threads, match->p50_us, r.p50_us, std::max(kLeastNoise, spread + match->spread),
                      match->crc == crc_text(r.output_crc)});
  }
  c.only_old = static_cast<size_t>(std::count_if(before.begin(), before.end(), [](const OldRow& o) { return !o.used; }));
  if (c.rows.empty())
    throw Failure{2, "--compare " + old_path +
                         ": it has no row of this run's blob, dims and threads; measure the same --shape and --threads as then"};
  return c;
}

}  // namespace ert::bench
