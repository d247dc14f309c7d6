// `edgeconv convert`: options, the output file, and the summary.
#include "convert/pipeline/convert.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "convert/cli/byte_count.h"
#include "convert/cli/command.h"
#include "convert/cli/dim_option.h"
#include "convert/cli/progress.h"
#include "convert/files/atomic_file.h"
#include "convert/measure/accuracy.h"
#include "convert/report/report_html.h"
#include "convert/report/report_json.h"
#include "convert/report/summary.h"

namespace edgeconv::cli {

namespace {

struct Options {
  std::string model, output, target = "portable", progress = "auto", compress = "none", padding = "zero", calibration;
  std::vector<std::string> dims, reports, precision, concat, custom_ops;
  Gates gates;
  bool allow_loss = false, force = false, quiet = false, verbose = false, json = false;
  std::string golden = "1";
  std::string arena_limit, flash_limit, max_bytes;
};

PrecisionMode parse_mode(const std::string& text) {
  if (text == "auto") return PrecisionMode::kAuto;
  if (text == "int8") return PrecisionMode::kInt8;
  if (text == "w8a16") return PrecisionMode::kW8A16;
  if (text == "fp32") return PrecisionMode::kFp32;
  throw FatalError(ExitCode::kUsage, "--precision " + text + ": use auto, int8, w8a16, fp32 or NAME-PATTERN=one of them");
}

PrecisionRequest parse_precision(const std::vector<std::string>& texts) {
  PrecisionRequest request;
  for (const std::string& text : texts) {
    const size_t eq = text.rfind('=');
    if (eq == std::string::npos)
      request.mode = parse_mode(text);
    else
      request.overrides.emplace_back(text.substr(0, eq), parse_mode(text.substr(eq + 1)));
  }
  return request;
}

std::string default_output(const std::string& model) { return std::filesystem::path(model).replace_extension(".ert").string(); }

// An existing blob is replaced; anything else is somebody's file.
void check_output(const Options& o, const std::string& output) {
  std::error_code error;
  const auto status = std::filesystem::status(output, error);
  if (std::filesystem::is_directory(status))
    throw FatalError(ExitCode::kUsage, "the output '" + output + "' is a folder; give a file name with -o");
  if (std::filesystem::equivalent(o.model, output, error))
    throw FatalError(ExitCode::kUsage, "the output would replace the model itself; give another name with -o");
  if (std::filesystem::exists(status) && !o.force && std::filesystem::path(output).extension() != ".ert")
    throw FatalError(ExitCode::kUsage, "'" + output + "' exists and is not named .ert; use --force to replace it");
}

// What the conversion reads must not be what it writes, whatever --force says.
void check_reports(const Options& o, const std::string& output) {
  const auto normal = [](const std::string& path) { return std::filesystem::absolute(path).lexically_normal(); };
  std::error_code error;
  for (size_t i = 0; i < o.reports.size(); ++i) {
    const std::string& report = o.reports[i];
    if (report.empty()) throw FatalError(ExitCode::kUsage, "--report needs the name of a file");
    if (std::filesystem::is_directory(report, error))
      throw FatalError(ExitCode::kUsage, "--report '" + report + "' is a folder; give a file name");
    if (std::filesystem::equivalent(o.model, report, error))
      throw FatalError(ExitCode::kUsage, "--report would replace the model itself; give another name");
    if (std::filesystem::equivalent(output, report, error) || normal(output) == normal(report))
      throw FatalError(ExitCode::kUsage, "--report and the blob have the same name; give another one");
    for (size_t other = 0; other < i; ++other)
      if (normal(o.reports[other]) == normal(report))
        throw FatalError(ExitCode::kUsage, "--report '" + report + "' is given twice");
  }
}

bool is_page(const std::string& report) {
  const std::string ending = std::filesystem::path(report).extension().string();
  return ending == ".html" || ending == ".htm";
}

void check_external(const Options& o, const std::string& output, const ModelInfo& model) {
  const std::filesystem::path folder = std::filesystem::path(o.model).parent_path();
  std::vector<std::string> all = o.reports;
  all.push_back(output);
  for (const std::string& location : model.external_files)
    for (const std::string& written : all) {
      std::error_code error;
      if (std::filesystem::equivalent(folder / location, written, error))
        throw FatalError(ExitCode::kUsage, "'" + written + "' would replace external data of the model; give another name with " +
                                               (written == output ? "-o" : "--report"));
    }
}

struct Limits {
  std::optional<uint64_t> arena, flash;
};

Limits read_limits(const Options& o) {
  const auto read = [](const char* flag, const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(parse_byte_count(flag, text));
  };
  return {read("--arena-limit", o.arena_limit), read("--flash-limit", o.flash_limit)};
}

// An unknown target is not a usage error: a later version may have it.
WeightTarget parse_target(const std::string& name) {
  std::string known;
  for (const WeightTarget& t : kWeightTargets) {
    if (t.name == name) return t;
    known += (known.empty() ? "" : ", ") + std::string(t.name);
  }
  throw FatalError(ExitCode::kUnsupported, "--target " + name + ": this version packs weights for " + known);
}

std::optional<Refusal> missed_limit(const Limits& limit, const ConvertResult& r, const MemoryTable& memory) {
  const size_t stored = r.stored().bytes();
  if (limit.flash && stored > *limit.flash)
    return Refusal{fmt::format("the blob has {} bytes, --flash-limit allows {}", stored, *limit.flash),
                   "Raise --flash-limit; -v shows what the layers take, --max-bytes makes automatic precision keep to a size"};
  if (limit.arena && memory.rows.back().bytes > *limit.arena)
    return Refusal{fmt::format("at the maximum dims the runtime needs {} bytes of RAM, --arena-limit allows {}",
                               memory.rows.back().bytes, *limit.arena),
                   "Lower the maxima with --dim, or raise --arena-limit"};
  return std::nullopt;
}

// The summary as JSON, which is also every report.
std::string write_reports(const Options& o, const std::string& output, const ConvertResult& r, const MemoryTable& memory) {
  const nlohmann::ordered_json json = report_json(r, memory, memory_timeline(BlobRunner(r.blob.data(), r.blob.bytes())), output);
  const std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  for (const std::string& report : o.reports) {
    const std::string contents = is_page(report) ? report_html(json) : text;
    write_file_atomically(report, contents.data(), contents.size());
  }
  return text;
}

// Reports are wanted most where a gate or limit is missed. Says what was written.
std::string report_refusal(const Options& o, const std::string& output, const ConvertResult& r) {
  if (o.reports.empty()) return "nothing was written";
  check_external(o, output, r.model);
  write_reports(o, output, r, memory_table(r.blob, {}));
  std::string names;
  for (const std::string& report : o.reports) names += (names.empty() ? "" : ", ") + report;
  return "only the report was written: " + names;
}

int run(const Options& o) {
  const std::string output = o.output.empty() ? default_output(o.model) : o.output;
  if (std::filesystem::exists(o.model)) check_output(o, output);
  check_reports(o, output);
  ConvertOptions options;
  options.target = parse_target(o.target);
  const Limits limits = read_limits(o);
  options.dims = parse_dims(o.dims);
  options.precision = parse_precision(o.precision);
  for (const std::string& c : o.concat) options.prepare.joins.push_back(parse_join(c));
  for (const std::string& c : o.custom_ops) options.prepare.custom_ops.push_back(parse_custom_op(c));
  options.calibration_files = o.calibration;
  // The range check of the parser lets NaN through.
  if (std::isnan(o.gates.max_loss) || std::isnan(o.gates.max_slowdown))
    throw FatalError(ExitCode::kUsage, "--max-loss and --max-slowdown want numbers, not nan");
  options.gates = o.gates;
  if (!o.max_bytes.empty()) options.gates.max_bytes = parse_byte_count("--max-bytes", o.max_bytes);
  options.allow_accuracy_loss = o.allow_loss;
  options.compress = o.compress == "zstd";
  options.skip_padding = o.padding == "zero";
  if (o.golden != "none") {
    size_t used = 0;
    try {
      options.golden = std::stoi(o.golden, &used);
    } catch (const std::logic_error&) {
      options.golden = -1;
    }
    if (used != o.golden.size()) options.golden = -1;
    if (options.golden < 0 || options.golden > 16)
      throw FatalError(ExitCode::kUsage, "--golden " + o.golden + ": use none or 0 to 16");
  } else {
    options.golden = 0;
  }
  ConvertResult r;
  {
    Progress progress(o.quiet || o.progress == "off" ? Progress::Mode::kOff
                      : o.progress == "on"           ? Progress::Mode::kOn
                                                     : Progress::Mode::kAuto);
    options.progress = [&](const std::string& stage, double fraction) { progress.show(stage, fraction); };
    try {
      r = convert_model(o.model, options);
    } catch (const GateMissed& e) {
      throw FatalError(e.code(), refusal_text(*e.result->refusal, report_refusal(o, output, *e.result), e.notes));
    }
  }
  check_external(o, output, r.model);
  const MemoryTable memory = memory_table(r.blob, {});
  r.refusal = missed_limit(limits, r, memory);
  if (r.refusal) throw FatalError(ExitCode::kLimit, refusal_text(*r.refusal, report_refusal(o, output, r), ""));
  const std::string text = write_reports(o, output, r, memory);
  write_file_atomically(output, r.stored().data(), r.stored().bytes());
  if (o.json)
    std::printf("%s", text.c_str());
  else if (!o.quiet)
    std::fprintf(stderr, "%s", summary_text(r, memory, output, o.verbose).c_str());
  for (const std::string& w : r.warnings) std::fprintf(stderr, "warning: %s\n", w.c_str());
  return 0;
}

}  // namespace

Action add_convert(CLI::App& app) {
  auto o = std::make_shared<Options>();
  app.add_option("model", o->model, "ONNX file")->required();
  app.add_option("-o,--output", o->output, "blob to write (default: the model's name with .ert)");
  app.add_option("--dim", o->dims, "largest value of a dynamic dim, NAME=MAX; repeatable")
      ->type_name("NAME=MAX")
      ->allow_extra_args(false);
  app.add_option("--precision", o->precision,
                 "auto, int8, w8a16, fp32, or PATTERN=... for layers by node name (attention and tables stay with the first "
                 "four); repeatable")
      ->allow_extra_args(false);
  app.add_option("--calib", o->calibration,
                 "real inputs: FILE.npz, or a folder of NAME.npy or input_K.pb or of such folders; leading axis = samples")
      ->type_name("FILE|DIR");
  app.add_option("--concat", o->concat, "join outputs: NAME=OUT1,OUT2[,..]:AXIS; repeatable")
      ->type_name("NAME=OUTS:AXIS")
      ->allow_extra_args(false);
  app.add_option("--custom-op", o->custom_ops,
                 "pass an operator through to a kernel of the application: DOMAIN::NAME; repeatable")
      ->type_name("DOMAIN::NAME")
      ->allow_extra_args(false);
  app.add_flag("--allow-accuracy-loss", o->allow_loss,
               fmt::format("write the blob even when an output's cosine with fp32 is below {:g}", kFailCosine));
  app.add_option("--max-loss", o->gates.max_loss,
                 "largest 1 - cosine of an output: automatic precision climbs to it, and more fails (exit 7)")
      ->check(CLI::Range(1e-9, 1.0));
  app.add_option("--max-slowdown", o->gates.max_slowdown,
                 "most work of the layers relative to int8 (w8a16 counts 2, fp32 counts 4): automatic precision keeps to it, and "
                 "fails (exit 7) where the accuracy gate needs more")
      ->check(CLI::Range(1.0, 100.0));
  app.add_option("--max-bytes", o->max_bytes,
                 "largest file: automatic precision keeps to it, and fails (exit 7) where the accuracy gate needs more")
      ->type_name("BYTES[K|M|G]");
  app.add_option("--golden", o->golden, "golden vectors in the blob for the device's self test: a number or none");
  app.add_option("--target", o->target,
                 "how weights are packed: portable (for every CPU), armv8-i8mm or cortex-m. A blob runs everywhere with the same "
                 "bits, but far slower where another target was meant");
  app.add_option("--arena-limit", o->arena_limit, "fail if the runtime needs more RAM at the maximum dims")
      ->type_name("BYTES[K|M|G]");
  app.add_option("--flash-limit", o->flash_limit, "fail if the blob is larger")->type_name("BYTES[K|M|G]");
  app.add_option("--compress", o->compress, "none or zstd: a smaller file for storage and update, which ert_unpack expands")
      ->check(CLI::IsMember({"none", "zstd"}));
  app.add_option(
         "--padding", o->padding,
         "zero: positions behind the last token of a row are not computed and zero in outputs, where it is proved that they "
         "change nothing else; compute: like all others")
      ->check(CLI::IsMember({"zero", "compute"}));
  app.add_option(
         "--report", o->reports,
         "write all that is known of the conversion to this file, also where a gate is missed: a page if it is named .html, "
         "otherwise JSON; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--progress", o->progress, "auto, on or off")->check(CLI::IsMember({"auto", "on", "off"}));
  app.add_flag("--force", o->force, "replace an existing output that is not named .ert");
  app.add_flag("-q,--quiet", o->quiet, "no summary");
  app.add_flag("-v,--verbose", o->verbose, "also every layer's precision and error");
  app.add_flag("--json", o->json, "summary as JSON on stdout");
  return [o] { return run(*o); };
}

}  // namespace edgeconv::cli
