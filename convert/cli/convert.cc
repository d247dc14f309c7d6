// `edgeconv convert`: options, the output file, and the summary.
#include "convert/pipeline/convert.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "convert/cli/byte_count.h"
#include "convert/cli/command.h"
#include "convert/cli/dim_option.h"
#include "convert/cli/graph_dump.h"
#include "convert/cli/pin_option.h"
#include "convert/cli/progress.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/files/outputs.h"
#include "convert/measure/accuracy.h"
#include "convert/report/report_html.h"
#include "convert/report/report_json.h"
#include "convert/report/summary.h"

namespace edgeconv::cli {

namespace {

struct ConvertArguments {
  std::string model, output, target = "portable", progress = "auto", compress = "none", padding = "zero", calibration, dump_graph;
  std::vector<std::string> dims, reports, precision, concat, custom_ops;
  PinOptions pins;
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

bool is_page(const std::string& report) {
  const std::string ending = std::filesystem::path(report).extension().string();
  return ending == ".html" || ending == ".htm";
}

// The name says what a report is, unless it is no file.
void check_report_name(const ConvertArguments& o, const std::string& report) {
  const OutputPlace place = output_place(report);
  const bool file = place.kind == OutputPlace::Kind::kNew || place.kind == OutputPlace::Kind::kFile;
  if (file && !report.empty() && !is_page(report) && std::filesystem::path(report).extension() != ".json" && !o.force)
    throw FatalError(ExitCode::kUsage, "--report '" + report +
                                           "': name it .html for a page or .json for JSON; - is standard output, and --force "
                                           "writes JSON to any name");
}

// Files of a data set, as read by inputs/sample_files.h.
const std::vector<std::string_view> kSampleFiles = {".npy", ".npz", ".pb"};

// Judges all names before the work. What the conversion reads must not be what it writes, whatever --force says.
Outputs judge_outputs(const ConvertArguments& o, const std::string& output) {
  Outputs outputs(o.force);
  outputs.reads(o.model, "the model itself");
  for (const std::string& file : o.pins.files()) outputs.reads(file, "contents of --const");
  if (!o.calibration.empty()) outputs.reads_all(o.calibration, "the inputs of --calib", kSampleFiles);
  if (o.json) outputs.prints("--json");
  // Without a model there is nothing to write, and that is what the user has to know.
  if (std::filesystem::exists(o.model)) outputs.writes("-o", output, {{".ert"}, ""});
  if (const GraphDump dump(o.dump_graph); !dump.path().empty())
    outputs.writes("--dump-graph", dump.path(), {{}, GraphDump::kMark});
  for (const std::string& report : o.reports) {
    outputs.writes("--report", report, {{".json", ".html", ".htm"}, ""});
    check_report_name(o, report);
  }
  return outputs;
}

// Known when the model has been read.
void check_external(const ConvertArguments& o, const ModelInfo& model, Outputs& outputs) {
  const std::filesystem::path folder = std::filesystem::path(o.model).parent_path();
  for (const std::string& location : model.external_files)
    outputs.reads((folder / location).string(), "external data of the model");
  outputs.check();
}

struct Limits {
  std::optional<uint64_t> arena, flash;
};

Limits read_limits(const ConvertArguments& o) {
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
std::string write_reports(const ConvertArguments& o, const std::string& output, const ConvertResult& r, const MemoryTable& memory,
                          const Outputs& outputs) {
  const Json json = report_json(r, memory, memory_timeline(BlobRunner(r.blob.data(), r.blob.bytes())), output);
  const std::string text = json_text(json);
  for (const std::string& report : o.reports) {
    const std::string contents = is_page(report) ? report_html(json) : text;
    outputs.write(report, contents.data(), contents.size());
  }
  return text;
}

// Reports are wanted most where a gate or limit is missed. Says what was written.
std::string report_refusal(const ConvertArguments& o, const std::string& output, const ConvertResult& r, Outputs& outputs) {
  const std::string dump = GraphDump(o.dump_graph).file();
  if (o.reports.empty()) return dump.empty() ? "nothing was written" : "only the passes were listed: " + dump;
  check_external(o, r.model, outputs);
  write_reports(o, output, r, memory_table(r.blob, {}), outputs);
  std::string names;
  for (const std::string& report : o.reports) names += (names.empty() ? "" : ", ") + report;
  return "only the report was written: " + names + (dump.empty() ? "" : ", and the passes listed: " + dump);
}

// The graph between the passes is wanted most where a conversion fails.
void write_after_failure(const GraphDump& dump, const PassTrace& trace, const Outputs& outputs) {
  try {
    dump.write(trace.states(), outputs);
  } catch (const FatalError& e) {
    tell("warning: " + std::string(e.what()) + "\n");
  }
}

ConvertResult convert(const ConvertArguments& o, ConvertOptions& options, const GraphDump& dump, const std::string& output,
                      Outputs& outputs) {
  Progress progress(o.quiet || o.progress == "off" ? Progress::Mode::kOff
                    : o.progress == "on"           ? Progress::Mode::kOn
                                                   : Progress::Mode::kAuto);
  options.progress = [&](const std::string& stage, double fraction) { progress.show(stage, fraction); };
  const bool log = o.verbose && !o.quiet;
  PassTrace trace(dump.pass(), log ? [&](const std::string& line) { progress.line(line); } : PassTrace::Log());
  if (log || !dump.pass().empty()) options.prepare.trace = &trace;
  ConvertResult r;
  try {
    r = convert_model(o.model, options);
  } catch (const GateMissed& e) {
    write_after_failure(dump, trace, outputs);
    throw FatalError(e.code(), refusal_text(*e.result->refusal, report_refusal(o, output, *e.result, outputs), e.notes));
  } catch (const std::exception&) {
    write_after_failure(dump, trace, outputs);
    throw;
  }
  dump.write(trace.states(), outputs);
  return r;
}

int run_convert(const ConvertArguments& o) {
  const std::string output = o.output.empty() ? default_output(o.model) : o.output;
  Outputs outputs = judge_outputs(o, output);
  const GraphDump dump(o.dump_graph);
  ConvertOptions options;
  options.target = parse_target(o.target);
  const Limits limits = read_limits(o);
  options.dims = parse_dims(o.dims);
  options.prepare.pinning = o.pins.parse(options.dims);
  options.prepare.most_dims = options.dims;
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
  ConvertResult r = convert(o, options, dump, output, outputs);
  check_external(o, r.model, outputs);
  const MemoryTable memory = memory_table(r.blob, {});
  r.refusal = missed_limit(limits, r, memory);
  if (r.refusal) throw FatalError(ExitCode::kLimit, refusal_text(*r.refusal, report_refusal(o, output, r, outputs), ""));
  const std::string text = write_reports(o, output, r, memory, outputs);
  outputs.write(output, r.stored().data(), r.stored().bytes());
  if (o.json)
    print_data(text);
  else if (!o.quiet)
    tell(summary_text(r, memory, output == "-" ? "standard output" : output, o.verbose));
  for (const std::string& w : r.warnings) tell("warning: " + w + "\n");
  return 0;
}

}  // namespace

Action add_convert(Arguments& a) {
  auto o = std::make_shared<ConvertArguments>();
  a.option("model", o->model, "ONNX file", {.required = true});
  a.option("-o,--output", o->output, "blob to write (default: the model's name with .ert)");
  a.option("--dim", o->dims, "largest value of a dynamic dim, NAME=MAX; repeatable", {.type = "NAME=MAX"});
  o->pins.declare(a);
  a.option("--precision", o->precision,
           "auto, int8, w8a16, fp32, or PATTERN=... for layers by node name (attention and tables stay with the first "
           "four); repeatable");
  a.option("--calib", o->calibration,
           "real inputs: FILE.npz, or a folder of NAME.npy or input_K.pb or of such folders; leading axis = samples",
           {.type = "FILE|DIR"});
  a.option("--concat", o->concat, "join outputs: NAME=OUT1,OUT2[,..]:AXIS; repeatable", {.type = "NAME=OUTS:AXIS"});
  a.option("--custom-op", o->custom_ops, "pass an operator through to a kernel of the application: DOMAIN::NAME; repeatable",
           {.type = "DOMAIN::NAME"});
  a.flag("--allow-accuracy-loss", o->allow_loss,
         fmt::format("write the blob even when an output's cosine with fp32 is below {:g}", kFailCosine));
  a.option("--max-loss", o->gates.max_loss,
           "largest 1 - cosine of an output: automatic precision climbs to it, and more fails (exit 7)",
           {.least = 1e-9, .most = 1.0});
  a.option("--max-slowdown", o->gates.max_slowdown,
           "most work of the layers relative to int8 (w8a16 counts 2, fp32 counts 4): automatic precision keeps to it, and "
           "fails (exit 7) where the accuracy gate needs more",
           {.least = 1.0, .most = 100.0});
  a.option("--max-bytes", o->max_bytes,
           "largest file: automatic precision keeps to it, and fails (exit 7) where the accuracy gate needs more",
           {.type = "BYTES[K|M|G]"});
  a.option("--golden", o->golden, "golden vectors in the blob for the device's self test: a number or none");
  a.option("--target", o->target,
           "how weights are packed: portable (for every CPU), armv8-i8mm or cortex-m. A blob runs everywhere with the same "
           "bits, but far slower where another target was meant");
  a.option("--arena-limit", o->arena_limit, "fail if the runtime needs more RAM at the maximum dims", {.type = "BYTES[K|M|G]"});
  a.option("--flash-limit", o->flash_limit, "fail if the blob is larger", {.type = "BYTES[K|M|G]"});
  a.option("--compress", o->compress, "none or zstd: a smaller file for storage and update, which ert_unpack expands",
           {.one_of = {"none", "zstd"}});
  a.option("--padding", o->padding,
           "zero: positions behind the last token of a row are not computed and zero in outputs, where it is proved that they "
           "change nothing else; compute: like all others",
           {.one_of = {"zero", "compute"}});
  a.option("--report", o->reports,
           "write all that is known of the conversion to this file, also where a gate is missed: a page if it is named .html, "
           "JSON "
           "if it is named .json or is a device, a pipe or - (standard output); repeatable",
           {.type = "FILE"});
  a.option("--dump-graph", o->dump_graph,
           "for debugging: the graph, or the runtime program, before and after a pass, or all passes, as text; - is stdout",
           {.type = "PASS|all=FILE"});
  a.option("--progress", o->progress, "auto, on or off", {.one_of = {"auto", "on", "off"}});
  a.flag("--force", o->force, "replace existing outputs whatever they are named");
  a.flag("-q,--quiet", o->quiet, "no summary");
  a.flag("-v,--verbose", o->verbose, "also every pass with its matches, every layer's precision and error");
  a.flag("--json", o->json, "summary as JSON on stdout");
  return [o] { return run_convert(*o); };
}

}  // namespace edgeconv::cli
