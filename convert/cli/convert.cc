// `edgeconv convert`: the output file, the reports, and the summary.
#include "convert/pipeline/convert.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "convert/cli/byte_count.h"
#include "convert/cli/command.h"
#include "convert/cli/convert_arguments.h"
#include "convert/cli/graph_dump.h"
#include "convert/cli/memory_limit.h"
#include "convert/cli/progress.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/files/outputs.h"
#include "convert/report/report_html.h"
#include "convert/report/report_json.h"
#include "convert/report/summary.h"

namespace edgeconv::cli {

namespace {

std::string default_output(const std::string& model) { return std::filesystem::path(model).replace_extension(".ert").string(); }

// In small letters: files from elsewhere may be named MODEL.HTML.
std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

bool is_page(const std::string& report) { return ending_of(report) == ".html" || ending_of(report) == ".htm"; }

// What tells a report from somebody's config.json (report_page.html, report_json.cc).
constexpr std::string_view kPageMark = "<title>edgeconv report</title>";
constexpr std::string_view kJsonMark = "\"converter\": \"edgeconv ";
constexpr int kMarkLines = 8;

// The name says what a report is, unless it is no file.
void check_report_name(const ConvertArguments& o, const std::string& report) {
  const OutputPlace place = output_place(report);
  const bool file = place.kind == OutputPlace::Kind::kNew || place.kind == OutputPlace::Kind::kFile;
  if (file && !report.empty() && !is_page(report) && ending_of(report) != ".json" && !o.force)
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
    outputs.writes("--report", report, {{".json", ".html", ".htm"}, is_page(report) ? kPageMark : kJsonMark, false, kMarkLines});
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
  const BlobRunner runner(r.blob.data(), r.blob.bytes());
  const Json json = report_json(r, memory, memory_timeline(runner), memory_curves(runner), {o.command, output});
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
  limit_memory(o.memory_limit);
  const std::string output = o.output.empty() ? default_output(o.model) : o.output;
  Outputs outputs = judge_outputs(o, output);
  const GraphDump dump(o.dump_graph);
  const Limits limits = read_limits(o);
  ConvertOptions options = conversion_options(o);
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
  o->declare(a);
  return [o] { return run_convert(*o); };
}

}  // namespace edgeconv::cli
