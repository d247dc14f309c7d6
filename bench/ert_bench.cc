// ert-bench: how fast a blob runs on this machine. Usage and JSON schema: bench/README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <limits>
#include <thread>

#include "bench/report.h"

namespace ert::bench {
namespace {

[[noreturn]] void refuse_shape(const std::string& text) {
  throw Failure{2, "--shape: expected NAME=SIZE[:SIZE...],NAME=SIZE... but got '" + text + "'"};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

int32_t parse_size(const std::string& text, const std::string& shape) {
  char* rest = nullptr;
  const long value = std::strtol(text.c_str(), &rest, 10);
  if (text.empty() || *rest != '\0' || value < 1 || value > std::numeric_limits<int32_t>::max()) refuse_shape(shape);
  return static_cast<int32_t>(value);
}

using Dims = std::map<std::string, int32_t>;

// "batch=1,sequence=128" is one shape, "batch=1:8,sequence=32:128" the four of a sweep; the last dim varies fastest.
std::vector<Dims> parse_shapes(const std::string& text) {
  std::vector<Dims> shapes = {{}};
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == 0 || equals == std::string::npos) refuse_shape(text);
    const std::string name = part.substr(0, equals);
    std::vector<Dims> wider;
    for (const Dims& shape : shapes) {
      for (const std::string& size : split(part.substr(equals + 1), ':')) {
        wider.push_back(shape);
        if (!wider.back().emplace(name, parse_size(size, text)).second) refuse_shape(text);
      }
    }
    shapes = std::move(wider);
    if (shapes.size() > 10000) throw Failure{2, "--shape: '" + text + "' is more than 10000 shapes"};
  }
  return shapes;
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
  std::string path, isa, labels;
  TextOptions texts;
  std::vector<std::string> shapes;
  Options options;
  bool json = false, csv = false;
  app.add_option("BLOB.ert", path, "blob made by edgeconv")->required();
  CLI::Option* shape_option = app.add_option(
      "--shape", shapes,
      "NAME=SIZE,NAME=SIZE...; repeatable. NAME=SIZE:SIZE... sweeps over sizes. Dims not named take their minimum; without "
      "--shape all take their maximum");
  CLI::Option* text_file = app.add_option("--text-file", texts.file,
                                          "for blobs with a tokenizer: times text to answer of these lines (qa: QUESTION, a tab, CONTEXT)");
  app.add_option("--labels", labels, "zero-shot: what texts are judged by, a,b,c")->needs(text_file);
  app.add_option("--threads", options.threads, "threads, the calling one included (1)")->check(CLI::Range(1u, 256u));
  app.add_option("--warmup", options.warmup, "untimed runs before (5)")->check(CLI::Range(0u, 100000000u));
  CLI::Option* runs = app.add_option("--runs", options.runs, "timed runs (50); with --text-file passes over all lines (5)")->check(CLI::Range(1u, 100000000u));
  text_file->excludes(shape_option);
  app.add_option("--isa", isa, "use this kernel level; exit 4 if the CPU lacks it");
  app.add_flag("--profile", options.profile, "time per op, in runs of their own")->excludes(text_file);
  CLI::Option* json_flag = app.add_flag("--json", json, "JSON on stdout instead of a table");
  app.add_flag("--csv", csv, "CSV on stdout instead of a table; with --profile a row per op")->excludes(json_flag)->excludes(text_file);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  options.isa_mask = parse_isa(isa);
  const unsigned cores = std::thread::hardware_concurrency();
  if (cores != 0 && options.threads > cores) {
    std::fprintf(stderr, "ert-bench: warning: %u threads on %u cores: they wait for each other, so that times say little of a device with as many cores\n",
                 options.threads, cores);
  }
  std::vector<Dims> parsed;
  for (const std::string& s : shapes) {
    for (Dims& dims : parse_shapes(s)) parsed.push_back(std::move(dims));
  }
  const Blob blob(path);
  Report report{path, &blob, options, {}, {}};
  if (!texts.file.empty()) {
    if (!labels.empty()) texts.labels = split(labels, ',');
    if (runs->count() != 0) texts.passes = options.runs;
    report.options.runs = texts.passes, report.options.warmup = 1;
    report.texts = measure_texts(blob, texts, options);
  } else if (parsed.empty()) report.results.push_back(measure(blob, largest_dims(blob.model()), options));
  for (const Dims& dims : parsed) report.results.push_back(measure(blob, complete_dims(blob.model(), dims), options));
  (json ? print_json : csv ? print_csv : print_table)(report);
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
