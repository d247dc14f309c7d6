// Table, JSON and CSV: see report.h.
#include "bench/report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace ert::bench {
namespace {

constexpr int kSchemaVersion = 1;

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "gcc " __VERSION__;
#else
constexpr const char* kCompiler = "unknown";
#endif

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string part;
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.rfind("model name", 0) == 0 || line.rfind("Hardware", 0) == 0) return line.substr(colon + 2);
    if (line.rfind("CPU part", 0) == 0) part = "ARM part " + line.substr(colon + 2);
  }
  return part.empty() ? "unknown" : part;
}

std::string hex(uint32_t v) {
  char text[16];
  std::snprintf(text, sizeof text, "%08" PRIx32, v);
  return text;
}

std::string dims_text(const std::map<std::string, int32_t>& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  return text.empty() ? "-" : text;
}

// Quoted as RFC 4180 has it: names of nodes may hold anything.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

double rounded(double us) { return static_cast<double>(static_cast<int64_t>(us * 1000 + 0.5)) / 1000; }

double gmacs_per_second(const Result& r) { return r.p50_us > 0 ? static_cast<double>(r.macs) / r.p50_us / 1000 : 0; }

nlohmann::ordered_json result_json(const Result& r) {
  nlohmann::ordered_json j;
  j["dims"] = r.dims;
  j["threads"] = r.threads;
  j["isa"] = r.isa;
  j["p50_us"] = rounded(r.p50_us);
  j["min_us"] = rounded(r.min_us);
  j["p90_us"] = rounded(r.p90_us);
  j["p99_us"] = rounded(r.p99_us);
  j["max_us"] = rounded(r.max_us);
  j["mean_us"] = rounded(r.mean_us);
  j["init_us"] = rounded(r.init_us);
  j["first_run_us"] = rounded(r.first_run_us);
  j["arena_bytes"] = r.arena_bytes;
  j["macs"] = r.macs;
  j["gmacs_per_second"] = rounded(gmacs_per_second(r));
  j["output_crc"] = hex(r.output_crc);
  if (r.ops.empty()) return j;
  j["ops"] = nlohmann::ordered_json::array();
  for (const OpTime& op : r.ops) j["ops"].push_back({{"kind", op.kind}, {"name", op.name}, {"us", rounded(op.us)}});
  return j;
}

double per_second(size_t count, double us) { return us > 0 ? static_cast<double>(count) / us * 1e6 : 0; }

nlohmann::ordered_json texts_json(const TextResult& t) {
  nlohmann::ordered_json j{{"task", t.task},         {"threads", t.threads}, {"isa", t.isa},
                           {"texts", t.texts},       {"tokens", t.tokens},   {"model_runs", t.runs},
                           {"truncated", t.truncated}};
  j["answer_us"] = rounded(t.answer_us);
  j["tokenizer_us"] = rounded(t.tokenizer_us);
  if (t.model_us > 0) j["model_us"] = rounded(t.model_us);
  j["texts_per_second"] = rounded(per_second(t.texts, t.answer_us));
  j["tokens_per_second"] = rounded(per_second(t.tokens, t.answer_us));
  j["tokenizer_texts_per_second"] = rounded(per_second(t.texts, t.tokenizer_us));
  j["tokenizer_tokens_per_second"] = rounded(per_second(t.tokens, t.tokenizer_us));
  j["arena_bytes"] = t.arena_bytes;
  j["work_bytes"] = t.work_bytes;
  return j;
}

void print_texts(const TextResult& t) {
  std::printf("task %s, %zu texts, %zu tokens, %zu runs of the model, %zu texts cut; %" PRIu32 " threads, %s\n", t.task.c_str(), t.texts, t.tokens,
              t.runs, t.truncated, t.threads, t.isa.c_str());
  std::printf("%-28s %12s %12s %14s\n", "of one text", "mean us", "texts/s", "tokens/s");
  const auto row = [&t](const char* what, double us) {
    if (us > 0)
      std::printf("%-28s %12.1f %12.0f %14.0f\n", what, us / static_cast<double>(t.texts), per_second(t.texts, us), per_second(t.tokens, us));
  };
  row("text to answer", t.answer_us);
  row("of that the tokenizer", t.tokenizer_us);
  row("the model alone, from ids", t.model_us);
  if (t.model_us > 0) std::printf("text to answer takes %.2f %% more than ids to answer\n", 100 * (t.answer_us / t.model_us - 1));
  std::printf("arena %" PRIu64 " bytes, working memory of the longest text %" PRIu64 " bytes\n", t.arena_bytes, t.work_bytes);
}

void print_profile(const Result& r) {
  struct Sum {
    double us = 0;
    int count = 0;
  };
  std::map<std::string, Sum> kinds;
  double total = 0;
  for (const OpTime& op : r.ops) {
    kinds[op.kind].us += op.us;
    kinds[op.kind].count += 1;
    total += op.us;
  }
  std::vector<std::pair<std::string, Sum>> rows(kinds.begin(), kinds.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
  std::printf("  %-18s %6s %12s %7s\n", "op", "count", "us", "share");
  for (const auto& [kind, sum] : rows)
    std::printf("  %-18s %6d %12.1f %6.1f%%\n", kind.c_str(), sum.count, sum.us, 100 * sum.us / total);
  std::vector<OpTime> slowest = r.ops;
  std::stable_sort(slowest.begin(), slowest.end(), [](const OpTime& a, const OpTime& b) { return a.us > b.us; });
  slowest.resize(std::min<size_t>(slowest.size(), 10));
  for (const OpTime& op : slowest) std::printf("  %-18s %19.1f  %s\n", op.kind.c_str(), op.us, op.name.c_str());
}

}  // namespace

void print_json(const Report& r) {
  const ert_info info = r.blob->info();
  nlohmann::ordered_json j;
  j["schema"] = "ert-bench";
  j["schema_version"] = kSchemaVersion;
  j["blob"] = r.blob_path;
  j["blob_crc"] = hex(info.content_crc);
  j["blob_bytes"] = info.blob_bytes;
  j["producer"] = info.producer;
  j["cpu"] = cpu_name();
  j["compiler"] = kCompiler;
  j["isa_available"] = nlohmann::ordered_json::array();
  for (int isa = 0; isa < 32; ++isa) {
    if ((ert_isa_available() >> isa & 1) != 0) j["isa_available"].push_back(ert_isa_name(static_cast<ert_isa>(isa)));
  }
  j["open_us"] = rounded(r.blob->open_us());
  j["warmup"] = r.options.warmup;
  j["runs"] = r.options.runs;
  j["results"] = nlohmann::ordered_json::array();
  for (const Result& result : r.results) j["results"].push_back(result_json(result));
  if (r.texts) j["texts"] = texts_json(*r.texts);
  std::printf("%s\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_csv(const Report& r) {
  // What does not change from row to row stands in every row: a file of several runs remains one table.
  const ert_info info = r.blob->info();
  const std::string run =
      csv_field(r.blob_path) + ',' + hex(info.content_crc) + ',' + csv_field(cpu_name()) + ',' + csv_field(kCompiler);
  const bool profiled = !r.results.empty() && !r.results.front().ops.empty();
  std::printf("blob,blob_crc,cpu,compiler,dims,threads,isa,warmup,runs,");
  std::printf(profiled ? "op,kind,name,us\n"
                       : "p50_us,min_us,p90_us,p99_us,max_us,mean_us,init_us,first_run_us,arena_bytes,macs,output_crc\n");
  for (const Result& x : r.results) {
    const std::string shape = run + ',' + csv_field(dims_text(x.dims)) + ',' + std::to_string(x.threads) + ',' + x.isa + ',' +
                              std::to_string(r.options.warmup) + ',' + std::to_string(r.options.runs);
    for (size_t i = 0; i < x.ops.size(); ++i) {
      std::printf("%s,%zu,%s,%s,%.3f\n", shape.c_str(), i, csv_field(x.ops[i].kind).c_str(), csv_field(x.ops[i].name).c_str(),
                  x.ops[i].us);
    }
    if (profiled) continue;
    std::printf("%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%" PRIu64 ",%" PRIu64 ",%s\n", shape.c_str(), x.p50_us, x.min_us,
                x.p90_us, x.p99_us, x.max_us, x.mean_us, x.init_us, x.first_run_us, x.arena_bytes, x.macs,
                hex(x.output_crc).c_str());
  }
}

void print_table(const Report& r) {
  const ert_info info = r.blob->info();
  std::printf("%s  %.1f MB  crc %s  open %.0f us\n%s  %s\n", r.blob_path.c_str(), static_cast<double>(info.blob_bytes) / 1e6,
              hex(info.content_crc).c_str(), r.blob->open_us(), cpu_name().c_str(), kCompiler);
  if (r.texts) return print_texts(*r.texts);
  std::printf("%-32s %3s %-11s %10s %10s %10s %10s %10s %8s %12s\n", "dims", "thr", "isa", "p50 us", "min", "p90", "p99", "max",
              "GMAC/s", "arena bytes");
  for (const Result& x : r.results) {
    std::printf("%-32s %3" PRIu32 " %-11s %10.1f %10.1f %10.1f %10.1f %10.1f %8.1f %12" PRIu64 "\n", dims_text(x.dims).c_str(),
                x.threads, x.isa.c_str(), x.p50_us, x.min_us, x.p90_us, x.p99_us, x.max_us, gmacs_per_second(x), x.arena_bytes);
    if (!x.ops.empty()) print_profile(x);
  }
}

}  // namespace ert::bench
