// See command_line.h.
#include "bench/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>

#include "convert/blob/version.h"
#include "convert/cli/help_format.h"
#include "convert/cli/terminal.h"
#include "convert/cli/unknown_option.h"

namespace ert::bench {
namespace {

constexpr size_t kUsualWidth = 80, kWidest = 110;

constexpr const char* kFooter =
    "\nExamples:\n"
    "  ert-bench model.ert --shape batch=1,sequence=16:32:64:128 --threads 1,2 --plot latency.svg\n"
    "  ert-bench model.ert --json > old.json\n"
    "  ert-bench model.ert --compare old.json --fail-above 5\n"
    "\nExit codes:\n  0 ok\n  1 internal error\n  2 wrong command line, or a dim out of range\n  3 malformed file\n  4 not "
    "supported: a CPU level, a blob's features\n"
    "  5 memory ran out\n  6 input or output failed\n  7 slower than --fail-above allows, or outputs that differ between runs\n  "
    "8 wrong checksum or signature\n";

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
    if (shapes.size() > 10000) throw Failure{2, "--shape: '" + text + "' is more than 10000 shapes; sweep over fewer sizes"};
  }
  return shapes;
}

// "1,2,4": each once, or two rows would be the same.
std::vector<uint32_t> parse_threads(const std::string& text) {
  std::vector<uint32_t> counts;
  for (const std::string& part : split(text, ',')) {
    char* rest = nullptr;
    const long n = std::strtol(part.c_str(), &rest, 10);
    if (part.empty() || *rest != '\0' || n < 1 || n > 256 ||
        std::set<uint32_t>(counts.begin(), counts.end()).count(static_cast<uint32_t>(n)) != 0)
      throw Failure{2, "--threads: expected counts from 1 to 256, each once, such as 1,2,4, but got '" + text + "'"};
    counts.push_back(static_cast<uint32_t>(n));
  }
  return counts;
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

// An option that does not exist is why others do not fit: it is named first, with the one that was meant.
[[noreturn]] void refuse_words(const CLI::App& app, const CLI::ParseError& e) {
  for (const std::string& word : app.remaining())
    if (word.size() > 1 && word[0] == '-')
      throw Failure{
          2, edgeconv::cli::unknown_option_text(app, word, {"--version", "--help"}) + " ert-bench --help lists the options"};
  throw Failure{2, edgeconv::cli::wrong_value_text(e.what()) + "; usage: " + edgeconv::cli::usage_text(app, "ert-bench") +
                       " (ert-bench --help lists them)"};
}

}  // namespace

bool read_command_line(int argc, char** argv, CommandLine* out) {
  CLI::App app{"Measures how fast blobs of edgeconv run on this machine.", "ert-bench"};
  app.formatter(
      std::make_shared<edgeconv::cli::HelpFormat>(std::min(kWidest, edgeconv::cli::terminal_width(STDOUT_FILENO, kUsualWidth))));
  app.footer(kFooter);
  std::string isa, labels, threads = "1";
  std::vector<std::string> shapes;
  bool json = false, csv = false;
  Options& o = out->options;
  app.add_option("BLOB.ert", out->blobs, "blobs made by edgeconv; several are measured in turns")->required();
  CLI::Option* shape = app.add_option("--shape", shapes,
                                      "NAME=SIZE,NAME=SIZE...; repeatable. NAME=SIZE:SIZE... sweeps over sizes. Dims not named "
                                      "take their minimum; without "
                                      "--shape all take their maximum")
                           ->allow_extra_args(false)
                           ->group("What is measured");
  CLI::Option* text_file =
      app.add_option("--text-file", out->texts.file,
                     "for blobs with a tokenizer: times text to answer of these lines (qa: QUESTION, a tab, CONTEXT)")
          ->group("What is measured");
  app.add_option("--labels", labels, "zero-shot: what texts are judged by, a,b,c")->needs(text_file)->group("What is measured");
  app.add_option("--threads", threads, "threads, the calling one included (1); 1,2,4 makes a row of each")
      ->group("What is measured");
  app.add_option("--isa", isa, "use this kernel level; exit 4 if the CPU lacks it")->group("What is measured");
  app.add_flag("--profile", o.profile, "time per op, in runs of their own")->excludes(text_file)->group("What is measured");
  app.add_option("--warmup", o.warmup, "untimed runs before (5)")
      ->check(CLI::Range(0u, 100000000u).description(""))
      ->group("How often");
  CLI::Option* runs = app.add_option("--runs", o.runs, "timed runs of a row (50); with --text-file passes over all lines (5)")
                          ->check(CLI::Range(1u, 100000000u).description(""))
                          ->group("How often");
  app.add_option("--repetitions", o.repetitions,
                 "parts that the runs are made in, in turns with other rows; their medians tell the spread (5)")
      ->check(CLI::Range(1u, 1000u).description(""))
      ->excludes(text_file)
      ->group("How often");
  CLI::Option* format = app.add_option("--format", out->format, "table, markdown, csv or json (table)")
                            ->check(CLI::IsMember({"table", "markdown", "csv", "json"}).description(""))
                            ->group("Output");
  CLI::Option* json_flag = app.add_flag("--json", json, "the same as --format json")->excludes(format)->group("Output");
  app.add_flag("--csv", csv, "the same as --format csv; with --profile a row per op")
      ->excludes(json_flag)
      ->excludes(format)
      ->group("Output");
  CLI::Option* compare = app.add_option("--compare", out->old_file,
                                        "OLD.json of ert-bench --json: what became faster or slower by more than the noise")
                             ->excludes(text_file)
                             ->group("Output");
  app.add_option("--fail-above", out->fail_above,
                 "with --compare: exit 7 where a row is slower by more than PERCENT, and by more than the noise")
      ->check(CLI::Range(0.0, 1e6).description(""))
      ->needs(compare)
      ->group("Output");
  app.add_option("--plot", out->plot, "FILE.svg or FILE.html: latency over the dim that has most sizes")
      ->excludes(text_file)
      ->group("Output");
  text_file->excludes(shape);
  app.set_version_flag("--version", std::string("ert-bench ") + edgeconv::kVersion, "the version")->group("Help");
  app.set_help_flag("-h,--help", "this text")->group("Help");
  // As usage texts name values, rather than by the types that CLI11 sees.
  const std::map<std::string, std::string> values = {{"--shape", "NAME=SIZE,.."},
                                                     {"--text-file", "FILE"},
                                                     {"--labels", "A,B,.."},
                                                     {"--threads", "N,.."},
                                                     {"--isa", "NAME"},
                                                     {"--warmup", "N"},
                                                     {"--runs", "N"},
                                                     {"--repetitions", "N"},
                                                     {"--format", "NAME"},
                                                     {"--compare", "OLD.json"},
                                                     {"--fail-above", "PERCENT"},
                                                     {"--plot", "FILE"}};
  for (const auto& [name, value] : values) app.get_option(name)->type_name(value);
  app.allow_extras(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return false;
  } catch (const CLI::ParseError& e) {
    refuse_words(app, e);
  }
  if (json) out->format = "json";
  if (csv) out->format = "csv";
  o.isa_mask = parse_isa(isa);
  o.repetitions = std::min(o.repetitions, std::max(o.runs / 2, 1u));  // one run alone has no median, and what is between parts would be most of it
  out->threads = parse_threads(threads);
  for (const std::string& s : shapes)
    for (Dims& dims : parse_shapes(s)) out->shapes.push_back(std::move(dims));
  if (!out->texts.file.empty()) {
    if (out->blobs.size() > 1 || out->threads.size() > 1)
      throw Failure{2, "--text-file takes one BLOB.ert and one --threads count: call ert-bench once for each"};
    if (out->format != "table" && out->format != "json")
      throw Failure{2, "--text-file has no --format " + out->format + ": table or json"};
    if (!labels.empty()) out->texts.labels = split(labels, ',');
    if (runs->count() != 0) out->texts.passes = o.runs;
    o.runs = out->texts.passes, o.warmup = 1, o.repetitions = 1;
  }
  return true;
}

}  // namespace ert::bench
