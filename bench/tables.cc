// Tables for people and for documents, and what all forms of output say alike: see report.h.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <map>

#include "bench/report.h"

namespace ert::bench {
namespace {

using Table = std::vector<std::vector<std::string>>;

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "gcc " __VERSION__;
#else
constexpr const char* kCompiler = "unknown";
#endif

std::string fixed(double v, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  return text;
}

// Four digits or more: 0.1234, 12.34, 5678.
std::string four_digits(double v) { return fixed(v, v >= 1000 ? 0 : v >= 100 ? 1 : v >= 10 ? 2 : v >= 1 ? 3 : 4); }

std::string threads_text(uint32_t n) { return std::to_string(n) + (n == 1 ? " thread" : " threads"); }

std::string file_name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The first `left` columns begin at the left, numbers end at the right.
void print_cells(const Table& table, size_t left, bool markdown) {
  std::vector<size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (size_t r = 0; r < table.size(); ++r) {
    std::string line = markdown ? "|" : "";
    for (size_t i = 0; i < table[r].size(); ++i) {
      std::string cell;
      for (const char c : table[r][i]) cell += markdown && c == '|' ? std::string("\\|") : std::string(1, c);
      if (markdown) {
        line += " " + cell + " |";
        continue;
      }
      const std::string blanks(widths[i] - table[r][i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < left ? cell + blanks : blanks + cell);
    }
    std::printf("%s\n", line.c_str());
    if (r == 0 && markdown) {
      std::printf("|");
      for (size_t i = 0; i < table[r].size(); ++i) std::printf(i < left ? "---|" : "---:|");
      std::printf("\n");
    }
  }
}

void print_texts(const TextResult& t) {
  std::printf("task %s, %zu texts, %zu tokens, %zu runs of the model, %zu texts cut; %s, %s\n", t.task.c_str(), t.texts, t.tokens,
              t.runs, t.truncated, threads_text(t.threads).c_str(), t.isa.c_str());
  std::printf("%-28s %12s %12s %14s\n", "of one text", "mean us", "texts/s", "tokens/s");
  const auto row = [&t](const char* what, double us) {
    if (us > 0)
      std::printf("%-28s %12.1f %12.0f %14.0f\n", what, us / static_cast<double>(t.texts), per_second(t.texts, us),
                  per_second(t.tokens, us));
  };
  row("text to answer", t.answer_us);
  row("of that the tokenizer", t.tokenizer_us);
  row("the model alone, from ids", t.model_us);
  if (t.model_us > 0) std::printf("text to answer takes %.2f %% more than ids to answer\n", 100 * (t.answer_us / t.model_us - 1));
  std::printf("arena %" PRIu64 " bytes, working memory of the longest text %" PRIu64 " bytes\n", t.arena_bytes, t.work_bytes);
}

// Kinds of ops by their share, then the slowest ops.
void print_profile(const Result& r, bool markdown) {
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
  Table table = {{"op", "count", "us", "share"}};
  for (const auto& [kind, sum] : rows)
    table.push_back({kind, std::to_string(sum.count), fixed(sum.us, 1), fixed(total > 0 ? 100 * sum.us / total : 0, 1) + "%"});
  print_cells(table, 1, markdown);
  std::vector<OpTime> slowest = r.ops;
  std::stable_sort(slowest.begin(), slowest.end(), [](const OpTime& a, const OpTime& b) { return a.us > b.us; });
  slowest.resize(std::min<size_t>(slowest.size(), 10));
  Table ops = {{"slowest", "name", "us"}};
  for (const OpTime& op : slowest) ops.push_back({op.kind, op.name, fixed(op.us, 1)});
  std::printf("\n");
  print_cells(ops, 2, markdown);
}

void print_head(const Report& r, bool markdown) {
  for (size_t i = 0; i < r.blobs.size(); ++i) {
    const ert_info info = r.blobs[i]->info();
    std::printf("%s  %.1f MB  crc %s  open %.0f us%s\n", r.paths[i].c_str(), static_cast<double>(info.blob_bytes) / 1e6,
                hex(info.content_crc).c_str(), r.blobs[i]->open_us(), markdown ? "  " : "");
  }
  std::printf("%s  %s\n", cpu_name().c_str(), kCompiler);
  if (markdown) std::printf("\n");
}

void print_results(const Report& r, bool markdown) {
  print_head(r, markdown);
  if (r.texts) return print_texts(*r.texts);
  print_cells(result_table(r), r.blobs.size() > 1 ? 4 : 3, markdown);
  if (r.options.repetitions > 1)
    std::printf("%s+-: half the range of the medians of %" PRIu32 " repetitions; rows took turns\n", markdown ? "\n" : "",
                r.options.repetitions);
  for (const Result& x : r.results) {
    if (x.ops.empty()) continue;
    std::printf("\n%s %s %s\n%s", file_name_of(r.paths[x.blob]).c_str(), dims_text(x.dims).c_str(),
                threads_text(x.threads).c_str(), markdown ? "\n" : "");
    print_profile(x, markdown);
  }
}

}  // namespace

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

std::string compiler_name() { return kCompiler; }

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

double per_second(uint64_t count, double us) { return us > 0 ? static_cast<double>(count) / us * 1e6 : 0; }

double gmacs_per_second(const Result& r) { return r.p50_us > 0 ? static_cast<double>(r.macs) / r.p50_us / 1000 : 0; }

std::vector<std::vector<std::string>> result_table(const Report& r) {
  const bool many = r.blobs.size() > 1;
  Table table = {{"dims", "thr", "isa", "p50 us", "+-", "min", "p90", "p99", "max", "seq/s", "tok/s", "GMAC/s", "arena bytes"}};
  if (many) table[0].insert(table[0].begin(), "blob");
  for (const Result& x : r.results) {
    table.push_back({dims_text(x.dims), std::to_string(x.threads), x.isa, fixed(x.p50_us, 1),
                     x.repetition_p50_us.size() > 1 ? fixed(100 * x.spread, 1) + "%" : "-", fixed(x.min_us, 1),
                     fixed(x.p90_us, 1), fixed(x.p99_us, 1), fixed(x.max_us, 1), four_digits(per_second(x.sequences, x.p50_us)),
                     x.tokens != 0 ? four_digits(per_second(x.tokens, x.p50_us)) : "-", fixed(gmacs_per_second(x), 1),
                     std::to_string(x.arena_bytes)});
    if (many) table.back().insert(table.back().begin(), file_name_of(r.paths[x.blob]));
  }
  return table;
}

void print_table(const Report& r) { print_results(r, false); }

void print_markdown(const Report& r) { print_results(r, true); }

void print_comparison(const Comparison& c, bool markdown) {
  Table table = {{"blob", "dims", "thr", "old p50 us", "p50 us", "change", "noise", "verdict"}};
  for (const ComparedRow& r : c.rows)
    table.push_back({r.blob, dims_text(r.dims), std::to_string(r.threads), fixed(r.old_us, 1), fixed(r.new_us, 1),
                     (r.change() < 0 ? "" : "+") + fixed(100 * r.change(), 1) + "%", fixed(100 * r.noise, 1) + "%",
                     r.verdict() + std::string(r.same_bits ? "" : ", other outputs")});
  std::printf("\nagainst %s\n%s", c.old_path.c_str(), markdown ? "\n" : "");
  print_cells(table, 2, markdown);
  std::printf("%s%s\n", markdown ? "\n" : "", c.verdict().c_str());
}

}  // namespace ert::bench
