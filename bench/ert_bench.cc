// ert-bench: how fast a blob runs on this machine. Usage and JSON schema: bench/README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <limits>

#include "bench/report.h"

namespace ert::bench {
namespace {

// "batch=1,sequence=128"
std::map<std::string, int32_t> parse_shape(const std::string& text) {
  std::map<std::string, int32_t> dims;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    char* rest = nullptr;
    const long value = equals == std::string::npos ? 0 : std::strtol(part.c_str() + equals + 1, &rest, 10);
    if (equals == 0 || equals == std::string::npos || *rest != '\0' || value < 1 || value > std::numeric_limits<int32_t>::max() ||
        !dims.emplace(part.substr(0, equals), static_cast<int32_t>(value)).second) {
      throw Failure{2, "--shape: expected NAME=SIZE,NAME=SIZE... but got '" + text + "'"};
    }
    begin = end + 1;
  }
  return dims;
}

uint32_t parse_isa(const std::string& name) {
  if (name.empty()) return 0;
  std::string known;
  for (int isa = 0; isa < 32; ++isa) {
    const char* candidate = ert_isa_name(static_cast<ert_isa>(isa));
    if (candidate == nullptr) continue;
    if (name == candidate) return ERT_ISA_BIT(isa);
    known += (known.empty() ? "" : ", ") + std::string(candidate);
  }
  throw Failure{2, "--isa: '" + name + "' is not one of " + known};
}

int run(int argc, char** argv) {
  CLI::App app{"Measures how fast an ert blob runs on this machine.", "ert-bench"};
  std::string path, isa;
  std::vector<std::string> shapes;
  Options options;
  bool json = false;
  app.add_option("BLOB.ert", path, "blob made by edgeconv")->required();
  app.add_option("--shape", shapes,
                 "NAME=SIZE,NAME=SIZE...; repeatable. Dims not named take their minimum; without --shape all take their maximum");
  app.add_option("--threads", options.threads, "threads, the calling one included (1)")->check(CLI::Range(1u, 256u));
  app.add_option("--warmup", options.warmup, "untimed runs before (5)")->check(CLI::Range(0u, 100000000u));
  app.add_option("--runs", options.runs, "timed runs (50)")->check(CLI::Range(1u, 100000000u));
  app.add_option("--isa", isa, "use this kernel level; exit 4 if the CPU lacks it");
  app.add_flag("--profile", options.profile, "time per op, in runs of their own");
  app.add_flag("--json", json, "JSON on stdout instead of a table");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  options.isa_mask = parse_isa(isa);
  std::vector<std::map<std::string, int32_t>> parsed;
  for (const std::string& s : shapes) parsed.push_back(parse_shape(s));
  const Blob blob(path);
  Report report{path, &blob, options, {}};
  if (parsed.empty()) report.results.push_back(measure(blob, largest_dims(blob.model()), options));
  for (const auto& dims : parsed) report.results.push_back(measure(blob, complete_dims(blob.model(), dims), options));
  json ? print_json(report) : print_table(report);
  return std::fflush(stdout) == 0 ? 0 : 6;
}

}  // namespace
}  // namespace ert::bench

int main(int argc, char** argv) {
  try {
    return ert::bench::run(argc, argv);
  } catch (const ert::bench::Failure& f) {
    std::fprintf(stderr, "ert-bench: %s\n", f.message.c_str());
    return f.exit_code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ert-bench: internal error: %s\n", e.what());
    return 1;
  }
}
