// JSON and CSV: see report.h. Tables: tables.cc.
#include "bench/report.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ert::bench {
namespace {

constexpr int kSchemaVersion = 1;

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

double share(double v) { return std::round(v * 1e5) / 1e5; }

double rounded(double us) { return static_cast<double>(static_cast<int64_t>(us * 1000 + 0.5)) / 1000; }

nlohmann::ordered_json result_json(const Report& report, const Result& r) {
  nlohmann::ordered_json j;
  if (report.paths.size() > 1) j["blob"] = report.paths[r.blob];
  j["dims"] = r.dims;
  j["threads"] = r.threads;
  j["isa"] = r.isa;
  j["p50_us"] = rounded(r.p50_us);
  j["min_us"] = rounded(r.min_us);
  j["repetition_p50_us"] = nlohmann::ordered_json::array();
  for (const double us : r.repetition_p50_us) j["repetition_p50_us"].push_back(rounded(us));
  j["spread"] = share(r.spread);
  j["sequences_per_second"] = rounded(per_second(r.sequences, r.p50_us));
  if (r.tokens != 0) j["tokens_per_second"] = rounded(per_second(r.tokens, r.p50_us));
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

nlohmann::ordered_json comparison_json(const Comparison& c) {
  nlohmann::ordered_json j{{"old", c.old_path},
                           {"verdict", c.verdict()},
                           {"mean_change", share(c.mean_change())},
                           {"only_old", c.only_old},
                           {"only_new", c.only_new}};
  j["rows"] = nlohmann::ordered_json::array();
  for (const ComparedRow& r : c.rows)
    j["rows"].push_back({{"blob", r.blob},
                         {"dims", r.dims},
                         {"threads", r.threads},
                         {"old_p50_us", rounded(r.old_us)},
                         {"p50_us", rounded(r.new_us)},
                         {"change", share(r.change())},
                         {"noise", share(r.noise)},
                         {"verdict", r.verdict()},
                         {"same_bits", r.same_bits}});
  return j;
}

nlohmann::ordered_json texts_json(const TextResult& t) {
  nlohmann::ordered_json j{{"task", t.task},          {"threads", t.threads}, {"isa", t.isa},
                           {"texts", t.texts},        {"tokens", t.tokens},   {"model_runs", t.runs},
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

}  // namespace

void print_json(const Report& r) {
  const ert_info info = r.blobs.front()->info();
  nlohmann::ordered_json j;
  j["schema"] = "ert-bench";
  j["schema_version"] = kSchemaVersion;
  j["blob"] = r.paths.front();
  j["blob_crc"] = hex(info.content_crc);
  j["blob_bytes"] = info.blob_bytes;
  j["producer"] = info.producer;
  j["cpu"] = cpu_name();
  j["compiler"] = compiler_name();
  j["isa_available"] = nlohmann::ordered_json::array();
  for (int isa = 0; isa < 32; ++isa) {
    if ((ert_isa_available() >> isa & 1) != 0) j["isa_available"].push_back(ert_isa_name(static_cast<ert_isa>(isa)));
  }
  j["open_us"] = rounded(r.blobs.front()->open_us());
  j["warmup"] = r.options.warmup;
  j["runs"] = r.options.runs;
  j["repetitions"] = r.options.repetitions;
  j["clock_loop_us"] = nlohmann::ordered_json::array();
  for (const double us : r.clock_us) j["clock_loop_us"].push_back(rounded(us));
  j["warnings"] = r.warnings;
  if (r.blobs.size() > 1) {
    j["blobs"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < r.blobs.size(); ++i) {
      const ert_info one = r.blobs[i]->info();
      j["blobs"].push_back({{"blob", r.paths[i]},
                            {"blob_crc", hex(one.content_crc)},
                            {"blob_bytes", one.blob_bytes},
                            {"producer", one.producer},
                            {"open_us", rounded(r.blobs[i]->open_us())}});
    }
  }
  j["results"] = nlohmann::ordered_json::array();
  for (const Result& result : r.results) j["results"].push_back(result_json(r, result));
  if (r.texts) j["texts"] = texts_json(*r.texts);
  if (r.comparison) j["comparison"] = comparison_json(*r.comparison);
  std::printf("%s\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_csv(const Report& r) {
  // What does not change from row to row stands in every row: a file of several runs remains one table.
  const bool profiled = !r.results.empty() && !r.results.front().ops.empty();
  std::printf("blob,blob_crc,cpu,compiler,dims,threads,isa,warmup,runs,");
  std::printf(profiled ? "op,kind,name,us\n"
                       : "p50_us,min_us,p90_us,p99_us,max_us,mean_us,init_us,first_run_us,arena_bytes,macs,output_crc,"
                         "spread,sequences_per_second,tokens_per_second\n");
  for (const Result& x : r.results) {
    const std::string run = csv_field(r.paths[x.blob]) + ',' + hex(r.blobs[x.blob]->info().content_crc) + ',' +
                            csv_field(cpu_name()) + ',' + csv_field(compiler_name());
    const std::string shape = run + ',' + csv_field(dims_text(x.dims)) + ',' + std::to_string(x.threads) + ',' + x.isa + ',' +
                              std::to_string(r.options.warmup) + ',' + std::to_string(r.options.runs);
    for (size_t i = 0; i < x.ops.size(); ++i) {
      std::printf("%s,%zu,%s,%s,%.3f\n", shape.c_str(), i, csv_field(x.ops[i].kind).c_str(), csv_field(x.ops[i].name).c_str(),
                  x.ops[i].us);
    }
    if (profiled) continue;
    std::printf("%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%" PRIu64 ",%" PRIu64 ",%s", shape.c_str(), x.p50_us, x.min_us,
                x.p90_us, x.p99_us, x.max_us, x.mean_us, x.init_us, x.first_run_us, x.arena_bytes, x.macs,
                hex(x.output_crc).c_str());
    std::printf(",%.5f,%.3f,", x.spread, per_second(x.sequences, x.p50_us));
    std::printf(x.tokens != 0 ? "%.3f\n" : "\n", per_second(x.tokens, x.p50_us));
  }
}

}  // namespace ert::bench
